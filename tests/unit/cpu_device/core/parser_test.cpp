#include "cpu_device/ptx/parser.hpp"

#include <gtest/gtest.h>

#include "cpu_device/fault.hpp"
#include "ptx_runner.hpp"

namespace rungs::cpu_device {
namespace {

const std::string sample =
    kernel_text(R"(
  .loc 1 7 3, function_name $L__info_string0, inlined_at 1 9 1
  setp.lt.u32 %p1, %r1, 8;
  @!%p1 bra $end;
  { .reg .b32 inner; mov.u32 inner, 0x10; st.global.u32 [%rd1+4], inner; }
  { .reg .b32 inner; mov.u32 inner, -1; st.global.u32 [%rd1], inner; }
$end:
  ret;
)",
                ".file 1 \"/some/folder/kernel.cu\"\n"
                ".global .align 4 .f32 table[2] = {0f3F800000, 2.5};\n"
                ".extern .shared .align 16 .b8 dynamic[];\n");

TEST(Parser, ReadsAKernelWithItsScopesAndItsLines) {
  const auto module = ptx::parse(sample);
  ASSERT_EQ(module->functions.size(), 1u);
  const ptx::Function& kernel = module->functions[0];
  EXPECT_TRUE(kernel.entry);
  EXPECT_EQ(module->files[1], "kernel.cu");
  ASSERT_EQ(kernel.labels.size(), 1u);
  EXPECT_EQ(kernel.instructions[kernel.labels[0]].opcode, "ret");
  EXPECT_EQ(kernel.instructions[2].source_line, 7u);
  // Two scopes have a register of the same name: two registers.
  const auto& first = kernel.instructions[4].operands[0];
  const auto& second = kernel.instructions[6].operands[0];
  EXPECT_NE(first.index, second.index);
  EXPECT_EQ(module->variables[0].values.size(), 2u);
  EXPECT_TRUE(module->shared[0].external);
}

TEST(Parser, RunsWhatItReads) {
  const Outcome outcome = run_ptx(sample);
  EXPECT_EQ(outcome.words[0], 0xFFFFFFFFu);
  EXPECT_EQ(outcome.words[1], 16u);
}

// Whatever is cut off or overwritten, the answer is a module or a PtxError.
TEST(Parser, EndsEveryTruncatedTextInAClearError) {
  for (size_t length = 0; length < sample.size(); ++length) {
    try {
      ptx::parse(std::string_view(sample).substr(0, length));
    } catch (const PtxError& error) {
      EXPECT_NE(std::string(error.what()).find("PTX line"), std::string::npos)
          << length;
    }
  }
}

TEST(Parser, EndsEveryDamagedTextInAClearError) {
  for (const char damage : {'{', '}', ';', '\0', '9', '%', '"', '['}) {
    for (size_t i = 0; i < sample.size(); ++i) {
      std::string text = sample;
      text[i] = damage;
      try {
        Module module(text);
        if (module.has_kernel("k")) module.kernel("k");
      } catch (const PtxError&) {
      } catch (const Unsupported&) {
      }
    }
  }
}

TEST(Parser, NamesTheLineOfAnUnknownLabel) {
  try {
    ptx::parse(kernel_text("bra $nowhere;"));
    FAIL() << "parsed";
  } catch (const PtxError& error) {
    EXPECT_NE(std::string(error.what()).find("$nowhere"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("PTX line 14"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace rungs::cpu_device
