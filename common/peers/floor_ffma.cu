// The floor of arithmetic: as many FP32 multiply-adds as the operation, and nothing
// else, on every multiprocessor at once.
#include "floor_hashes.hpp"
#include "peers/floors.hpp"
#include "rung/peer.hpp"

namespace rungs::floors::ffma {

// A scheduler of a multiprocessor issues one warp's instruction a cycle, and a
// multiply-add's result can be used four cycles later. Eight warps a scheduler,
// each with eight chains that do not wait for one another, are sixteen times what
// is needed to issue a multiply-add in every cycle.
constexpr int threads = 256;
constexpr int blocks_per_multiprocessor = 4;
constexpr int chains = 8;

/// A chain counts exactly up to this in FP32.
constexpr std::int64_t most_of_a_chain = 1 << 24;

/// Each chain makes `Turns` multiply-adds.
template <int Turns>
__device__ void multiply_add(float (&chain)[chains], float factor, float summand) {
#pragma unroll
  for (int turn = 0; turn < Turns; ++turn) {
#pragma unroll
    for (int i = 0; i < chains; ++i) {
      chain[i] = __fmaf_rn(chain[i], factor, summand);
    }
  }
}

// [ffma]
/// Every thread makes `each` multiply-adds, the first `one_more` threads of the
/// grid make one more, and each writes how many it made. `one` is 1.
__global__ void __launch_bounds__(threads)
    floor_ffma(std::uint32_t* counts, std::int64_t each, std::int64_t one_more,
               float one) {
  // Both are 1, which turns the chains into counters. The compiler does not know
  // that a block has no second dimension, so it keeps them in registers as a kernel
  // keeps its operands.
  const float factor = one + threadIdx.y;
  const float summand = one + threadIdx.z;
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  int left = static_cast<int>(each + (thread < one_more ? 1 : 0));

  float chain[chains] = {};
#pragma unroll 1
  for (; left >= 64 * chains; left -= 64 * chains) {
    multiply_add<64>(chain, factor, summand);
  }
  // What is left over is less than a turn: finer turns first, then one by one.
#pragma unroll 1
  for (; left >= 8 * chains; left -= 8 * chains) {
    multiply_add<8>(chain, factor, summand);
  }
#pragma unroll 1
  for (; left >= chains; left -= chains) multiply_add<1>(chain, factor, summand);
#pragma unroll 1
  for (; left > 0; --left) chain[0] = __fmaf_rn(chain[0], factor, summand);

  std::uint32_t count = 0;
  for (int i = 0; i < chains; ++i) count += static_cast<std::uint32_t>(chain[i]);
  counts[thread] = count;
}
// [/ffma]

int blocks() { return multiprocessors() * blocks_per_multiprocessor; }
std::int64_t all_threads() { return std::int64_t{blocks()} * threads; }

std::string missing(const Operation& operation) {
  return operation.multiply_adds == nullptr
             ? "the work of this operation is not counted in multiply-adds"
             : "";
}

std::size_t scratch_bytes(const Operation&, const Shape&) {
  return static_cast<std::size_t>(all_threads()) * sizeof(std::uint32_t);
}

void launch(const Operation& operation, const Buffers& buffers, const Shape& shape,
            cudaStream_t stream) {
  const std::int64_t total = operation.multiply_adds(shape);
  const std::int64_t each = total / all_threads();
  const std::int64_t one_more = total % all_threads();
  floor_ffma<<<blocks(), threads, 0, stream>>>(
      static_cast<std::uint32_t*>(buffers.scratch()), each, one_more, 1.0f);
}

Comparison check(const Operation& operation, const Buffers& buffers,
                 const Shape& shape) {
  const std::int64_t total = operation.multiply_adds(shape);
  if (total / all_threads() >= chains * most_of_a_chain) {
    return bad(std::to_string(total) +
               " multiply-adds are more than its chains can count; give smaller "
               "sizes");
  }
  std::int64_t made = 0;
  for (const std::uint32_t count :
       scratch_words(buffers, static_cast<std::size_t>(all_threads()))) {
    made += count;
  }
  if (made == total) return good();
  return bad("its threads made " + std::to_string(made) + " multiply-adds, not " +
             std::to_string(total));
}

const rungs::Floor floor = rungs::Floor({
    .name = "floor-ffma",
    .source_hash = floor_ffma_hash,
    .work = {.multiply_adds = true},
    .missing = missing,
    .scratch_bytes = scratch_bytes,
    .launch = launch,
    .check = check,
});

}  // namespace rungs::floors::ffma
