// A cuBLAS for tests: it multiplies on the host, column-major as the library does,
// and writes down what it was asked.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "peers/cublas_api.hpp"

namespace fake {

/// Appends a line to the file that FAKE_CUBLAS_LOG names, if it names one.
inline void log(const std::string& line) {
  const char* const path = std::getenv("FAKE_CUBLAS_LOG");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%s\n", line.c_str());
  std::fclose(file);
}

/// C = alpha A B + beta C, column-major; beta = 0 does not read C.
inline void multiply(int m, int n, int k, float alpha, const float* a, long lda,
                     const float* b, long ldb, float beta, float* c, long ldc) {
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += a[row + i * lda] * b[i + col * ldb];
      float& out = c[row + col * ldc];
      out = beta == 0 ? alpha * sum : alpha * sum + beta * out;
    }
  }
}

}  // namespace fake
