#include <gtest/gtest.h>

#include "cpu_device/fault.hpp"
#include "ptx_runner.hpp"

namespace rungs::cpu_device {
namespace {

TEST(Memory, GenericAddressesReachEverySpaceInOneInstruction) {
  const Outcome outcome = run_ptx(kernel_text(R"(
.shared .align 4 .b32 word;
.local .align 4 .b8 depot[8];
mov.u32 %r2, 5;
st.shared.u32 [word], %r2;
mov.u64 %rd2, word;
cvta.shared.u64 %rd3, %rd2;
mov.u64 %rd4, depot;
cvta.local.u64 %rd5, %rd4;
st.local.u32 [%rd4], %r1;
setp.lt.u32 %p1, %r1, 8;
selp.b64 %rd6, %rd3, %rd5, %p1;
setp.gt.u32 %p2, %r1, 23;
selp.b64 %rd6, %rd1, %rd6, %p2;
ld.u32 %r3, [%rd6];
mul.wide.u32 %rd7, %r1, 4;
add.u64 %rd7, %rd7, %rd1;
bar.warp.sync -1;
st.u32 [%rd7], %r3;
)"),
                                  {.initial = {77}});
  EXPECT_EQ(outcome.words[0], 5u);
  EXPECT_EQ(outcome.words[10], 10u);
  EXPECT_EQ(outcome.words[30], 77u);
  EXPECT_EQ(outcome.counts.shared_load.instructions, 1u);
  EXPECT_EQ(outcome.counts.local_load.instructions, 1u);
  EXPECT_EQ(outcome.counts.global_load.instructions, 1u);
}

// Caches, orders and scopes are the machine's: what is read and written stays the
// same.
TEST(Memory, HintsAndFencesChangeNoValue) {
  const Outcome outcome = run_ptx(kernel_text(R"(
setp.ne.u32 %p1, %r1, 0;
@%p1 ret;
createpolicy.fractional.L2::evict_first.b64 %rd2, 1.0;
prefetch.global.L2 [%rd1];
ld.global.nc.L1::no_allocate.L2::256B.u32 %r2, [%rd1];
ld.global.L1::no_allocate.L2::cache_hint.v2.u32 {%r3, %r4}, [%rd1+8], %rd2;
ld.acquire.gpu.global.u32 %r5, [%rd1+4];
st.global.L1::no_allocate.L2::cache_hint.u32 [%rd1+16], %r2, %rd2;
st.release.gpu.global.u32 [%rd1+20], %r3;
membar.gl;
membar.sys;
fence.acq_rel.gpu;
fence.sc.gpu;
fence.proxy.async;
red.release.gpu.global.add.u32 [%rd1+24], %r4;
red.global.add.L2::cache_hint.u32 [%rd1+24], %r4, %rd2;
atom.acq_rel.gpu.global.inc.u32 %r6, [%rd1+4], 7;
atom.global.exch.L2::cache_hint.b32 %r7, [%rd1+4], 9, %rd2;
st.global.u32 [%rd1+28], %r6;
)"),
                                  {.initial = {11, 7, 13, 14}});
  EXPECT_EQ(outcome.words[4], 11u);
  EXPECT_EQ(outcome.words[5], 13u);
  EXPECT_EQ(outcome.words[6], 28u);
  EXPECT_EQ(outcome.words[7], 7u);  // before the counter went back to zero
  EXPECT_EQ(outcome.words[1], 9u);
  EXPECT_EQ(outcome.counts.global_atomics, 4u);
  EXPECT_EQ(outcome.counts.global_load.instructions, 3u);
}

// The copy is not there before its wait, and is there after it.
TEST(Memory, AnAsynchronousCopyTakesEffectAtItsWait) {
  const Outcome outcome = run_ptx(kernel_text(R"(
.shared .align 16 .b32 word[4];
setp.ne.u32 %p1, %r1, 0;
@%p1 ret;
mov.u32 %r2, word;
mov.u32 %r3, 1;
st.shared.u32 [%r2], %r3;
cp.async.ca.shared.global [%r2], [%rd1], 4;
cp.async.commit_group;
ld.shared.u32 %r4, [%r2];
cp.async.wait_group 0;
ld.shared.u32 %r5, [%r2];
st.global.u32 [%rd1+4], %r4;
st.global.u32 [%rd1+8], %r5;
)"),
                                  {.initial = {42}});
  EXPECT_EQ(outcome.words[1], 1u);
  EXPECT_EQ(outcome.words[2], 42u);
}

TEST(Memory, AWaitLeavesTheLatestGroupsPending) {
  const Outcome outcome = run_ptx(kernel_text(R"(
.shared .align 16 .b32 word[4];
setp.ne.u32 %p1, %r1, 0;
@%p1 ret;
mov.u32 %r2, word;
mov.u32 %r3, 1;
st.shared.u32 [%r2], %r3;
st.shared.u32 [%r2+4], %r3;
cp.async.ca.shared.global [%r2], [%rd1], 4;
cp.async.commit_group;
cp.async.ca.shared.global [%r2+4], [%rd1+4], 4;
cp.async.commit_group;
cp.async.wait_group 1;
ld.shared.u32 %r4, [%r2];
ld.shared.u32 %r5, [%r2+4];
st.global.u32 [%rd1+8], %r4;
st.global.u32 [%rd1+12], %r5;
)"),
                                  {.initial = {42, 43}});
  EXPECT_EQ(outcome.words[2], 42u);
  EXPECT_EQ(outcome.words[3], 1u);
}

TEST(Memory, DynamicSharedMemoryLiesBehindTheStatic) {
  RunSetup setup;
  setup.dynamic_shared_bytes = 64;
  const Outcome outcome =
      run_ptx(kernel_text(R"(
.shared .align 4 .b8 small[4];
mov.u32 %r2, dynamic;
mov.u32 %r3, small;
sub.u32 %r4, %r2, %r3;
st.global.u32 [%rd1], %r4;
mov.u32 %r5, %dynamic_smem_size;
st.global.u32 [%rd1+4], %r5;
st.shared.u32 [%r2+60], %r5;
)",
                          ".extern .shared .align 16 .b8 dynamic[];\n"),
              setup);
  EXPECT_EQ(outcome.words[0], 16u);
  EXPECT_EQ(outcome.words[1], 64u);
}

TEST(Memory, WhatANarrowLoadBringsIsExtendedToTheRegister) {
  const Outcome outcome = run_ptx(kernel_text(R"(
ld.global.s8 %rd2, [%rd1];
ld.global.u8 %r2, [%rd1];
ld.global.s16 %r3, [%rd1];
st.global.u64 [%rd1+8], %rd2;
st.global.u32 [%rd1+16], %r2;
st.global.u32 [%rd1+20], %r3;
)"),
                                  {.initial = {0x0000FF80}});
  EXPECT_EQ(outcome.words[2], 0xFFFFFF80u);
  EXPECT_EQ(outcome.words[3], 0xFFFFFFFFu);
  EXPECT_EQ(outcome.words[4], 0x80u);
  EXPECT_EQ(outcome.words[5], 0xFFFFFF80u);
}

}  // namespace
}  // namespace rungs::cpu_device
