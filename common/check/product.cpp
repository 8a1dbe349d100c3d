#include "check/product.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "check/parallel.hpp"

namespace rungs {
namespace {

constexpr int tile_rows = 4;
constexpr int tile_cols = 8;

/// Eight columns; the compiler makes of it what the processor has.
using Columns = double __attribute__((vector_size(tile_cols * sizeof(double))));

/// Columns [col, col + 8) of b as K rows of eight, zeros past the last column.
std::vector<Columns> panel(std::span<const float> b, int col, int N, int K) {
  std::vector<Columns> result(static_cast<std::size_t>(K));
  for (int k = 0; k < K; ++k) {
    const float* row = &b[static_cast<std::size_t>(k) * N + col];
    Columns values{};
    for (int j = 0; j < std::min(tile_cols, N - col); ++j) values[j] = row[j];
    result[static_cast<std::size_t>(k)] = values;
  }
  return result;
}

}  // namespace

void product(std::span<const float> a, std::span<const float> b,
             std::span<double> c, int M, int N, int K) {
  in_parallel(N, tile_cols, [&](int first_col, int last_col) {
    for (int col = first_col; col < last_col; col += tile_cols) {
      const std::vector<Columns> b_panel = panel(b, col, N, K);
      for (int row = 0; row < M; row += tile_rows) {
        const float* a_row[tile_rows];
        for (int i = 0; i < tile_rows; ++i) {
          // Past the last row the last one is computed again and not stored.
          a_row[i] = &a[static_cast<std::size_t>(std::min(row + i, M - 1)) * K];
        }
        Columns sum[tile_rows] = {};
        for (int k = 0; k < K; ++k) {
          for (int i = 0; i < tile_rows; ++i) {
            sum[i] += static_cast<double>(a_row[i][k]) *
                      b_panel[static_cast<std::size_t>(k)];
          }
        }
        for (int i = 0; i < std::min(tile_rows, M - row); ++i) {
          double* out = &c[static_cast<std::size_t>(row + i) * N + col];
          for (int j = 0; j < std::min(tile_cols, N - col); ++j) out[j] = sum[i][j];
        }
      }
    }
  });
}

}  // namespace rungs
