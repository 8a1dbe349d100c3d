/// \file
/// What the controls share: every one is a kernel with one mistake, marked `//
/// mistake` at the line that must be named, and the same kernel mended.
///
/// A control's program runs the mistake; with --mended it runs the other and checks
/// what it computes. It exits 0 only if that is right, 1 if CUDA reports an error
/// or a value is wrong, 77 if the device lacks an instruction.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace control {

inline bool wants_mended(int argc, char** argv) {
  if (argc == 1) return false;
  if (argc == 2 && std::strcmp(argv[1], "--mended") == 0) return true;
  std::fprintf(stderr, "unknown option '%s': use --mended or nothing\n", argv[1]);
  std::exit(2);
}

inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNotSupported ? 77 : 1);
}

/// Device memory, zeroed.
template <class Element>
class Buffer {
 public:
  explicit Buffer(int count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(Element)));
    check(cudaMemset(data_, 0, count * sizeof(Element)));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

  Element* data() const { return data_; }
  int count() const { return count_; }

  std::vector<Element> read() const {
    std::vector<Element> host(count_);
    check(cudaMemcpy(host.data(), data_, count_ * sizeof(Element),
                     cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  Element* data_ = nullptr;
  int count_ = 0;
};

/// A buffer that holds 0, 1, 2, ...
inline void fill_ascending(const Buffer<int>& buffer) {
  std::vector<int> values(buffer.count());
  for (int i = 0; i < buffer.count(); ++i) values[i] = i;
  check(cudaMemcpy(buffer.data(), values.data(), values.size() * sizeof(int),
                   cudaMemcpyHostToDevice));
}

/// Waits for the kernel; then 0 if result[i] == expected(i) for every i, else 1.
template <class Expected>
int finish(const Buffer<int>& result, Expected expected) {
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  const std::vector<int> values = result.read();
  for (int i = 0; i < result.count(); ++i) {
    if (values[i] != expected(i)) {
      std::fprintf(stderr, "result[%d] is %d, not %d\n", i, values[i], expected(i));
      return 1;
    }
  }
  return 0;
}

}  // namespace control
