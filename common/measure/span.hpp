#pragma once

#include <memory>

#include "measure/launches.hpp"
#include "measure/samples.hpp"

namespace rungs {

/// The time that a stream took between two points, by CUDA events.
class Span {
 public:
  /// Throws CudaError, as every method does.
  Span();

  void start(cudaStream_t stream);
  void stop(cudaStream_t stream);

  /// Waits for the second point. NaN on the CPU device, which never times.
  float milliseconds() const;

  /// The same; a nanosecond is below what a float of milliseconds tells apart.
  /// Throws Missing where there is no time.
  std::int64_t nanoseconds() const;

 private:
  struct Destroyed {
    void operator()(cudaEvent_t event) const;
  };
  using Event = std::unique_ptr<CUevent_st, Destroyed>;

  static Event create();

  Event first_;
  Event second_;
};

/// Events around one launch, and a wait after each: what the GPU's stream saw, the
/// start and the end of a kernel included.
Samples measure_span(Launches& launches, int samples);

}  // namespace rungs
