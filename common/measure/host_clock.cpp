#include "measure/host_clock.hpp"

#include <chrono>

namespace rungs {
namespace {

class HostClock {
 public:
  std::int64_t nanoseconds() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() -
                                                                start_)
        .count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

Samples measure_awaited(Launches& launches, int samples) {
  return measure_queued(launches, samples, 1);
}

Samples measure_queued(Launches& launches, int samples, int batch) {
  Samples times;
  times.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i) {
    const HostClock clock;
    for (int launch = 0; launch < batch; ++launch) launches.next();
    launches.wait();
    times.push_back(clock.nanoseconds());
  }
  return times;
}

Samples measure_submit(Launches& launches, int samples) {
  Samples times;
  times.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i) {
    const HostClock clock;
    launches.next();
    times.push_back(clock.nanoseconds());
    launches.wait();
  }
  return times;
}

}  // namespace rungs
