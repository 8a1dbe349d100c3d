#include <gtest/gtest.h>

#include <ostream>

#include "cpu_device/fault.hpp"
#include "ptx_runner.hpp"

namespace rungs::cpu_device {
namespace {

struct Expected {
  FaultKind kind;
  const char* body;
  const char* says;
};

// What names the test in a list.
void PrintTo(const Expected& expected, std::ostream* out) {
  *out << fault_name(expected.kind);
}

class Faults : public testing::TestWithParam<Expected> {};

TEST_P(Faults, NameKernelLineBlockThreadAndAddress) {
  RunSetup setup;
  setup.grid = {3, 1, 1};
  const std::string before = ".file 1 \"/x/faulty.cu\"\n";
  const std::string body = std::string(
                               ".shared .align 16 .b8 tile[64];\n"
                               "mov.u32 %r9, %ctaid.x;\n"
                               "setp.ne.u32 %p9, %r9, 2;\n@%p9 ret;\n"
                               ".loc 1 33 1\n") +
                           GetParam().body;
  try {
    run_ptx(kernel_text(body, before), setup);
    FAIL() << "no fault";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), GetParam().kind) << fault.what();
    const std::string said = fault.what();
    for (const std::string part :
         {"k ", "faulty.cu:33", "block (2,0,0)", GetParam().says}) {
      EXPECT_NE(said.find(part), std::string::npos) << part << " not in: " << said;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Faults,
    testing::Values(
        Expected{FaultKind::out_of_bounds, "ld.global.u32 %r2, [%rd1+256];",
                 "0x10100, 0 bytes past the end of the words"},
        Expected{FaultKind::out_of_bounds,
                 "mul.wide.u32 %rd2, %r1, 12;\nadd.u64 %rd2, %rd2, %rd1;\n"
                 "st.global.u32 [%rd2], %r1;",
                 "thread (22,0,0)"},
        Expected{FaultKind::out_of_bounds,
                 "mov.u64 %rd2, 0;\nld.global.u32 %r2, [%rd2];", "null pointer"},
        Expected{FaultKind::out_of_bounds, "ld.global.u64 %rd2, [%rd1+252];",
                 "over the end of its allocation"},
        Expected{FaultKind::misaligned, "ld.global.u32 %r2, [%rd1+2];",
                 "no multiple of 4"},
        Expected{FaultKind::misaligned,
                 "mov.u32 %r2, tile;\nld.shared.v4.u32 {%r3,%r4,%r5,%r6}, [%r2+8];",
                 "no multiple of 16"},
        Expected{FaultKind::out_of_bounds,
                 "mov.u32 %r2, tile;\nst.shared.u32 [%r2+64], %r1;",
                 "0x40, but the block has 64 bytes"},
        Expected{FaultKind::out_of_bounds,
                 "mov.u32 %r2, -4;\nld.shared.u32 %r3, [%r2];", "shared address"},
        Expected{FaultKind::misaligned,
                 "mov.u32 %r2, tile;\n"
                 "cp.async.ca.shared.global [%r2+4], [%rd1], 8;",
                 "shared address 0x4, which is no multiple of 8"},
        Expected{FaultKind::trap, "trap;", "executes a trap"}));

TEST(Fault, ARaceNamesBothLines) {
  RunSetup setup;
  setup.block = {64, 1, 1};
  setup.checks = {true, true};
  const std::string text = kernel_text(R"(
.shared .align 4 .b32 word;
setp.ge.u32 %p1, %r1, 32;
@%p1 bra $second;
.loc 1 11 1
st.shared.u32 [word], %r1;
bra $end;
$second:
.loc 1 22 1
ld.shared.u32 %r2, [word];
$end:
)",
                                       ".file 1 \"/x/faulty.cu\"\n");
  try {
    run_ptx(text, setup);
    FAIL() << "no fault";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::race);
    const std::string said = fault.what();
    EXPECT_NE(said.find("warp 0 wrote in line 11"), std::string::npos) << said;
    EXPECT_NE(said.find("faulty.cu:22"), std::string::npos) << said;
  }
}

TEST(Fault, FreedMemoryIsKnown) {
  Module module(kernel_text("ld.global.u32 %r2, [%rd1];"));
  GlobalMemory memory;
  memory.add({0x10000, 64, 0, false, "cudaMalloc of 64 bytes"});
  ASSERT_TRUE(memory.remove(0x10000));
  Launch launch;
  launch.kernel = &module.kernel("k");
  launch.parameters = {std::byte{0}, std::byte{0}, std::byte{1}, {},
                       {},           {},           {},           {}};
  BlockRunner runner(launch, memory);
  try {
    runner.run(0);
    FAIL() << "no fault";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), FaultKind::use_after_free) << fault.what();
  }
}

}  // namespace
}  // namespace rungs::cpu_device
