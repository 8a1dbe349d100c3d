#pragma once

#include <cstdint>
#include <vector>

namespace rungs {

/// `count` numbers spread evenly over [low, high), the same on every machine.
///
/// Element i depends on `seed`, `stream` and i alone; two inputs of one operation
/// differ in their stream. In [-1, 1) values are multiples of 2^-23: exact in FP32,
/// and rounded by every lower precision, so that a kernel which computes in one is
/// found out.
std::vector<float> uniform(std::int64_t count, std::uint64_t seed,
                           std::uint64_t stream, float low, float high);

/// `count` whole numbers of low, low + 1, ..., high, each as often, the same on
/// every machine and by the same rule. `low` and `high` are whole, low <= high, and
/// both are below 2^24 in magnitude, so that each is exact.
std::vector<float> whole_numbers(std::int64_t count, std::uint64_t seed,
                                 std::uint64_t stream, float low, float high);

}  // namespace rungs
