#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "measure/own_stream.hpp"
#include "measure/span.hpp"

namespace rungs::cublas {

/// A stream of its own and the time that it takes, for a choice between algorithms
/// before anything is measured. Everything throws CudaError.
class TimingStream {
 public:
  /// Waits until the device is idle: what others have put into their streams is
  /// done.
  TimingStream();

  cudaStream_t get() const { return stream_; }
  void wait() const;

  /// Microseconds for one of `count` launches queued one behind the other.
  double time(int count, const std::function<void()>& launch);

 private:
  OwnStream stream_ = {};
  Span span_ = {};
};

}  // namespace rungs::cublas
