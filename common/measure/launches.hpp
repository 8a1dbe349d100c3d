#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "rung/cuda_error.hpp"

namespace rungs {

/// The launches of one operation, one after another, in one stream. Launch i works
/// on buffer set i, modulo the number of sets.
class Launches {
 public:
  /// Puts one operation into the stream. Throws std::exception if it cannot.
  using Launch = std::function<void(int index, cudaStream_t stream)>;

  Launches(Launch launch, cudaStream_t stream)
      : launch_(std::move(launch)), stream_(stream) {}

  cudaStream_t stream() const { return stream_; }

  /// The next launch and nothing else: what an instrument takes the time of.
  void next() { launch_(index_++, stream_); }

  /// Waits for all of them. Throws CudaError if one could not start or did not end
  /// well.
  void wait() const {
    const cudaError_t ended = cudaStreamSynchronize(stream_);
    require(cudaGetLastError(), "the launch");
    require(ended, "the kernel");
  }

  /// Ten launches and a wait, before anything is timed.
  void warm_up() {
    for (int i = 0; i < 10; ++i) next();
    wait();
  }

 private:
  Launch launch_;
  cudaStream_t stream_;
  int index_ = 0;
};

}  // namespace rungs
