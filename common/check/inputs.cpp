#include "check/inputs.hpp"

#include <sys/mman.h>

#include "check/parallel.hpp"

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

/// Asks for pages of 2 MiB where they fit, before any is touched: a gigabyte is
/// then there in a fraction of the time. It is a wish, so a refusal is none.
void advise_large_pages(void* begin, std::size_t bytes) {
  constexpr std::uintptr_t large_page = 2 << 20;
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + large_page - 1) /
                     large_page * large_page;
  const auto end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
  if (first >= end) return;
  static_cast<void>(
      madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
}

/// `value_of` of 64 random bits for each element, on all processors.
template <class ValueOf>
std::vector<float> filled(std::int64_t count, std::uint64_t seed,
                          std::uint64_t stream, ValueOf value_of) {
  const std::uint64_t start = mix(mix(seed) ^ stream);
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count));
  advise_large_pages(values.data(), values.capacity() * sizeof(float));
  values.resize(static_cast<std::size_t>(count));
  const auto fill = [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin);
         i < static_cast<std::size_t>(end); ++i) {
      values[i] = value_of(mix(start + i));
    }
  };
  // A tensor has no more elements than an int counts: see refuse(). A thread is not
  // worth its start for few.
  in_parallel(static_cast<int>(count), 1 << 16, fill);
  return values;
}

}  // namespace

std::vector<float> uniform(std::int64_t count, std::uint64_t seed,
                           std::uint64_t stream, float low, float high) {
  return filled(count, seed, stream, [low, high](std::uint64_t bits) {
    const float unit = static_cast<float>(bits >> 40) * 0x1p-24f;
    return low + (high - low) * unit;
  });
}

std::vector<float> whole_numbers(std::int64_t count, std::uint64_t seed,
                                 std::uint64_t stream, float low, float high) {
  const auto choices = static_cast<std::uint64_t>(high - low) + 1;
  return filled(count, seed, stream, [low, choices](std::uint64_t bits) {
    return low + static_cast<float>((bits >> 32) * choices >> 32);
  });
}

}  // namespace rungs
