#include "peers/timing_stream.hpp"

#include "rung/cuda_error.hpp"

namespace rungs::cublas {

TimingStream::TimingStream() {
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
  cudaError_t made = cudaEventCreate(&start_);
  if (made == cudaSuccess) made = cudaEventCreate(&end_);
  if (made != cudaSuccess) {
    this->~TimingStream();
    require(made, "cudaEventCreate");
  }
}

TimingStream::~TimingStream() {
  // An error of one of these has been reported by the call that caused it.
  if (end_ != nullptr) static_cast<void>(cudaEventDestroy(end_));
  if (start_ != nullptr) static_cast<void>(cudaEventDestroy(start_));
  static_cast<void>(cudaStreamDestroy(stream_));
}

void TimingStream::wait() const {
  require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

double TimingStream::time(int count, const std::function<void()>& launch) const {
  require(cudaEventRecord(start_, stream_), "cudaEventRecord");
  for (int i = 0; i < count; ++i) launch();
  require(cudaEventRecord(end_, stream_), "cudaEventRecord");
  require(cudaEventSynchronize(end_), "cudaEventSynchronize");
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, start_, end_),
          "cudaEventElapsedTime");
  return 1000.0 * milliseconds / count;
}

}  // namespace rungs::cublas
