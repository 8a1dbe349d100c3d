#include "check/parallel.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace rungs {

void in_parallel(int count, int grain, const std::function<void(int, int)>& work) {
  const int processors =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  // 64 bits: the end of the last step may be beyond what an int counts.
  const std::int64_t grains = (std::int64_t{count} + grain - 1) / grain;
  const std::int64_t step = (grains + processors - 1) / processors * grain;
  std::vector<std::jthread> threads;
  for (std::int64_t begin = 0; begin < count; begin += step) {
    const std::int64_t end = std::min<std::int64_t>(count, begin + step);
    threads.emplace_back([&work, begin, end] {
      work(static_cast<int>(begin), static_cast<int>(end));
    });
  }
}

}  // namespace rungs
