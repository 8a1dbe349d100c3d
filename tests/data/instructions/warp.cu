/// \file
/// Instructions by which the lanes of a warp talk: shuffles, votes, matches, redux.
#include "form.cuh"

#define FAMILY "warp"

namespace instructions::warp {

// Lane values are lane-dependent and unlike each other; `in` is patterned.
#define LANE_VALUE (in[tid] ^ (tid * 0x01010101u))

// For each distance 0, 1, 2, 3, 7, 16, 31, 33: the value and whether it was in
// range.
#define SHUFFLE(MODE, C)                                         \
  LAUNCH_FORM(                                                   \
      "shfl.sync." MODE ".b32 d|p, c = " #C, 512, 1, 32,         \
      const unsigned value = LANE_VALUE;                         \
      const unsigned distances[8] = {0, 1, 2, 3, 7, 16, 31, 33}; \
      for (int n = 0; n < 8; ++n) {                              \
        unsigned d;                                              \
        unsigned in_range;                                       \
        asm volatile(                                            \
            "{\n.reg .pred p;\n"                                 \
            "shfl.sync." MODE                                    \
            ".b32 %0|p, %2, %3, %4, 0xffffffff;\n"               \
            "selp.u32 %1, 1, 0, p;\n}"                           \
            : "=r"(d), "=r"(in_range)                            \
            : "r"(value), "r"(distances[n]), "r"(C));            \
        out[n * 64 + tid * 2] = d;                               \
        out[n * 64 + tid * 2 + 1] = in_range;                    \
      })
#define SHUFFLE_WIDTHS(MODE, CLAMP)       \
  SHUFFLE(MODE, CLAMP)                    \
  SHUFFLE(MODE, ((32 - 16) << 8 | CLAMP)) \
  SHUFFLE(MODE, ((32 - 8) << 8 | CLAMP))  \
  SHUFFLE(MODE, ((32 - 2) << 8 | CLAMP))  \
  SHUFFLE(MODE, ((32 - 1) << 8 | CLAMP))
SHUFFLE_WIDTHS("up", 0)
SHUFFLE_WIDTHS("down", 0x1f)
SHUFFLE_WIDTHS("bfly", 0x1f)
SHUFFLE_WIDTHS("idx", 0x1f)
// Clamps that are no segment's end.
SHUFFLE("up", 5)
SHUFFLE("down", 9)
SHUFFLE("bfly", 9)
SHUFFLE("idx", 9)
LAUNCH_FORM("shfl.sync.idx.b32, source by lane", 32, 1, 32, unsigned d;
            asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                         : "=r"(d)
                         : "r"(LANE_VALUE), "r"(tid * 7 + 3));
            out[tid] = d)
LAUNCH_FORM(
    "shfl.sync.bfly.b32 among the lower half", 32, 1, 32, out[tid] = 0;
    if (tid < 16) {
      unsigned d;
      asm volatile("shfl.sync.bfly.b32 %0, %1, 5, 0x1f, 0x0000ffff;"
                   : "=r"(d)
                   : "r"(LANE_VALUE));
      out[tid] = d;
    })
LAUNCH_FORM(
    "shfl.sync.down.b32 in both sides of a branch", 32, 1, 32, unsigned d;
    if (tid % 2 == 0) {
      asm volatile("shfl.sync.down.b32 %0, %1, 2, 0x1f, 0x55555555;"
                   : "=r"(d)
                   : "r"(LANE_VALUE));
    } else {
      asm volatile("shfl.sync.up.b32 %0, %1, 2, 0, 0xaaaaaaaa;"
                   : "=r"(d)
                   : "r"(LANE_VALUE));
    } out[tid] = d)

// Votes over predicates that are true for: none, all, one lane, odd lanes, a
// mixture.
#define PREDICATE_CASES \
  const unsigned cases[5] = {0u, 0xffffffffu, 0x00020000u, 0xaaaaaaaau, 0x9d3c60b5u}
#define VOTE(NAME, TEXT)                                                       \
  LAUNCH_FORM(                                                                 \
      "vote.sync." NAME, 160, 1, 32, PREDICATE_CASES;                          \
      for (int n = 0; n < 5; ++n) {                                            \
        const unsigned bit = cases[n] >> tid & 1u;                             \
        unsigned d;                                                            \
        asm volatile("{\n.reg .pred p, q;\nsetp.ne.u32 p, %1, 0;\n" TEXT "\n}" \
                     : "=r"(d)                                                 \
                     : "r"(bit));                                              \
        out[n * 32 + tid] = d;                                                 \
      })
