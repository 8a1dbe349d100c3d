#include "check/ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "check/case.hpp"
#include "toy.hpp"

namespace rungs {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();

TEST(Ranges, TakeThePlaceOfAnInputsOwn) {
  Operation operation = toy::operation();
  operation.inputs[0].whole = true;
  operation.inputs.push_back({"other", {"cols"}, -3, 3, true});
  const Operation changed = with_ranges(operation, {{"x", {9.5F, 10.5F}}});
  EXPECT_FALSE(changed.inputs[0].whole);
  EXPECT_EQ(changed.inputs[1].low, -3);
  EXPECT_TRUE(changed.inputs[1].whole);

  const Case made(changed, changed.shape({64, 32}), 1);
  const std::vector<float>& x = made.inputs().at("x");
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  EXPECT_GE(*least, 9.5F);
  EXPECT_LT(*least, 9.51F);
  EXPECT_GT(*most, 10.49F);
  EXPECT_LE(*most, 10.5F);
}

TEST(Ranges, OfEqualEndsAreOneValue) {
  const Operation changed = with_ranges(toy::operation(), {{"x", {1, 1}}});
  const Case made(changed, changed.shape({3, 5}), 1);
  for (const float value : made.inputs().at("x")) EXPECT_EQ(value, 1);
}

TEST(Ranges, AreOfAnInputAndFiniteAndUpwards) {
  const Operation operation = toy::operation();
  EXPECT_EQ(wrong_ranges(operation, {}), "");
  EXPECT_EQ(wrong_ranges(operation, {{"x", {-1, -1}}}), "");
  EXPECT_EQ(wrong_ranges(operation, {{"y", {0, 1}}}),
            "no input is called \"y\"; there is x");
  EXPECT_EQ(wrong_ranges(operation, {{"x", {1, 0}}}),
            "the range of x ends below its beginning");
  for (const Range range : {Range{0, infinity}, Range{-infinity, 0},
                            Range{infinity, infinity}, Range{-largest, largest},
                            Range{0, std::numeric_limits<float>::quiet_NaN()}}) {
    EXPECT_EQ(wrong_ranges(operation, {{"x", range}}),
              "the range of x is not finite");
  }
}

}  // namespace
}  // namespace rungs
