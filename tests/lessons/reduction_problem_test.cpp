// The tolerance of the sum, which is none: FP32 in any order passes, and what
// leaves out or doubles an element, or adds in less precision, does not.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "check/case.hpp"
#include "lessons/reduction/reduction.hpp"

namespace reduction {
namespace {

using Values = std::vector<float>;

/// The sum of `values` by a tree: halves are added until one is left.
float tree(Values values) {
  for (std::size_t size = values.size(); size > 1;) {
    const std::size_t half = (size + 1) / 2;
    for (std::size_t i = half; i < size; ++i) values[i - half] += values[i];
    size = half;
  }
  return values.empty() ? 0 : values[0];
}

/// `value` with `bits` of its fraction, the nearest: 7 is BF16, 10 are TF32 and,
/// as far as their range goes, FP16.
float rounded(float value, int bits) {
  const std::uint32_t unit = 1u << (23 - bits);
  const auto pattern = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((pattern + unit / 2) & ~(unit - 1));
}

class Sum : public testing::TestWithParam<std::vector<int>> {
 protected:
  rungs::Comparison check(float sum) { return sum_case.check({{"sum", {sum}}}); }
  /// What is summed.
  Values summed() const {
    const Values& x = sum_case.inputs().at("X");
    return {x.begin() + sum_case.shape()["first"], x.end()};
  }

  rungs::Case sum_case{problem().operation(),
                       problem().operation().shape(GetParam()), 1};
};

TEST_P(Sum, InAnyOrderIsTheSame) {
  Values values = summed();
  const float forward = std::accumulate(values.begin(), values.end(), 0.0F);
  EXPECT_TRUE(check(forward).passed);
  EXPECT_TRUE(check(std::accumulate(values.rbegin(), values.rend(), 0.0F)).passed);
  EXPECT_TRUE(check(tree(values)).passed);
  // The order that makes the largest partial sums.
  std::sort(values.begin(), values.end());
  const rungs::Comparison found = check(tree(values));
  EXPECT_TRUE(found.passed) << found.message;
  EXPECT_EQ(found.max_relative_error, 0);
}

TEST_P(Sum, IsOfWholeNumbersOfBothSigns) {
  const Values values = summed();
  for (const float value : values) {
    ASSERT_EQ(value, std::round(value));
    ASSERT_LE(std::abs(value), 8);
  }
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), -8);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 8);
}

TEST_P(Sum, WithoutOneElementFails) {
  const Values values = summed();
  const float sum = tree(values);
  for (const std::size_t at :
       {std::size_t{0}, values.size() / 2, values.size() - 1}) {
    if (values[at] == 0) continue;
    EXPECT_FALSE(check(sum - values[at]).passed) << at;
    EXPECT_FALSE(check(sum + values[at]).passed) << at << " twice";
  }
  EXPECT_FALSE(check(sum + 1).passed);
  EXPECT_FALSE(check(sum - 1).passed);
}

TEST_P(Sum, InLowerPrecisionFails) {
  const Values values = summed();
  for (const int bits : {7, 10}) {
    // A sum of 100000 stays below 2^11, where ten bits hold every whole number.
    if (bits == 10 && values.size() < 1 << 20) continue;
    float sum = 0;
    for (const float value : values) sum = rounded(sum + value, bits);
    EXPECT_FALSE(check(sum).passed) << bits;
  }
}

TEST_P(Sum, ThatNobodyWroteFails) {
  EXPECT_FALSE(check(std::nanf("")).passed);
  EXPECT_FALSE(check(INFINITY).passed);
  EXPECT_FALSE(check(0).passed);
}

INSTANTIATE_TEST_SUITE_P(Of, Sum,
                         testing::Values(std::vector{100000, 4},
                                         std::vector{(1 << 20) + 3, 0},
                                         std::vector{(1 << 20) + 3, 3}));

TEST(First, IsWhereTheSumStarts) {
  const rungs::Operation& operation = problem().operation();
  rungs::Case some(operation, operation.shape({9, 5}), 1);
  const Values& x = some.inputs().at("X");
  const float sum = x[5] + x[6] + x[7] + x[8];
  EXPECT_TRUE(some.check({{"sum", {sum}}}).passed);
  EXPECT_FALSE(some.check({{"sum", {sum + x[4] + 17}}}).passed);
}

TEST(NoElement, HasTheSumZero) {
  const rungs::Operation& operation = problem().operation();
  for (const std::vector<int>& sizes : {std::vector{0, 0}, {5, 5}, {5, 9}}) {
    rungs::Case none(operation, operation.shape(sizes), 1);
    EXPECT_TRUE(none.check({{"sum", {0.0F}}}).passed);
    EXPECT_FALSE(none.check({{"sum", {1.0F}}}).passed);
    EXPECT_FALSE(none.check({{"sum", {std::nanf("")}}}).passed);
  }
}

TEST(All, PartialSumsOfTheFullShapeStayFarBelowWhatFp32Holds) {
  // One in 2^8 of its elements; the sum of all of them is 2^4 times as far off
  // zero.
  const rungs::Operation& operation = problem().operation();
  const rungs::Case part(operation, operation.shape({1 << 20, 0}), 1);
  double sum = 0;
  double largest = 0;
  for (const float value : part.inputs().at("X")) {
    sum += value;
    largest = std::max(largest, std::abs(sum));
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(16 * 16 * largest, 0x1p24);
}

}  // namespace
}  // namespace reduction