VOTE("all.pred", "vote.sync.all.pred q, p, 0xffffffff;\nselp.u32 %0, 1, 0, q;")
VOTE("any.pred", "vote.sync.any.pred q, p, 0xffffffff;\nselp.u32 %0, 1, 0, q;")
VOTE("uni.pred", "vote.sync.uni.pred q, p, 0xffffffff;\nselp.u32 %0, 1, 0, q;")
VOTE("all.pred !p", "vote.sync.all.pred q, !p, 0xffffffff;\nselp.u32 %0, 1, 0, q;")
VOTE("ballot.b32", "vote.sync.ballot.b32 %0, p, 0xffffffff;")
VOTE("ballot.b32 !p", "vote.sync.ballot.b32 %0, !p, 0xffffffff;")
LAUNCH_FORM("vote.sync.ballot.b32 among five lanes", 32, 1, 32, out[tid] = 0;
            if (tid < 5) out[tid] = __ballot_sync(0x1f, in[tid] & 1))
LAUNCH_FORM("vote.sync.all.pred among odd lanes", 32, 1, 32, out[tid] = 7;
            if (tid & 1) out[tid] = __all_sync(0xaaaaaaaau, in[tid] != 0))

// Values with few, all and no repeats.
#define MATCH_VALUES                                            \
  const unsigned values[3] = {in[tid % 5] + tid % 3, 0xabcdefu, \
                              in[tid] + tid * 77777u}
LAUNCH_FORM(
    "match.any.sync.b32", 96, 1, 32, MATCH_VALUES; for (int n = 0; n < 3; ++n) {
      unsigned d;
      asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;"
                   : "=r"(d)
                   : "r"(values[n]));
      out[n * 32 + tid] = d;
    })
LAUNCH_FORM(
    "match.any.sync.b64", 96, 1, 32, MATCH_VALUES; for (int n = 0; n < 3; ++n) {
      unsigned d;
      const unsigned long long wide =
          values[n] | (static_cast<unsigned long long>(tid & 1) << 40);
      asm volatile("match.any.sync.b64 %0, %1, 0xffffffff;" : "=r"(d) : "l"(wide));
      out[n * 32 + tid] = d;
    })
LAUNCH_FORM(
    "match.all.sync.b32 d|p", 192, 1, 32, MATCH_VALUES;
    for (int n = 0; n < 3; ++n) {
      unsigned d;
      unsigned all;
      asm volatile(
          "{\n.reg .pred p;\nmatch.all.sync.b32 %0|p, %2, 0xffffffff;\n"
          "selp.u32 %1, 1, 0, p;\n}"
          : "=r"(d), "=r"(all)
          : "r"(values[n]));
      out[n * 64 + tid * 2] = d;
      out[n * 64 + tid * 2 + 1] = all;
    })
LAUNCH_FORM(
    "match.all.sync.b64 d|p", 192, 1, 32, MATCH_VALUES;
    for (int n = 0; n < 3; ++n) {
      unsigned d;
      unsigned all;
      const unsigned long long wide = values[n] | (7ull << 40);
      asm volatile(
          "{\n.reg .pred p;\nmatch.all.sync.b64 %0|p, %2, 0xffffffff;\n"
          "selp.u32 %1, 1, 0, p;\n}"
          : "=r"(d), "=r"(all)
          : "l"(wide));
      out[n * 64 + tid * 2] = d;
      out[n * 64 + tid * 2 + 1] = all;
    })

LAUNCH_FORM(
    "activemask.b32 in branches", 64, 1, 32, unsigned mask;
    asm volatile("activemask.b32 %0;"
                 : "=r"(mask));
    out[tid] = mask; out[32 + tid] = 0; if (tid < 5) {
      asm volatile("activemask.b32 %0;" : "=r"(mask));
      out[32 + tid] = mask;
    })

// Two bits that every lane has, so that an and is not zero.
#define COMMON_BITS (LANE_VALUE | 0x00400100u)
#define REDUX(OP)                                            \
  LAUNCH_FORM(                                               \
      "redux.sync." OP, 64, 1, 32, unsigned d;               \
      asm volatile("redux.sync." OP " %0, %1, 0xffffffff;"   \
                   : "=r"(d)                                 \
                   : "r"(COMMON_BITS));                      \
      out[tid] = d; out[32 + tid] = 0; if (tid % 4 == 1) {   \
        asm volatile("redux.sync." OP " %0, %1, 0x22222222;" \
                     : "=r"(d)                               \
                     : "r"(COMMON_BITS));                    \
        out[32 + tid] = d;                                   \
      })
REDUX("add.u32")
REDUX("add.s32")
REDUX("min.u32")
REDUX("min.s32")
REDUX("max.u32")
REDUX("max.s32")
REDUX("and.b32")
REDUX("or.b32")
REDUX("xor.b32")

// A warp that has fewer than 32 threads: the missing lanes never take part.
LAUNCH_FORM("ballot, any and redux in a block of 20 threads", 60, 1, 20,
            out[tid] = __ballot_sync(0xfffff, in[tid] & 1);
            out[20 + tid] = __any_sync(0xfffff, tid == 19);
            out[40 + tid] = __reduce_add_sync(0xfffff, in[tid]))

}  // namespace instructions::warp
