#include "check/parallel.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace rungs {

void in_parallel(int count, int grain, const std::function<void(int, int)>& work) {
  const int processors =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int grains = (count + grain - 1) / grain;
  const int step = (grains + processors - 1) / processors * grain;
  std::vector<std::jthread> threads;
  for (int begin = 0; begin < count; begin += step) {
    threads.emplace_back(
        [&work, begin, end = std::min(count, begin + step)] { work(begin, end); });
  }
}

}  // namespace rungs
