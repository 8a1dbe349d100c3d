#include "check/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rungs {
namespace {

TEST(Uniform, IsTheSameOnEveryMachine) {
  const std::vector<float> values = uniform(3, 1, 0, -1, 1);
  EXPECT_EQ(values,
            (std::vector<float>{0x1.8c501p-2f, -0x1.3a86bp-3f, -0x1.aae58p-1f}));
}

TEST(Uniform, StaysInItsRangeAndFillsIt) {
  const std::vector<float> values = uniform(100000, 1, 0, -1, 1);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, -1.0f);
  EXPECT_LT(*most, 1.0f);
  EXPECT_LT(*least, -0.999f);
  EXPECT_GT(*most, 0.999f);
}

TEST(Uniform, HasTheVarianceOfAnEvenSpread) {
  double sum = 0;
  double squares = 0;
  const std::vector<float> values = uniform(100000, 1, 0, -1, 1);
  for (const float value : values) {
    sum += value;
    squares += double{value} * value;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.01);
  EXPECT_NEAR(squares / 100000, 1.0 / 3, 0.01);
}

TEST(Uniform, DiffersBySeedAndByStream) {
  const std::vector<float> values = uniform(16, 1, 0, -1, 1);
  EXPECT_NE(values, uniform(16, 2, 0, -1, 1));
  EXPECT_NE(values, uniform(16, 1, 1, -1, 1));
}

TEST(Uniform, HoldsWhatTf32WouldRound) {
  const std::vector<float> values = uniform(1000, 1, 0, -1, 1);
  const auto is_tf32 = [](float value) {
    return value == std::round(value * 0x1p10f) * 0x1p-10f;
  };
  EXPECT_LT(std::count_if(values.begin(), values.end(), is_tf32), 10);
}

TEST(WholeNumbers, AreTheSameOnEveryMachine) {
  EXPECT_EQ(whole_numbers(6, 1, 0, -8, 8),
            (std::vector<float>{3, -1, -7, -8, -6, -7}));
}

TEST(WholeNumbers, AreEachAsOften) {
  int often[17] = {};
  for (const float value : whole_numbers(170000, 1, 0, -8, 8)) {
    ASSERT_EQ(value, std::round(value));
    ASSERT_GE(value, -8.0f);
    ASSERT_LE(value, 8.0f);
    ++often[static_cast<int>(value) + 8];
  }
  for (const int count : often) EXPECT_NEAR(count, 10000, 500);
}

TEST(WholeNumbers, OfOneChoiceAreAllThatOne) {
  EXPECT_EQ(whole_numbers(3, 1, 0, 1, 1), (std::vector<float>{1, 1, 1}));
  EXPECT_TRUE(whole_numbers(0, 1, 0, 1, 1).empty());
}

}  // namespace
}  // namespace rungs
