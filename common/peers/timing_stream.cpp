#include "peers/timing_stream.hpp"

#include "rung/cuda_error.hpp"

namespace rungs::cublas {

TimingStream::TimingStream() {
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void TimingStream::wait() const {
  require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

double TimingStream::time(int count, const std::function<void()>& launch) {
  span_.start(stream_);
  for (int i = 0; i < count; ++i) launch();
  span_.stop(stream_);
  return 1000.0 * span_.milliseconds() / count;
}

}  // namespace rungs::cublas
