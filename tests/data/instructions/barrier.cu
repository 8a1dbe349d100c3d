/// \file
/// Barriers with thread counts, reductions over a block, fences, and cp.async.
#include "form.cuh"

#define FAMILY "barrier"

namespace instructions::barrier {

// Every thread passes a word to the thread half a block away, behind a barrier.
#define EXCHANGE(NAME, THREADS, TEXT)                                        \
  LAUNCH_FORM(NAME, THREADS, 1, THREADS, __shared__ unsigned words[THREADS]; \
              words[tid] = in[tid % 1024]; asm volatile(TEXT ::              \
                                                            : "memory");     \
              out[tid] = words[(tid + THREADS / 2) % THREADS])
EXCHANGE("bar.sync 0", 128, "bar.sync 0;")
EXCHANGE("bar.sync 5", 128, "bar.sync 5;")
EXCHANGE("bar.sync 1, 128", 128, "bar.sync 1, 128;")
EXCHANGE("barrier.sync 2", 128, "barrier.sync 2;")
EXCHANGE("barrier.sync 3, 128", 128, "barrier.sync 3, 128;")
EXCHANGE("barrier.cta.sync.aligned 0", 128, "barrier.cta.sync.aligned 0;")
EXCHANGE("bar.warp.sync 0xffffffff", 32, "bar.warp.sync 0xffffffff;")
EXCHANGE("bar.sync 0 with 96 threads", 96, "bar.sync 0;")

// Register operands for number and count; two barriers by turns in a loop.
LAUNCH_FORM(
    "bar.sync by registers, two by turns", 64, 1, 64, __shared__ unsigned words[64];
    unsigned value = in[tid]; const unsigned threads = blockDim.x;
    for (unsigned turn = 0; turn < 6; ++turn) {
      words[tid] = value;
      asm volatile("bar.sync %0, %1;" ::"r"(1 + turn % 2), "r"(threads) : "memory");
      value += words[(tid + 33) % 64];
      asm volatile("bar.sync %0, %1;" ::"r"(3 + turn % 2), "r"(threads) : "memory");
    } out[tid] = value)

// Two warps of four meet at a barrier of their own; the others pass by.
LAUNCH_FORM(
    "bar.sync 4, 64 among half the warps", 128, 1, 128,
    __shared__ unsigned words[128];
    words[tid] = in[tid]; unsigned value = 0; if (tid < 64) {
      asm volatile("bar.sync 4, 64;" ::: "memory");
      value = words[63 - tid];
    } out[tid] = value)

// Producers arrive and go on, consumers wait: 64 threads each.
LAUNCH_FORM(
    "bar.arrive and bar.sync, 128", 64, 1, 128, __shared__ unsigned words[64];
    if (tid < 64) {
      words[tid] = in[tid] * 3;
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      out[tid - 64] = words[127 - tid];
    })

// Predicates: mixed, false in one thread only, true everywhere, false everywhere.
#define BLOCK_REDUCTION(NAME, TEXT)                                            \
  LAUNCH_FORM(                                                                 \
      NAME, 512, 1, 128, for (int n = 0; n < 4; ++n) {                         \
        const unsigned cases[4] = {in[tid] & 1, tid != 77, 1, 0};              \
        unsigned d;                                                            \
        asm volatile("{\n.reg .pred p, q;\nsetp.ne.u32 p, %1, 0;\n" TEXT "\n}" \
                     : "=r"(d)                                                 \
                     : "r"(cases[n])                                           \
                     : "memory");                                              \
        out[n * 128 + tid] = d;                                                \
      })
BLOCK_REDUCTION("bar.red.popc.u32", "bar.red.popc.u32 %0, 0, p;")
BLOCK_REDUCTION("bar.red.popc.u32 with count, !p",
                "bar.red.popc.u32 %0, 1, 128, !p;")
BLOCK_REDUCTION("bar.red.and.pred",
                "bar.red.and.pred q, 0, p;\nselp.u32 %0, 1, 0, q;")
BLOCK_REDUCTION("bar.red.or.pred",
                "bar.red.or.pred q, 0, p;\nselp.u32 %0, 1, 0, q;")
BLOCK_REDUCTION("bar.red.or.pred with count",
                "bar.red.or.pred q, 2, 128, p;\nselp.u32 %0, 1, 0, q;")

// Fences order memory and leave values alone.
#define FENCE(OP) EXCHANGE(OP, 64, OP ";\nbar.sync 0;")
FENCE("membar.cta")
FENCE("membar.gl")
FENCE("membar.sys")
FENCE("fence.acq_rel.cta")
FENCE("fence.acq_rel.gpu")
FENCE("fence.sc.gpu")

// cp.async: the tile is zeroed first, then copied, then read behind the wait.
#define COPY(NAME, BYTES, TEXT)                                             \
  LAUNCH_FORM(                                                              \
      NAME, 128, 1, 32, __shared__ alignas(16) unsigned tile[128];          \
      for (int i = 0; i < 4; ++i) tile[tid + i * 32] = 0xabababab;          \
      __syncthreads();                                                      \
      const auto to =                                                       \
          static_cast<unsigned>(__cvta_generic_to_shared(tile)) + tid * 16; \
      const auto from = __cvta_generic_to_global(in) + tid * (BYTES);       \
      asm volatile(TEXT ::"r"(to), "l"(from)                                \
                   : "memory");                                             \
      asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::      \
                       : "memory");                                         \
      __syncthreads();                                                      \
      for (int i = 0; i < 4; ++i) out[tid * 4 + i] = tile[tid * 4 + i])
