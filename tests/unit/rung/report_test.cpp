#include "rung/report.hpp"

#include <gtest/gtest.h>

#include "counts_sample.hpp"
#include "rung/stop.hpp"
#include "toy_ladder.hpp"

namespace rungs {
namespace {

class ReportTest : public testing::Test {
 protected:
  ~ReportTest() override { std::fclose(stream); }

  std::string text() const {
    std::rewind(stream);
    std::string read(4096, '\0');
    read.resize(std::fread(read.data(), 1, read.size(), stream));
    return read;
  }

  std::FILE* stream = std::tmpfile();
  Report report{stream};
  Result result{.rung = &toy::second()};
  const Shape shape = toy::problem().operation().shape({2, 3});
};

TEST_F(ReportTest, SaysDeviceReasonAndThreads) {
  report.device({DeviceKind::cpu, "CPU device", "no NVIDIA driver here", 2});
  report.device({DeviceKind::cpu, "CPU device", "as asked", 1});
  report.device({DeviceKind::gpu, "NVIDIA H200", "compute capability 9.0"});
  EXPECT_EQ(text(),
            "device: CPU device (no NVIDIA driver here), 2 threads\n"
            "device: CPU device (as asked), 1 thread\n"
            "device: NVIDIA H200 (compute capability 9.0)\n");
}

TEST_F(ReportTest, SaysErrorAgainstToleranceAndCounts) {
  result.checks.push_back(
      {shape, {.passed = true, .max_relative_error = 2e-6, .tolerance = 1e-5}});
  result.counts = toy::counts_document(1);
  report.check(result);
  report.counts(result, {.missing = "no disassembler"});
  const std::string said = text();
  EXPECT_NE(said.find("toy/second\n"), std::string::npos) << said;
  EXPECT_NE(
      said.find(
          "the largest error 2.0e-06 of 1.0e-05 allowed at rows = 2, cols = 3"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("per multiply-add, argued 0.5, PTX 0.5\n"), std::string::npos)
      << said;
  EXPECT_NE(said.find("not counted, no disassembler"), std::string::npos) << said;
}

TEST_F(ReportTest, SaysNothingOfMultiplyAddsWhereTheyAreNotTheWork) {
  Operation sums = toy::problem().operation();
  sums.multiply_adds = nullptr;
  const Rung rung({"toy", "sums", 2}, sums, {});
  result.rung = &rung;
  result.counts = toy::counts_document(1);
  report.counts(result, {.missing = "no disassembler"});
  const std::string said = text();
  EXPECT_NE(said.find("of them barriers\n"), std::string::npos) << said;
  EXPECT_EQ(said.find("multiply-add"), std::string::npos) << said;
}

TEST_F(ReportTest, SaysWhatIsLeftToCountOnAGpu) {
  const Json counts = {{"shared_reads_per_multiply_add", 0.5},
                       {"registers", 32},
                       {"shared_bytes", 2048},
                       {"spill_bytes", 0}};
  report.counts(result, {.counts = counts});
  EXPECT_EQ(
      text(),
      "  reads:   of shared memory per multiply-add, argued 0.5, SASS 0.5\n"
      "  machine: 32 registers, 2048 bytes of shared memory, 0 bytes spilled\n");
}

TEST_F(ReportTest, SaysWhatIsWrongAndWhere) {
  result.checks.push_back({shape, {.message = "sum = nan"}});
  report.check(result);
  EXPECT_EQ(text(),
            "toy/second\n  check:   FAILED at rows = 2, cols = 3: sum = nan\n");
}

TEST_F(ReportTest, SaysHowLargeTheErrorOfAWrongAnswerIs) {
  result.checks.push_back(
      {shape,
       {.max_relative_error = 0.25, .tolerance = 1e-5, .message = "sum = 5"}});
  report.check(result);
  EXPECT_EQ(text(),
            "toy/second\n  check:   FAILED at rows = 2, cols = 3: sum = 5; the "
            "largest error is 2.5e-01, and 1.0e-05 is allowed\n");
}

TEST_F(ReportTest, CountsOneShapeAsOne) {
  result.checks.push_back(
      {shape, {.passed = true, .max_relative_error = 2e-6, .tolerance = 1e-5}});
  report.check(result);
  EXPECT_NE(text().find("passed at 1 shape, the largest"), std::string::npos);
}

TEST_F(ReportTest, TellsAnErrorOfTheMachineFromOneOfTheRung) {
  result.error = "toy/second: stopped";
  report.check(result);
  result.cannot_run = true;
  report.check(result);
  EXPECT_EQ(text(),
            "toy/second\n  check:   FAILED: toy/second: stopped\n"
            "toy/second\n  check:   cannot run: toy/second: stopped\n");
}

TEST(Report, EndsTheProgramWhenItCannotBeWritten) {
  std::FILE* full = std::fopen("/dev/full", "w");
  Report report(full);
  report.line("text");
  report.line("more");
  try {
    report.finish();
    FAIL();
  } catch (const Stop& stop) {
    EXPECT_EQ(stop.code(), Exit::check_failed);
    EXPECT_STREQ(stop.what(), "cannot write the report: No space left on device");
  }
  std::fclose(full);
}

}  // namespace
}  // namespace rungs
