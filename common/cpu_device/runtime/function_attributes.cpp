#include "cpu_device/runtime/function_attributes.hpp"

#include <algorithm>

#include "cpu_device/runtime/h200.hpp"

namespace rungs::cpu_device {
namespace {

uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

uint64_t registers_of_warp(const RegisteredKernel& kernel) {
  return round_up(uint64_t{registers(kernel)} * h200::warp_size,
                  h200::register_unit);
}

uint64_t warps_of(uint64_t threads) {
  return round_up(threads, h200::warp_size) / h200::warp_size;
}

}  // namespace

uint32_t registers(const RegisteredKernel& kernel) {
  if (kernel.machine_code.registers != 0) return kernel.machine_code.registers;
  return std::clamp<uint32_t>(kernel.code->registers, 8, 255);
}

uint64_t registers_of_block(const RegisteredKernel& kernel, uint64_t threads) {
  return registers_of_warp(kernel) * round_up(warps_of(threads), h200::parts);
}

uint64_t dynamic_shared_limit(const RegisteredKernel& kernel) {
  if (kernel.dynamic_shared_limit >= 0) {
    return static_cast<uint64_t>(kernel.dynamic_shared_limit);
  }
  const uint32_t fixed = kernel.code->static_shared_bytes;
  return fixed < h200::shared_per_block ? h200::shared_per_block - fixed : 0;
}

unsigned resident_blocks(const RegisteredKernel& kernel, uint64_t threads,
                         uint64_t dynamic_shared_bytes) {
  if (threads == 0 || threads > h200::threads_per_block ||
      threads > kernel.code->max_threads) {
    return 0;
  }
  const uint64_t warps = warps_of(threads);
  uint64_t blocks = std::min<uint64_t>(
      h200::blocks_per_multiprocessor,
      h200::threads_per_multiprocessor / h200::warp_size / warps);

  // Each warp's registers come from the part of the multiprocessor that it runs on.
  if (registers_of_block(kernel, threads) > h200::registers_per_block) return 0;
  const uint64_t warps_per_part = h200::registers_per_multiprocessor / h200::parts /
                                  std::max<uint64_t>(registers_of_warp(kernel), 1);
  blocks = std::min(blocks, warps_per_part * h200::parts / warps);

  // A launch with more than the program opted in to is refused.
  if (dynamic_shared_bytes > dynamic_shared_limit(kernel)) return 0;
  const uint64_t shared = kernel.code->static_shared_bytes + dynamic_shared_bytes;
  if (shared > h200::shared_per_block_opt_in) return 0;
  const uint64_t taken =
      round_up(shared + h200::shared_reserved, h200::shared_unit);
  blocks = std::min(blocks, h200::shared_per_multiprocessor / taken);
  return static_cast<unsigned>(blocks);
}

}  // namespace rungs::cpu_device
