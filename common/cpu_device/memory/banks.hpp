/// \file
/// How the memory system of an H200 splits a warp's access: passes through the 32
/// banks of shared memory, 32-byte sectors of global memory. The bank rule was
/// found by comparing with Nsight Compute's wavefront and conflict counters;
/// tests/data holds the comparison.
#pragma once

#include <array>
#include <cstdint>

namespace rungs::cpu_device {

struct Wavefronts {
  uint32_t total = 0;
  uint32_t conflicts =
      0;  ///< total less one for each phase that has an active lane
};

/// Passes that one shared-memory instruction takes.
///
/// Lanes go in phases. A load of 4 bytes or less has one phase of 32 lanes. A load
/// of 8 bytes has 2 of 16, and one of 16 bytes 4 of 8; but half as many when each
/// active lane's address equals that of its neighbour i^1, or each that of i^2 (an
/// inactive partner counts as equal). Stores always have 1, 2, 4. A phase takes as
/// many wavefronts as the busiest of the 32 banks holds distinct 4-byte words.
/// \param address byte addresses; those of inactive lanes are not looked at
/// \param bytes a lane's access: 1, 2, 4, 8 or 16
Wavefronts shared_wavefronts(const std::array<uint32_t, 32>& address, uint32_t mask,
                             uint32_t bytes, bool store);

/// Distinct 32-byte sectors that one global-memory instruction touches.
/// \param delta byte addresses relative to `base`
uint32_t global_sectors(const std::array<int32_t, 32>& delta, uint64_t base,
                        uint32_t mask, uint32_t bytes);

/// Sectors of a local-memory instruction. Local memory is interleaved: the same
/// word of 32 lanes is contiguous (CUDA C++ Programming Guide, "Local Memory").
/// \param offset byte offsets in each lane's own local memory
uint32_t local_sectors(const std::array<uint32_t, 32>& offset, uint32_t mask,
                       uint32_t bytes);

}  // namespace rungs::cpu_device
