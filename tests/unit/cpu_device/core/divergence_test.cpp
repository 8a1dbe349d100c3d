#include <gtest/gtest.h>

#include "cpu_device/fault.hpp"
#include "ptx_runner.hpp"

namespace rungs::cpu_device {
namespace {

const std::string store_r2 =
    "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2], %r2;\n";

TEST(Divergence, LanesThatLoopDifferentlyOftenMeetAgain) {
  const Outcome outcome = run_ptx(kernel_text(R"(
mov.u32 %r2, 0;
$loop:
setp.ge.u32 %p1, %r2, %r1;
@%p1 bra $done;
add.u32 %r2, %r2, 1;
bra $loop;
$done:
activemask.b32 %r3;
)" + store_r2 + "st.global.u32 [%rd1+128], %r3;"));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i);
  EXPECT_EQ(outcome.words[32], 0xFFFFFFFFu) << "the lanes are one group again";
}

TEST(Divergence, BothSidesOfABranchCountTheirOwnLanes) {
  const Outcome outcome = run_ptx(kernel_text(R"(
mov.f32 %f1, 0f3F800000;
setp.lt.u32 %p1, %r1, 10;
@%p1 bra $few;
fma.rn.f32 %f1, %f1, %f1, %f1;
fma.rn.f32 %f1, %f1, %f1, %f1;
bra $end;
$few:
fma.rn.f32 %f1, %f1, %f1, %f1;
$end:
)"));
  EXPECT_EQ(outcome.counts.multiply_adds, 10u + 2 * 22u);
}

// Where a branch sends a lane says nothing about whether the lane took part in it.
TEST(Divergence, ABranchNotTakenHasAllItsLanes) {
  const Outcome outcome = run_ptx(kernel_text(R"(
setp.gt.u32 %p1, %r1, 99;
@%p1 bra $end;
$end:
ret;
)"));
  EXPECT_EQ(outcome.counts.thread_instructions,
            32 * outcome.counts.warp_instructions);
}

TEST(Divergence, ABranchTableSendsEachLaneItsOwnWay) {
  const Outcome outcome = run_ptx(kernel_text(R"(
and.b32 %r3, %r1, 3;
$table: .branchtargets $a, $b, $c, $a;
brx.idx %r3, $table;
$a: mov.u32 %r2, 10; bra $end;
$b: mov.u32 %r2, 20; bra $end;
$c: mov.u32 %r2, 30;
$end:
)" + store_r2));
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(outcome.words[i], i % 4 == 1 ? 20u : i % 4 == 2 ? 30u : 10u);
  }
}

// A shuffle names lanes that are still elsewhere: it waits for them.
TEST(Divergence, AWarpSynchronousInstructionWaitsForTheLanesItNames) {
  const Outcome outcome = run_ptx(kernel_text(R"(
mov.u32 %r2, %r1;
setp.lt.u32 %p1, %r1, 16;
@%p1 bra $sync;
add.u32 %r2, %r2, 100;
$sync:
shfl.sync.bfly.b32 %r2, %r2, 16, 31, -1;
)" + store_r2));
  EXPECT_EQ(outcome.words[0], 116u);
  EXPECT_EQ(outcome.words[16], 0u);
}

TEST(Divergence, LanesThatWaitForEachOtherAtDifferentPlacesAreAFault) {
  try {
    run_ptx(kernel_text(R"(
setp.lt.u32 %p1, %r1, 16;
@%p1 bra $other;
shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;
bra $end;
$other:
shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;
$end:
)"));
    FAIL() << "ran to its end";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::divergent_barrier) << fault.what();
  }
}

// Warp 0 spins on shared memory that warp 1 writes: warp 1 gets its turn.
TEST(Divergence, AWarpThatSpinsLetsTheOthersRun) {
  const std::string spin = kernel_text(R"(
.shared .align 4 .b32 flag;
setp.ge.u32 %p1, %r1, 32;
@%p1 bra $write;
$spin:
ld.volatile.shared.u32 %r2, [flag];
setp.ne.u32 %p2, %r2, 7;
@%p2 bra $spin;
bra $end;
$write:
mov.u32 %r3, 7;
st.volatile.shared.u32 [flag], %r3;
$end:
)");
  RunSetup setup;
  setup.block = {64, 1, 1};
  setup.budget = 100'000'000;
  EXPECT_NO_THROW(run_ptx(spin, setup));
}

TEST(Divergence, ASpinThatNeverEndsIsStoppedByTheBudget) {
  try {
    run_ptx(kernel_text("$forever:\nbra $forever;"));
    FAIL() << "ran to its end";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::budget) << fault.what();
  }
}

TEST(Divergence, ThreadsThatEndEarlyLeaveTheRestOfTheirWarpRunning) {
  const Outcome outcome = run_ptx(kernel_text(R"(
setp.gt.u32 %p1, %r1, 20;
@%p1 ret;
mov.u32 %r2, 1;
)" + store_r2));
  EXPECT_EQ(outcome.words[20], 1u);
  EXPECT_EQ(outcome.words[21], 0u);
}

TEST(Divergence, APartWarpHasOnlyItsThreads) {
  RunSetup setup;
  setup.block = {40, 1, 1};
  const Outcome outcome =
      run_ptx(kernel_text("atom.global.add.u32 %r2, [%rd1], 1;"), setup);
  EXPECT_EQ(outcome.words[0], 40u);
  EXPECT_EQ(outcome.counts.thread_instructions / outcome.counts.warp_instructions,
            20u);
}

// Integer sums are the same whoever runs which block.
TEST(Divergence, CountsDoNotDependOnHowTheBlocksAreSpread) {
  const std::string text = kernel_text(R"(
.shared .align 16 .b8 tile[512];
mov.u32 %r4, %ctaid.x;
and.b32 %r5, %r4, 31;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, tile;
add.u32 %r3, %r3, %r2;
st.shared.u32 [%r3], %r1;
setp.lt.u32 %p1, %r1, %r5;
@%p1 ld.shared.u32 %r6, [%r3];
@%p1 atom.global.add.u32 %r7, [%rd1], %r6;
)");
  RunSetup setup;
  setup.grid = {57, 1, 1};
  const Outcome one = run_ptx(text, setup);
  setup.runners = 5;
  const Outcome five = run_ptx(text, setup);
  EXPECT_EQ(one.words, five.words);
  EXPECT_EQ(one.counts.warp_instructions, five.counts.warp_instructions);
  EXPECT_EQ(one.counts.thread_instructions, five.counts.thread_instructions);
  EXPECT_EQ(one.counts.shared_load.wavefronts, five.counts.shared_load.wavefronts);
  EXPECT_EQ(one.counts.global_atomics, five.counts.global_atomics);
}

}  // namespace
}  // namespace rungs::cpu_device
