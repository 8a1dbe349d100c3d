#include "check/inputs.hpp"

namespace rungs {
namespace {

/// SplitMix64: a counter goes in, 64 well-mixed bits come out.
/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

std::vector<float> uniform(std::int64_t count, std::uint64_t seed,
                           std::uint64_t stream, float low, float high) {
  const std::uint64_t start = mix(mix(seed) ^ stream);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float unit = static_cast<float>(mix(start + i) >> 40) * 0x1p-24f;
    values[i] = low + (high - low) * unit;
  }
  return values;
}

std::vector<float> whole_numbers(std::int64_t count, std::uint64_t seed,
                                 std::uint64_t stream, float low, float high) {
  const std::uint64_t start = mix(mix(seed) ^ stream);
  const auto choices = static_cast<std::uint64_t>(high - low) + 1;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = low + static_cast<float>((mix(start + i) >> 32) * choices >> 32);
  }
  return values;
}

}  // namespace rungs
