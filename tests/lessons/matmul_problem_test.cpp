// The tolerance of matrix multiply: wide enough for FP32 in any order, too narrow
// for less.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "check/case.hpp"
#include "lessons/matmul/matmul.hpp"

namespace matmul {
namespace {

using Matrix = std::vector<float>;

constexpr int M = 64;
constexpr int N = 96;

class Precision : public testing::TestWithParam<int> {
 protected:
  rungs::Comparison check(const Matrix& c) {
    return product_case.check({{"C", c}});
  }

  /// Inputs rounded to nearest without their last `dropped` bits, summed without
  /// error.
  Matrix with_rounded_inputs(int dropped) const {
    const auto rounded = [dropped](Matrix values) {
      for (float& value : values) {
        const std::uint32_t bits =
            std::bit_cast<std::uint32_t>(value) + (1u << (dropped - 1));
        value = std::bit_cast<float>(bits & ~((1u << dropped) - 1));
      }
      return values;
    };
    std::vector<double> c(M * N);
    rungs::product(rounded(a), rounded(b), c, M, N, K);
    return {c.begin(), c.end()};
  }

  const int K = GetParam();
  rungs::Case product_case{problem().operation(),
                           problem().operation().shape({M, N, K}), 1};
  const Matrix& a = product_case.inputs().at("A");
  const Matrix& b = product_case.inputs().at("B");
};

TEST_P(Precision, OfFp32SummedInOrderPassesWithRoom) {
  Matrix c(M * N);
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < N; ++col) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum = std::fma(a[row * K + k], b[k * N + col], sum);
      c[row * N + col] = sum;
    }
  }
  const rungs::Comparison found = check(c);
  EXPECT_TRUE(found.passed) << found.message;
  EXPECT_LT(found.max_relative_error, found.tolerance / 2);
}

TEST_P(Precision, OfTf32InputsFailsByFar) {
  const rungs::Comparison found = check(with_rounded_inputs(13));
  EXPECT_FALSE(found.passed);
  EXPECT_GT(found.max_relative_error, 50 * found.tolerance);
}

TEST_P(Precision, OfBf16InputsFailsByFar) {
  const rungs::Comparison found = check(with_rounded_inputs(16));
  EXPECT_FALSE(found.passed);
  EXPECT_GT(found.max_relative_error, 500 * found.tolerance);
}

INSTANTIATE_TEST_SUITE_P(AtDepth, Precision, testing::Values(32, 64, 192, 1024));

TEST(WholeTiles, StateTheTileAndTheGridsLimit) {
  const std::vector<rungs::SizeRule> rules = whole_tiles(128, 64, 32);
  const rungs::Operation& operation = problem().operation();
  const auto refusal = [&](int m, int n, int k) {
    return rungs::refuse("tile", rules, operation.shape({m, n, k}));
  };
  EXPECT_EQ(refusal(128, 64, 32), "");
  EXPECT_EQ(refusal(65535 * 128, 64, 32), "");
  EXPECT_NE(refusal(65536 * 128, 64, 32).find("more than the grid"),
            std::string::npos);
  EXPECT_NE(refusal(64, 64, 32).find("M = 64"), std::string::npos);
  EXPECT_NE(refusal(128, 32, 32).find("N = 32"), std::string::npos);
  EXPECT_NE(refusal(128, 64, 16).find("K = 16"), std::string::npos);
}

TEST(WholeTiles, CanAskForMoreThanOneStep) {
  const std::vector<rungs::SizeRule> rules = whole_tiles(64, 64, 64, 2);
  const rungs::Operation& operation = problem().operation();
  EXPECT_EQ(rungs::refuse("tile", rules, operation.shape({64, 64, 128})), "");
  EXPECT_EQ(rungs::refuse("tile", rules, operation.shape({64, 64, 64})),
            "tile: K = 64 is less than 128; the nearest good K is 128");
}

}  // namespace
}  // namespace matmul
