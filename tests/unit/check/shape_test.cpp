#include "check/shape.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace rungs {
namespace {

const Shape shape({"M", "N", "K"}, {128, 64, 32});

TEST(ShapeTest, GivesSizesByName) {
  EXPECT_EQ(shape["N"], 64);
  EXPECT_THROW(shape["rows"], std::out_of_range);
}

TEST(ShapeTest, SaysItsSizesInOrder) {
  EXPECT_EQ(shape.text(), "M = 128, N = 64, K = 32");
}

TEST(ShapeTest, RefusesNamesWithoutSizes) {
  EXPECT_THROW(Shape({"M"}, {1, 2}), std::invalid_argument);
}

TEST(ElementCount, MultipliesExtentsAndTakesNoneForAScalar) {
  EXPECT_EQ(element_count(shape, {"M", "K"}), 4096);
  EXPECT_EQ(element_count(shape, {}), 1);
}

TEST(ElementCount, DoesNotOverflow) {
  constexpr int most = std::numeric_limits<int>::max();
  const Shape large({"a", "b", "c"}, {most, most, most});
  EXPECT_EQ(element_count(large, {"a", "b"}), std::int64_t{most} * most);
  EXPECT_EQ(element_count(large, {"a", "b", "c"}),
            std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace rungs
