#include "check/operation.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "toy.hpp"

namespace rungs {
namespace {

constexpr double plenty = 1e30;

TEST(Refuse, TakesWhatFits) {
  const Operation operation = toy::operation();
  EXPECT_EQ(refuse(operation, operation.shape({64, 32}), plenty), "");
}

TEST(Refuse, NamesTheTensorThatAnIntCannotIndex) {
  const Operation operation = toy::operation();
  const std::string why =
      refuse(operation, operation.shape({65536, 32768}), plenty);
  EXPECT_EQ(why.find("x has more elements than 2147483647 at rows = 65536"), 0u)
      << why;
}

TEST(Refuse, CountsHostDeviceAndReference) {
  const Operation operation = toy::operation();
  const Shape shape = operation.shape({1000, 1000});
  // x: 8 bytes an element, scaled: 16; the scalar: 16 in all.
  EXPECT_EQ(refuse(operation, shape, 24e6 + 16), "");
  EXPECT_EQ(
      refuse(operation, shape, 24e6),
      "rows = 1000, cols = 1000 needs 0.0 GB of memory and 0.0 GB are free; give smaller "
      "sizes");
}

TEST(WrongSizes, AreFewerOrNotPositive) {
  const Operation operation = toy::operation();
  EXPECT_EQ(wrong_sizes(operation, {1, 1}), "");
  EXPECT_EQ(wrong_sizes(operation, {1}), "is not 2 positive sizes");
  EXPECT_EQ(wrong_sizes(operation, {1, 1, 1}), "is not 2 positive sizes");
  EXPECT_EQ(wrong_sizes(operation, {1, 0}), "is not 2 positive sizes");
}

TEST(WrongSizes, AreBelowTheOperationsLeast) {
  Operation operation = toy::operation();
  operation.least = {0, 2};
  EXPECT_EQ(wrong_sizes(operation, {0, 2}), "");
  EXPECT_EQ(wrong_sizes(operation, {-1, 2}), "is not 2 sizes of at least 0, 2");
  EXPECT_EQ(wrong_sizes(operation, {0, 1}), "is not 2 sizes of at least 0, 2");
}

TEST(AvailableMemory, IsSomeAndNotUnlimited) {
  EXPECT_GT(available_memory(), 1e6);
  EXPECT_LT(available_memory(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace rungs
