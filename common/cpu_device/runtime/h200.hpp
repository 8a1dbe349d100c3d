/// \file
/// The numbers of an NVIDIA H200 that launches, occupancy and queries depend on.
/// Source: the CUDA C++ Programming Guide's table of compute capabilities,
/// column 9.0, and what cudaGetDeviceProperties reports for the card.
#pragma once

#include <cstdint>

namespace rungs::cpu_device::h200 {

inline constexpr uint32_t multiprocessors = 132;
inline constexpr uint32_t warp_size = 32;
inline constexpr uint32_t threads_per_block = 1024;
inline constexpr uint32_t most_block_xy = 1024;
inline constexpr uint32_t most_block_z = 64;
inline constexpr uint32_t most_grid_x = 2147483647;
inline constexpr uint32_t most_grid_yz = 65535;

inline constexpr uint32_t threads_per_multiprocessor = 2048;
inline constexpr uint32_t blocks_per_multiprocessor = 32;

inline constexpr uint32_t registers_per_block = 65536;
inline constexpr uint32_t registers_per_multiprocessor = 65536;
/// Registers are given to warps in units of this many.
inline constexpr uint32_t register_unit = 256;
/// A multiprocessor's four parts have a quarter of the registers each.
inline constexpr uint32_t parts = 4;

inline constexpr uint32_t shared_per_block = 48 * 1024;
inline constexpr uint32_t shared_per_block_opt_in = 227 * 1024;
inline constexpr uint32_t shared_per_multiprocessor = 228 * 1024;
/// What the system keeps of each block's shared memory.
inline constexpr uint32_t shared_reserved = 1024;
inline constexpr uint32_t shared_unit = 128;

inline constexpr uint32_t constant_bytes = 64 * 1024;
inline constexpr uint32_t l2_bytes = 62914560;

/// Where the card stood that the numbers were read from.
inline constexpr const char* pci_bus_id = "0000:00:06.0";
inline constexpr int pci_device_number = 6;

/// CUDA 13.0: the first driver that this runtime's programs run on.
inline constexpr int driver_version = 13000;

}  // namespace rungs::cpu_device::h200
