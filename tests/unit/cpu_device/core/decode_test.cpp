#include <gtest/gtest.h>

#include "cpu_device/fault.hpp"
#include "ptx_runner.hpp"

namespace rungs::cpu_device {
namespace {

std::string refusal(const std::string& body, const std::string& before = "") {
  try {
    run_ptx(kernel_text(body, before));
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "";
}

TEST(Decode, AnUnknownInstructionIsNamedWithItsTextAndLine) {
  const std::string said =
      refusal(".loc 1 42 0\nwgmma.fence.sync.aligned;", ".file 1 \"x.cu\"\n");
  EXPECT_NE(said.find("wgmma.fence.sync.aligned"), std::string::npos) << said;
  EXPECT_NE(said.find("x.cu:42"), std::string::npos) << said;
  EXPECT_NE(said.find("PTX line"), std::string::npos) << said;
}

TEST(Decode, AModifierThatNoFamilyKnowsIsNeverIgnored) {
  for (const char* text :
       {"add.frob.u32 %r2, %r1, %r1;", "add.sat.u32 %r2, %r1, %r1;",
        "mul.u32 %r2, %r1, %r1;", "ld.global.frob.u32 %r2, [%rd1];",
        "setp.frob.u32 %p1, %r1, %r1;", "shfl.down.b32 %r2, %r1, 1, 31;",
        "cvt.frob.f32.u32 %f1, %r1;", "atom.global.frob.u32 %r2, [%rd1], %r1;",
        "bar.frob 0;", "ld.global.v3.u32 {%r2,%r3,%r4}, [%rd1];"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

TEST(Decode, RecursionAndIndirectCallsAreRefused) {
  const std::string recursive = ".func f()\n{\ncall.uni f, ();\nret;\n}\n";
  EXPECT_NE(refusal("call.uni f, ();", recursive).find("recursion"),
            std::string::npos);
  EXPECT_NE(refusal("call.uni %rd2, ();").find("indirect"), std::string::npos);
}

TEST(Decode, CalledFunctionsAreInlinedWithParametersOfEveryWidth) {
  const std::string function = R"(
.func (.param .b64 result) f(.param .align 8 .b8 in[24])
{
.reg .b16 %h<3>;
.reg .b32 %r<4>;
.reg .b64 %rd<6>;
ld.param.u64 %rd1, [in];
ld.param.s8 %h1, [in+9];
ld.param.u16 %h2, [in+10];
ld.param.u32 %r1, [in+12];
cvt.s64.s16 %rd2, %h1;
cvt.u64.u16 %rd3, %h2;
cvt.u64.u32 %rd4, %r1;
add.u64 %rd1, %rd1, %rd2;
add.u64 %rd1, %rd1, %rd3;
add.u64 %rd1, %rd1, %rd4;
st.param.b64 [result], %rd1;
ret;
}
)";
  const Outcome outcome = run_ptx(kernel_text(R"(
{ .param .align 8 .b8 p[24];
  .param .b64 q;
  mov.u64 %rd2, 0x100000000;
  st.param.b64 [p], %rd2;
  mov.u32 %r2, 0xFE;
  st.param.b8 [p+9], %r2;
  st.param.b16 [p+10], 0x1234;
  st.param.b32 [p+12], %r1;
  call.uni (q), f, (p);
  ld.param.b64 %rd3, [q];
}
mul.wide.u32 %rd4, %r1, 8;
add.u64 %rd4, %rd4, %rd1;
st.global.u64 [%rd4], %rd3;
)",
                                              function));
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(outcome.words[2 * i], 0x1234u - 2 + i);
    EXPECT_EQ(outcome.words[2 * i + 1], 1u);
  }
}

// 2^62 + 2^54 lies between two bf16 values, and one more is above the middle:
// rounding to a double on the way would lose that one.
TEST(Decode, A64BitIntegerIsRoundedOnceOnItsWayToANarrowFormat) {
  const Outcome outcome = run_ptx(kernel_text(R"(
.reg .b16 %h<3>;
mov.u64 %rd2, 0x4040000000000000;
mov.u64 %rd3, 0x4040000000000001;
cvt.rn.bf16.s64 %h1, %rd2;
cvt.rn.bf16.s64 %h2, %rd3;
st.global.u16 [%rd1], %h1;
st.global.u16 [%rd1+4], %h2;
)"));
  EXPECT_EQ(outcome.words[0], 0x5E80u) << "half way goes to the even one";
  EXPECT_EQ(outcome.words[1], 0x5E81u);
}

// More values at once than any machine has registers: each keeps its own.
TEST(Decode, RegistersThatLiveTogetherDoNotShareAPlace) {
  std::string body;
  for (int i = 0; i < 500; ++i) {
    body += ".reg .b32 v" + std::to_string(i) + ";\nadd.u32 v" + std::to_string(i) +
            ", %r1, " + std::to_string(i) + ";\n";
  }
  body += "mov.u32 %r2, 0;\n";
  for (int i = 0; i < 500; ++i)
    body += "add.u32 %r2, %r2, v" + std::to_string(i) + ";\n";
  body +=
      "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd2], %r2;";
  const Outcome outcome = run_ptx(kernel_text(body));
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(outcome.words[i], 500 * i + 499 * 250);
}

// A write under a guard leaves the other lanes what they had, across a loop's back
// edge too.
TEST(Decode, AGuardedWriteKeepsTheOtherLanesValues) {
  const Outcome outcome = run_ptx(kernel_text(R"(
mov.u32 %r2, 100;
mov.u32 %r3, 0;
$loop:
setp.gt.u32 %p1, %r1, 15;
@%p1 add.u32 %r2, %r2, 1;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p2, %r3, 5;
@%p2 bra $loop;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd2, %rd2, %rd1;
st.global.u32 [%rd2], %r2;
)"));
  EXPECT_EQ(outcome.words[0], 100u);
  EXPECT_EQ(outcome.words[31], 105u);
}

}  // namespace
}  // namespace rungs::cpu_device
