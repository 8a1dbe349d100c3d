#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/comparison.hpp"
#include "rung/buffers.hpp"

/// Kernels that do nothing but what an operation cannot do without: its
/// multiply-adds, its reads, its reads and writes. Their times are the floors that
/// a rung is compared with, measured in the same run and on the same buffers.
namespace rungs::floors {

/// Multiprocessors of the device of this process, asked once. Throws CudaError.
int multiprocessors();

/// The first `count` words of the scratch, from the device. Throws CudaError.
std::vector<std::uint32_t> scratch_words(const Buffers& buffers, std::size_t count);

/// A floor's own check found what must be there.
Comparison good();

/// It did not: `message` says what it found, in one sentence.
Comparison bad(const std::string& message);

}  // namespace rungs::floors
