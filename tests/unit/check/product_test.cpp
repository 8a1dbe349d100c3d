#include "check/product.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "check/inputs.hpp"
#include "check/parallel.hpp"

namespace rungs {
namespace {

/// Compares with the definition.
void expect_product(int M, int N, int K) {
  const std::vector<float> a = uniform(std::int64_t{M} * K, 3, 0, -1, 1);
  const std::vector<float> b = uniform(std::int64_t{K} * N, 3, 1, -1, 1);
  std::vector<double> c(static_cast<std::size_t>(M) * N, -1.0);
  product(a, b, c, M, N, K);
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < N; ++col) {
      double sum = 0;
      for (int k = 0; k < K; ++k) sum += double{a[row * K + k]} * b[k * N + col];
      ASSERT_NEAR(c[row * N + col], sum, 1e-14) << row << ", " << col;
    }
  }
}

TEST(Product, IsRightForWholeTiles) { expect_product(8, 16, 32); }
TEST(Product, IsRightForRemainders) { expect_product(7, 13, 5); }
TEST(Product, IsRightForOneElement) { expect_product(1, 1, 1); }
TEST(Product, IsRightForManyThreads) { expect_product(3, 1000, 17); }

TEST(InParallel, CoversEachIndexOnce) {
  for (const int count : {0, 1, 7, 8, 9, 1000}) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
    in_parallel(count, 8, [&](int begin, int end) {
      EXPECT_EQ(begin % 8, 0);
      for (int i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    for (const std::atomic<int>& times : seen) EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace rungs
