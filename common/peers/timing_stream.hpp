#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace rungs::cublas {

/// A stream of its own and two events, for a choice between algorithms before
/// anything is measured. Everything throws CudaError.
class TimingStream {
 public:
  /// Waits until the device is idle: what others have put into their streams is
  /// done.
  TimingStream();
  ~TimingStream();
  TimingStream(const TimingStream&) = delete;
  TimingStream& operator=(const TimingStream&) = delete;

  cudaStream_t get() const { return stream_; }
  void wait() const;

  /// Microseconds for one of `count` launches queued one behind the other.
  double time(int count, const std::function<void()>& launch) const;

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace rungs::cublas
