#include "rung/options.hpp"

#include <gtest/gtest.h>

#include "rung/stop.hpp"
#include "toy_ladder.hpp"

namespace rungs {
namespace {

Options parse(std::vector<const char*> words) {
  words.insert(words.begin(), "toy");
  return parse_options(static_cast<int>(words.size()), words.data(),
                       {&toy::first(), &toy::second()});
}

/// The sentence that refuses these words; the exit code must be 2.
std::string refusal(const std::vector<const char*>& words) {
  try {
    parse(words);
  } catch (const Stop& stop) {
    EXPECT_EQ(stop.code(), Exit::wrong_use);
    return stop.what();
  }
  return "not refused";
}

TEST(Options, HaveDefaults) {
  const Options options = parse({"--rung", "first"});
  EXPECT_EQ(options.action, Action::check_and_count);
  EXPECT_EQ(options.device, DeviceKind::automatic);
  EXPECT_EQ(options.shape, toy::problem().operation().shape({64, 32}));
  EXPECT_EQ(options.seed, 1u);
  EXPECT_EQ(options.threads, 0);
  EXPECT_EQ(options.json, "");
}

TEST(Options, AreReadAsWritten) {
  const Options options =
      parse({"--device", "gpu", "--shape", "128,12", "--seed",
             "18446744073709551615", "--threads", "3", "--profile"});
  EXPECT_EQ(options.action, Action::profile);
  EXPECT_EQ(options.device, DeviceKind::gpu);
  EXPECT_EQ(options.shape["rows"], 128);
  EXPECT_EQ(options.shape["cols"], 12);
  EXPECT_EQ(options.seed, 18446744073709551615u);
  EXPECT_EQ(options.threads, 3);
}

TEST(Options, ChooseRungsInTheLaddersOrder) {
  const Options options =
      parse({"--shape", "64,6", "--rung", "second", "--rung", "first"});
  ASSERT_EQ(options.rungs.size(), 2u);
  EXPECT_EQ(options.rungs[0], &toy::first());
}

TEST(Options, CountOnTheCpuDevice) {
  const Options options = parse({"--rung", "first", "--counts"});
  EXPECT_EQ(options.action, Action::count);
  EXPECT_EQ(options.device, DeviceKind::cpu);
  EXPECT_NE(refusal({"--counts", "--device", "gpu"}).find("a GPU does not count"),
            std::string::npos);
}

TEST(Options, RefuseUnknownWords) {
  EXPECT_NE(refusal({"--bogus"}).find("--bogus"), std::string::npos);
  EXPECT_NE(refusal({"bogus"}).find("bogus"), std::string::npos);
  EXPECT_NE(refusal({"--device", "tpu"}).find("tpu"), std::string::npos);
  EXPECT_EQ(refusal({"--rung", "third"}),
            "--rung: no rung is called \"third\"; there is first, second");
}

TEST(Options, NameTheFileOfTheDocument) {
  EXPECT_EQ(parse({"--rung", "first", "--json", "-"}).json, "-");
  EXPECT_EQ(refusal({"--rung", "first", "--profile", "--json", "-"}),
            "--profile has no results to write; leave out --json");
}

TEST(Options, RefuseTwoActions) {
  const std::string why = refusal({"--check", "--profile"});
  EXPECT_NE(why.find("--check"), std::string::npos) << why;
  EXPECT_NE(why.find("--profile"), std::string::npos) << why;
}

TEST(Options, RefuseBadNumbers) {
  for (const char* seed :
       {"-5", "1e3", "x", "", "1.5", " 1", "18446744073709551616"}) {
    EXPECT_NE(refusal({"--seed", seed}).find("--seed"), std::string::npos) << seed;
  }
  for (const char* threads : {"0", "-1", "1025", "two"}) {
    EXPECT_NE(refusal({"--threads", threads}).find("--threads"), std::string::npos);
  }
}

TEST(Options, RefuseBadSizes) {
  EXPECT_EQ(refusal({"--shape", "0,6"}),
            "--shape: rows = 0 is not a size; give at least 1");
  EXPECT_EQ(refusal({"--shape", "-5,6"}),
            "--shape: rows = -5 is not a size; give at least 1");
  EXPECT_EQ(
      refusal({"--shape", "64,1e3"}),
      "--shape: cols = \"1e3\" is not a whole number in digits, such as 1024");
  EXPECT_EQ(
      refusal({"--shape", "12abc,6"}),
      "--shape: rows = \"12abc\" is not a whole number in digits, such as 1024");
  EXPECT_EQ(
      refusal({"--shape", "99999999999,6"}),
      "--shape: rows = 99999999999 is out of range; at most 2147483647 is possible");
  EXPECT_EQ(refusal({"--shape", "64"}),
            "--shape: \"64\" is not rows,cols, such as 64,32");
  EXPECT_EQ(refusal({"--shape", "64,6,1"}),
            "--shape: \"64,6,1\" is not rows,cols, such as 64,32");
}

TEST(Options, TakeTheLeastSizesOfTheOperation) {
  Operation operation = toy::problem().operation();
  operation.least = {0, 3};
  EXPECT_EQ(parse_shape("0,3", operation)["rows"], 0);
  try {
    parse_shape("0,2", operation);
    FAIL() << "not refused";
  } catch (const Stop& stop) {
    EXPECT_STREQ(stop.what(), "--shape: cols = 2 is not a size; give at least 3");
  }
}

TEST(Options, FillInputsByRanges) {
  EXPECT_TRUE(parse({"--rung", "first"}).ranges.empty());
  const Options options =
      parse({"--rung", "first", "--range", "x=-9.5:1.25e1", "--check"});
  ASSERT_EQ(options.ranges.size(), 1u);
  EXPECT_EQ(options.ranges.at("x").low, -9.5F);
  EXPECT_EQ(options.ranges.at("x").high, 12.5F);
}

TEST(Options, RefuseBadRanges) {
  const auto of = [](const char* range) {
    return refusal({"--rung", "first", "--range", range});
  };
  for (const char* range :
       {"x", "x=", "x=1", "x=1:", "x=:1", "x=0:1:2", "x=0:1s", "x=0,1"}) {
    EXPECT_EQ(of(range), "--range: \"" + std::string(range) +
                             "\" is not INPUT=LOW:HIGH, such as X=9.5:10.5");
  }
  EXPECT_EQ(of("y=0:1"), "--range: no input is called \"y\"; there is x");
  EXPECT_EQ(of("x=1:0"), "--range: the range of x ends below its beginning");
  EXPECT_EQ(of("x=0:inf"), "--range: the range of x is not finite");
  EXPECT_EQ(refusal({"--range", "x=0:1", "--range", "x=0:2"}),
            "--range: x stands twice");
  for (const char* action : {"--profile", "--list", "--describe", "--worker"}) {
    EXPECT_NE(refusal({"--rung", "first", "--range", "x=0:1", action})
                  .find("--range is for a check that is printed"),
              std::string::npos)
        << action;
  }
  EXPECT_NE(refusal({"--rung", "first", "--range", "x=0:1", "--json", "-"})
                .find("--range is for a check that is printed"),
            std::string::npos);
}

TEST(Options, RefuseAShapeByTheRulesOfAllChosenRungs) {
  EXPECT_EQ(
      refusal({"--shape", "100,6"}),
      "toy: rows = 100 is not a multiple of 64; the nearest good rows is 128 (or 64)");
  EXPECT_EQ(parse({"--shape", "100,7", "--rung", "first"}).shape["rows"], 100);
}

}  // namespace
}  // namespace rungs
