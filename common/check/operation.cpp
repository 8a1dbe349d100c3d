#include "check/operation.hpp"

#include <fstream>
#include <limits>

namespace rungs {
namespace {

/// 12.3, for the sentences below.
std::string gigabytes(double bytes) {
  std::string text = std::to_string(bytes / 1e9);
  return text.substr(0, text.find('.') + 2);
}

}  // namespace

std::string refuse(const Operation& operation, const Shape& shape,
                   double available_bytes) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  double needed = 0;
  std::string too_large;
  // An input and an output stand in the host's memory and the device's, which on
  // the CPU device is the host's too; an output has a float64 reference besides.
  const auto add = [&](const auto& tensor, double bytes_each) {
    const std::int64_t count = element_count(shape, tensor.extents);
    needed += static_cast<double>(count) * bytes_each;
    if (count > most && too_large.empty()) {
      too_large = tensor.name + " has more elements than " + std::to_string(most) +
                  " at " + shape.text() +
                  "; kernels index with 32 bits, so give smaller sizes";
    }
  };
  for (const Input& input : operation.inputs) add(input, 2 * sizeof(float));
  for (const Output& output : operation.outputs) {
    add(output, 2 * sizeof(float) + sizeof(double));
  }
  if (!too_large.empty()) return too_large;
  if (needed > available_bytes) {
    return shape.text() + " needs " + gigabytes(needed) + " GB of memory and " +
           gigabytes(available_bytes) + " GB are free; give smaller sizes";
  }
  return "";
}

std::string wrong_sizes(const Operation& operation, const std::vector<int>& sizes) {
  const std::size_t count = operation.sizes.size();
  bool right = sizes.size() == count;
  bool positive = true;
  std::string least;
  for (std::size_t i = 0; i < count; ++i) {
    right = right && sizes[i] >= operation.least_of(i);
    positive = positive && operation.least_of(i) == 1;
    least += (i == 0 ? "" : ", ") + std::to_string(operation.least_of(i));
  }
  if (right) return "";
  if (positive) return "is not " + std::to_string(count) + " positive sizes";
  return "is not " + std::to_string(count) + " sizes of at least " + least;
}

double available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    double kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace rungs
