#include "measure/kernel_records.hpp"

#include <gtest/gtest.h>

#include "measure/missing.hpp"

namespace rungs {
namespace {

KernelRecord record(const std::string& name, std::uint64_t start,
                    std::uint64_t nanoseconds) {
  return {.launch = {.name = name, .grid = {4, 1, 1}, .block = {256, 1, 1}},
          .start = start,
          .end = start + nanoseconds};
}

std::string why_missing(const std::vector<KernelRecord>& records, int operations) {
  try {
    match(records, operations);
  } catch (const Missing& missing) {
    return missing.what();
  }
  return "not missing";
}

TEST(Match, GivesEachOperationItsKernel) {
  const KernelTimes times = match({record("a", 100, 7), record("a", 200, 9)}, 2);
  EXPECT_EQ(times.samples, (Samples{7, 9}));
  ASSERT_EQ(times.parts.size(), 1u);
  EXPECT_EQ(times.parts[0].launches_per_operation, 1);
  EXPECT_EQ(times.parts[0].samples, (Samples{7, 9}));
}

TEST(Match, SortsByStart) {
  const KernelTimes times = match({record("a", 200, 9), record("a", 100, 7)}, 2);
  EXPECT_EQ(times.samples, (Samples{7, 9}));
}

TEST(Match, SubtractsAsIntegers) {
  // Two ends of an hour-old clock in a double would be 256 ns apart, or not at all.
  const std::uint64_t late = 1'764'500'000'000'000'001u;
  EXPECT_EQ(match({record("a", late, 32)}, 1).samples, (Samples{32}));
}

TEST(Match, SumsTheKernelsOfAnOperationAndKeepsThem) {
  const KernelTimes times = match({record("split", 0, 10), record("sum", 20, 3),
                                   record("split", 30, 11), record("sum", 50, 4)},
                                  2);
  EXPECT_EQ(times.samples, (Samples{13, 15}));
  ASSERT_EQ(times.parts.size(), 2u);
  EXPECT_EQ(times.parts[0].launch.name, "split");
  EXPECT_EQ(times.parts[0].samples, (Samples{10, 11}));
  EXPECT_EQ(times.parts[1].launch.name, "sum");
  EXPECT_EQ(times.parts[1].samples, (Samples{3, 4}));
}

TEST(Match, CountsAKernelThatAnOperationLaunchesTwice) {
  const KernelTimes times =
      match({record("a", 0, 1), record("b", 10, 2), record("a", 20, 4),
             record("a", 30, 8), record("b", 40, 16), record("a", 50, 32)},
            2);
  ASSERT_EQ(times.parts.size(), 2u);
  EXPECT_EQ(times.parts[0].launches_per_operation, 2);
  EXPECT_EQ(times.parts[0].samples, (Samples{5, 40}));
  EXPECT_EQ(times.parts[1].launches_per_operation, 1);
  EXPECT_EQ(times.samples, (Samples{7, 56}));
}

TEST(Match, RefusesRecordsThatAreNoWholeNumberOfOperations) {
  EXPECT_EQ(
      why_missing({record("a", 0, 1), record("a", 10, 1), record("a", 20, 1)}, 2),
      "CUPTI recorded 3 kernels of 2 operations");
  EXPECT_EQ(why_missing({}, 100), "CUPTI recorded 0 kernels of 100 operations");
}

TEST(Match, RefusesOperationsThatDiffer) {
  EXPECT_EQ(
      why_missing({record("a", 0, 1), record("b", 10, 1)}, 2),
      "CUPTI recorded 2 kernels of 2 operations, and not the same ones in each: "
      "b where the first operation has a");
  KernelRecord other = record("a", 10, 1);
  other.launch.grid = {8, 1, 1};
  EXPECT_NE(why_missing({record("a", 0, 1), other}, 2), "not missing");
}

TEST(Match, RefusesAKernelWithoutATime) {
  EXPECT_EQ(why_missing({record("a", 5, 0)}, 1), "CUPTI gave a kernel no time: a");
  KernelRecord backwards = record("a", 5, 0);
  backwards.end = 4;
  EXPECT_EQ(why_missing({backwards}, 1), "CUPTI gave a kernel no time: a");
}

TEST(ForgetFirst, TakesThemOutOfTheWholeAndOfEachPart) {
  KernelTimes times = match({record("a", 0, 1), record("b", 10, 2),
                             record("a", 20, 4), record("b", 30, 8)},
                            2);
  forget_first(times, 1);
  EXPECT_EQ(times.samples, (Samples{12}));
  EXPECT_EQ(times.parts[0].samples, (Samples{4}));
  EXPECT_EQ(times.parts[1].samples, (Samples{8}));
  EXPECT_EQ(times.parts[1].launches_per_operation, 1);
}

}  // namespace
}  // namespace rungs
