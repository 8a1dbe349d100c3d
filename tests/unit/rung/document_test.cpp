#include "rung/document.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "counts_sample.hpp"
#include "toy_ladder.hpp"

namespace rungs {
namespace {

const Device cpu{DeviceKind::cpu, "CPU device", "no NVIDIA driver here", 2};

Options options() {
  Options result;
  result.shape = toy::problem().operation().shape({64, 6});
  result.rungs = {&toy::first(), &toy::second()};
  return result;
}

TEST(RunDocument, SaysWhatRanOnWhatAndHowItEnded) {
  Result right{.rung = &toy::second()};
  right.checks.push_back(
      {toy::problem().operation().shape({2, 3}),
       {.passed = true, .max_relative_error = 1e-6, .tolerance = 1e-5}});
  right.counts = toy::counts_document(1);
  const Json document = run_document(options(), cpu, {right});

  EXPECT_EQ(document["schema"], "rungs-run/1");
  EXPECT_EQ(document["ladder"], "toy");
  EXPECT_EQ(document["shape"], Json({{"rows", 64}, {"cols", 6}}));
  EXPECT_EQ(document["device"]["kind"], "cpu");
  EXPECT_EQ(document["device"]["reason"], "no NVIDIA driver here");

  const Json& rung = document["rungs"][0];
  EXPECT_EQ(rung["name"], "second");
  EXPECT_EQ(rung["key"], "toy/second");
  EXPECT_EQ(rung["order"], 1);
  EXPECT_EQ(rung["after"], "first");
  EXPECT_EQ(rung["kind"], "rejected");
  EXPECT_EQ(rung["because"][0]["model"], "reads");
  EXPECT_TRUE(rung["check"]["passed"]);
  EXPECT_EQ(rung["check"]["shapes"][0]["shape"]["rows"], 2);
  EXPECT_EQ(rung["check"]["shapes"][0]["max_relative_error"], 1e-6);
  EXPECT_EQ(rung["counts"]["argued"]["shared_reads_per_multiply_add"], 0.5);
  EXPECT_EQ(rung["counts"]["argued"]["block_threads"], 256);
  EXPECT_EQ(rung["counts"]["ptx"]["multiply_adds"], 1024);
  EXPECT_TRUE(rung["counts"]["sass"].is_null());
  EXPECT_TRUE(rung["source_hash"].is_null());
  EXPECT_NE(rung["machine_code_missing"], "");
}

TEST(RunDocument, KeepsTheErrorAndHasNoNan) {
  Result wrong{.rung = &toy::first()};
  wrong.checks.push_back(
      {toy::problem().operation().shape({2, 3}),
       {.max_relative_error = std::numeric_limits<double>::quiet_NaN(),
        .message = "sum = nan"}});
  Result stopped{.rung = &toy::second(),
                 .error = "toy/second: stopped",
                 .cannot_run = true,
                 .stopped_by = "toy/first"};
  const Json document = run_document(options(), cpu, {wrong, stopped});

  const Json& check = document["rungs"][0]["check"];
  EXPECT_FALSE(check["passed"]);
  EXPECT_TRUE(check["shapes"][0]["max_relative_error"].is_null());
  EXPECT_EQ(check["shapes"][0]["message"], "sum = nan");
  EXPECT_TRUE(document["rungs"][0]["after"].is_null());
  EXPECT_FALSE(document["rungs"][1]["check"]["passed"]);
  EXPECT_EQ(document["rungs"][1]["check"]["error"], "toy/second: stopped");
  EXPECT_TRUE(document["rungs"][1]["check"]["cannot_run"]);
  EXPECT_EQ(document["rungs"][1]["check"]["stopped_by"], "toy/first");
  EXPECT_FALSE(check.contains("stopped_by"));
  EXPECT_TRUE(document["rungs"][1]["counts"]["ptx"].is_null());
}

TEST(DescribeDocument, HasNeitherDeviceNorChecks) {
  const Json document = describe_document(options());
  EXPECT_FALSE(document.contains("device"));
  ASSERT_EQ(document["rungs"].size(), 2u);
  EXPECT_FALSE(document["rungs"][0].contains("check"));
  EXPECT_FALSE(document["rungs"][0]["counts"].contains("ptx"));
}

}  // namespace
}  // namespace rungs
