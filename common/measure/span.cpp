#include "measure/span.hpp"

#include <cmath>

#include "measure/missing.hpp"

namespace rungs {

void Span::Destroyed::operator()(cudaEvent_t event) const {
  // Nothing is left to do about an error here.
  static_cast<void>(cudaEventDestroy(event));
}

Span::Event Span::create() {
  cudaEvent_t event = nullptr;
  require(cudaEventCreate(&event), "cudaEventCreate");
  return Event(event);
}

Span::Span() : first_(create()), second_(create()) {}

void Span::start(cudaStream_t stream) {
  require(cudaEventRecord(first_.get(), stream), "cudaEventRecord");
}

void Span::stop(cudaStream_t stream) {
  require(cudaEventRecord(second_.get(), stream), "cudaEventRecord");
}

float Span::milliseconds() const {
  require(cudaEventSynchronize(second_.get()), "cudaEventSynchronize");
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, first_.get(), second_.get()),
          "cudaEventElapsedTime");
  return milliseconds;
}

std::int64_t Span::nanoseconds() const {
  const double time = milliseconds();
  if (!std::isfinite(time)) throw Missing("CUDA gave no time by its events");
  return std::llround(time * 1e6);
}

Samples measure_span(Launches& launches, int samples) {
  Span span;
  Samples times;
  for (int i = 0; i < samples; ++i) {
    span.start(launches.stream());
    launches.next();
    span.stop(launches.stream());
    times.push_back(span.nanoseconds());
    launches.wait();
  }
  return times;
}

}  // namespace rungs
