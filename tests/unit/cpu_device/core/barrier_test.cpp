#include <gtest/gtest.h>

#include "cpu_device/fault.hpp"
#include "ptx_runner.hpp"

namespace rungs::cpu_device {
namespace {

FaultKind fault_of(const std::string& body, RunSetup setup) {
  try {
    run_ptx(kernel_text(body), setup);
  } catch (const Fault& fault) {
    return fault.kind();
  }
  ADD_FAILURE() << "no fault";
  return FaultKind::trap;
}

RunSetup threads(uint32_t count) {
  RunSetup setup;
  setup.block = {count, 1, 1};
  return setup;
}

TEST(Barrier, OrdersTheWarpsOfABlock) {
  RunSetup setup = threads(64);
  setup.checks = {true, true};
  const Outcome outcome = run_ptx(kernel_text(R"(
.shared .align 4 .b32 tile[64];
shl.b32 %r2, %r1, 2;
mov.u32 %r3, tile;
add.u32 %r4, %r3, %r2;
st.shared.u32 [%r4], %r1;
bar.sync 0;
xor.b32 %r5, %r2, 252;
add.u32 %r5, %r5, %r3;
ld.shared.u32 %r6, [%r5];
cvt.u64.u32 %rd2, %r2;
add.u64 %rd2, %rd2, %rd1;
st.global.u32 [%rd2], %r6;
)"),
                                  setup);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(outcome.words[i], 63 - i);
  EXPECT_EQ(outcome.counts.barriers, 2u);
}

TEST(Barrier, HalfAWarpAtABarrierIsAFault) {
  EXPECT_EQ(fault_of(R"(
setp.lt.u32 %p1, %r1, 16;
@%p1 bra $skip;
bar.sync 0;
$skip:
bar.sync 0;
)",
                     threads(32)),
            FaultKind::divergent_barrier);
}

TEST(Barrier, WarpsThatEndWithoutReachingItAreAFault) {
  EXPECT_EQ(
      fault_of("setp.ge.u32 %p1, %r1, 32;\n@%p1 ret;\nbar.sync 0;", threads(64)),
      FaultKind::divergent_barrier);
}

TEST(Barrier, TwoBarriersThatWaitForEachOtherAreAFault) {
  EXPECT_EQ(fault_of(R"(
setp.ge.u32 %p1, %r1, 32;
@%p1 bra $second;
bar.sync 1, 64;
$second:
bar.sync 2, 64;
)",
                     threads(64)),
            FaultKind::divergent_barrier);
}

TEST(Barrier, SomeWarpsMeetAtANamedOne) {
  RunSetup setup = threads(96);
  setup.checks = {true, true};
  const std::string text = kernel_text(R"(
.shared .align 4 .b32 word;
setp.ge.u32 %p1, %r1, 64;
@%p1 bra $end;
setp.ge.u32 %p2, %r1, 32;
@%p2 bra $consume;
st.shared.u32 [word], 9;
bar.arrive 3, 64;
bra $end;
$consume:
bar.sync 3, 64;
ld.shared.u32 %r2, [word];
st.global.u32 [%rd1], %r2;
$end:
)");
  EXPECT_EQ(run_ptx(text, setup).words[0], 9u);
}

TEST(Barrier, ReductionsSeeEveryThread) {
  const Outcome outcome = run_ptx(kernel_text(R"(
setp.lt.u32 %p1, %r1, 40;
bar.red.popc.u32 %r2, 0, %p1;
bar.red.and.pred %p2, 0, %p1;
bar.red.or.pred %p3, 0, %p1;
selp.u32 %r3, 1, 0, %p2;
selp.u32 %r4, 1, 0, %p3;
st.global.u32 [%rd1], %r2;
st.global.u32 [%rd1+4], %r3;
st.global.u32 [%rd1+8], %r4;
)"),
                                  threads(64));
  EXPECT_EQ(outcome.words[0], 40u);
  EXPECT_EQ(outcome.words[1], 0u);
  EXPECT_EQ(outcome.words[2], 1u);
}

}  // namespace
}  // namespace rungs::cpu_device
