#include "peers/floors.hpp"

#include <cuda_runtime_api.h>

#include "rung/cuda_error.hpp"

namespace rungs::floors {

int multiprocessors() {
  static const int count = [] {
    int device = 0;
    int value = 0;
    require(cudaGetDevice(&device), "cudaGetDevice");
    require(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device),
            "cudaDeviceGetAttribute");
    return value;
  }();
  return count;
}

std::vector<std::uint32_t> scratch_words(const Buffers& buffers,
                                         std::size_t count) {
  std::vector<std::uint32_t> words(count);
  require(cudaMemcpy(words.data(), buffers.scratch(), count * sizeof(words[0]),
                     cudaMemcpyDeviceToHost),
          "copying the scratch from the device");
  return words;
}

Comparison good() { return {.passed = true}; }
Comparison bad(const std::string& message) { return {.message = message}; }

}  // namespace rungs::floors
