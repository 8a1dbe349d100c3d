// How far a sum of 2^28 floats is off, by the order of its additions and by how
// many running sums share the work. It runs on the host alone; docs/float-sums.md
// shows what it prints, and a test holds the two together.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "check/inputs.hpp"

namespace {

constexpr std::size_t count = std::size_t{1} << 28;

/// Halves the sums until one is left: the upper half is added to the lower one. An
/// odd one waits for the next turn.
float tree(std::vector<float> sums) {
  while (sums.size() > 1) {
    const std::size_t kept = (sums.size() + 1) / 2;
    for (std::size_t i = 0; i + kept < sums.size(); ++i) sums[i] += sums[i + kept];
    sums.resize(kept);
  }
  return sums.front();
}

/// `width` running sums; element i goes to the one of number i modulo width, as a
/// grid of so many threads takes it. Then a tree over them.
float running(const std::vector<float>& x, std::size_t width) {
  std::vector<float> sums(width, 0.0F);
  for (std::size_t row = 0; row < x.size(); row += width) {
    const std::size_t columns = std::min(width, x.size() - row);
    for (std::size_t i = 0; i < columns; ++i) sums[i] += x[row + i];
  }
  return tree(std::move(sums));
}

double exact(const std::vector<float>& x) {
  double sum = 0;
  for (const float value : x) sum += value;
  return sum;
}

void report(const char* order, float sum, double right) {
  std::printf("  %-32s %15.1f   %8.1e\n", order, double{sum},
              std::abs(sum - right) / right);
}

void report_all(const char* title, const std::vector<float>& x) {
  const double right = exact(x);
  std::printf("%s: %.1f\n", title, right);
  std::printf("  %-32s %15s   %8s\n", "order", "FP32 sum", "off by");
  report("1 running sum", running(x, 1), right);
  report("8 running sums", running(x, 8), right);
  report("32, one warp", running(x, 32), right);
  report("1,024, one block", running(x, 1024), right);
  report("33,792, a block a multiprocessor", running(x, 132 * 256), right);
  report("270,336, eight of them", running(x, 132 * 8 * 256), right);
  report("a tree from the first addition", tree(x), right);
}

}  // namespace

int main() {
  report_all("2^28 ones", std::vector<float>(count, 1.0F));
  report_all("2^28 floats spread over [0, 1)",
             rungs::uniform(count, 1, 0, 0.0F, 1.0F));
  return 0;
}