COPY("cp.async.ca 4", 4, "cp.async.ca.shared.global [%0], [%1], 4;")
COPY("cp.async.ca 8", 8, "cp.async.ca.shared.global [%0], [%1], 8;")
COPY("cp.async.ca 16", 16, "cp.async.ca.shared.global [%0], [%1], 16;")
COPY("cp.async.cg 16", 16, "cp.async.cg.shared.global [%0], [%1], 16;")
COPY("cp.async.cg 16 with a prefetch hint", 16,
     "cp.async.cg.shared.global.L2::128B [%0], [%1], 16;")
COPY("cp.async.ca 4, source size 0", 4,
     "cp.async.ca.shared.global [%0], [%1], 4, 0;")
COPY("cp.async.ca 8, source size 4", 8,
     "cp.async.ca.shared.global [%0], [%1], 8, 4;")
COPY("cp.async.cg 16, source size 8", 16,
     "cp.async.cg.shared.global [%0], [%1], 16, 8;")
COPY("cp.async.cg 16, ignored source", 16,
     "{\n.reg .pred p;\nsetp.eq.u32 p, 0, 0;\n"
     "cp.async.cg.shared.global [%0], [%1], 16, p;\n}")

// Three groups in flight, the oldest awaited first; then wait_all without a commit.
LAUNCH_FORM(
    "cp.async wait_group 2, 1, 0 and wait_all", 128, 1, 32,
    __shared__ alignas(16) unsigned tile[4][32];
    const auto from = __cvta_generic_to_global(in) + tid * 4;
    for (int stage = 0; stage < 3; ++stage) {
      const auto to =
          static_cast<unsigned>(__cvta_generic_to_shared(&tile[stage][tid]));
      asm volatile(
          "cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" ::"r"(
              to),
          "l"(from + stage * 256)
          : "memory");
    } asm volatile("cp.async.wait_group 2;" ::
                       : "memory");
    __syncthreads(); out[tid] = tile[0][31 - tid];
    asm volatile("cp.async.wait_group 1;" ::
                     : "memory");
    __syncthreads(); out[32 + tid] = tile[1][31 - tid];
    const auto last =
        static_cast<unsigned>(__cvta_generic_to_shared(&tile[3][tid]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(last),
                 "l"(from + 768)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::
                     : "memory");
    __syncthreads(); out[64 + tid] = tile[2][31 - tid];
    out[96 + tid] = tile[3][31 - tid])

}  // namespace instructions::barrier
