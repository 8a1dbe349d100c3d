// How cuBLAS is found and called, with a made-up one that multiplies on the host.
#include "peers/cublas.hpp"

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "check/case.hpp"
#include "lessons/matmul/matmul.hpp"
#include "rung/cuda_error.hpp"
#include "rung/peer.hpp"

namespace rungs::cublas {
namespace {

namespace fs = std::filesystem;

// Each test is a process of its own under ctest; run together, they share the
// library that the first of them loads. So every one but those of the search uses
// the fake.
class Cublas : public testing::Test {
 protected:
  Cublas() {
    setenv("RUNGS_CUBLAS", FAKE_CUBLAS, 1);
    log_ = fs::temp_directory_path() /
           ("rungs-fake-cublas-" + std::to_string(::getpid()));
    setenv("FAKE_CUBLAS_LOG", log_.c_str(), 1);
    fs::remove(log_);
    c_.assign(M * N, std::nanf(""));
  }
  ~Cublas() override { fs::remove(log_); }

  Product product() { return {a().data(), b().data(), c_.data(), M, N, K}; }
  const std::vector<float>& a() { return made_.inputs().at("A"); }
  const std::vector<float>& b() { return made_.inputs().at("B"); }

  void expect_product() {
    const Comparison found = made_.check({{"C", c_}});
    EXPECT_TRUE(found.passed) << found.message;
  }

  std::vector<std::string> calls() {
    std::vector<std::string> lines;
    std::ifstream file(log_);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    fs::remove(log_);
    return lines;
  }

  static constexpr int M = 6, N = 10, K = 7;
  const Operation& operation_ = matmul::problem().operation();
  Case made_{operation_, operation_.shape({M, N, K}), 3};
  std::vector<float> c_;
  fs::path log_;
};

using Calls = std::vector<std::string>;

TEST_F(Cublas, IsFoundWhereRungsCublasSays) {
  EXPECT_EQ(Library::instance().missing(), "");
  EXPECT_EQ(Library::instance().version(), "13.1.7");
}

TEST_F(Cublas, IsMissingOnTheCpuDevice) {
  EXPECT_NE(missing().find("CPU device"), std::string::npos);
  EXPECT_EQ(registered_software().count("cublas"), 0u);
}

TEST_F(Cublas, SgemmIsTheRowMajorProduct) {
  Sgemm sgemm(pedantic_math);
  sgemm.prepare(product());
  EXPECT_EQ(calls(),
            (Calls{"create", "math 2", "stream", "workspace 33554432", "sgemm"}));
  std::fill(c_.begin(), c_.end(), std::nanf(""));
  sgemm.launch(product(), nullptr);
  expect_product();
  // The workspace is given after the stream, which would take it away.
  EXPECT_EQ(calls(), (Calls{"stream 0", "workspace 33554432", "sgemm"}));
}

TEST_F(Cublas, SgemmMakesItsHandleOnce) {
  Sgemm sgemm(tf32_tensor_op_math);
  sgemm.prepare(product());
  sgemm.prepare(product());
  const Calls lines = calls();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "create"), 1);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "math 3"), 1);
}

TEST_F(Cublas, AFailureIsToldInItsWords) {
  setenv("FAKE_CUBLAS_NO_HANDLE", "1", 1);
  Sgemm sgemm(pedantic_math);
  try {
    sgemm.prepare(product());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(
        error.what(),
        "cublasCreate failed with CUBLAS_STATUS_MADE_UP, a made-up failure");
  }
  unsetenv("FAKE_CUBLAS_NO_HANDLE");
  sgemm.prepare(product());
}

TEST_F(Cublas, LtChoosesAmongWhatRunsAndKeepsIt) {
  // Of five: one not to be used, one that does not run, and three that do. There
  // are no times on the CPU device, so that the first of these is kept.
  setenv("FAKE_CUBLAS_PROPOSALS", "nxrrr", 1);
  LtBest best;
  const std::string note = best.prepare(product());
  EXPECT_EQ(
      note,
      "algorithm 2 of 4 (id 42, tile 1, stages 1, split-K 1), workspace 3 MiB");
  Calls lines = calls();
  EXPECT_EQ(lines.at(0), "compute type 69");
  EXPECT_EQ(lines.at(1), "workspace 33554432");
  for (const char* const algorithm : {"42", "43", "44"}) {
    EXPECT_EQ(std::count(lines.begin(), lines.end(),
                         std::string("lt product by ") + algorithm),
              3 + 3 * 20);
  }
  std::fill(c_.begin(), c_.end(), std::nanf(""));
  best.launch(product(), nullptr);
  expect_product();
  EXPECT_EQ(calls(), (Calls{"lt product by 42"}));

  EXPECT_EQ(best.prepare(product()), note);
  EXPECT_EQ(calls(), Calls());
}

TEST_F(Cublas, LtKeepsAChoiceForEachShape) {
  setenv("FAKE_CUBLAS_PROPOSALS", "r", 1);
  LtBest best;
  best.prepare(product());
  Product other = product();
  other.M = 2;
  best.prepare(other);
  best.launch(product(), nullptr);
  expect_product();
  other.M = 3;
  EXPECT_THROW(best.launch(other, nullptr), std::logic_error);
}

TEST_F(Cublas, LtSaysWhyNothingRuns) {
  setenv("FAKE_CUBLAS_PROPOSALS", "nxx", 1);
  LtBest best;
  try {
    best.prepare(product());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("made-up failure"), std::string::npos);
  }
  setenv("FAKE_CUBLAS_PROPOSALS", "", 1);
  EXPECT_THROW(best.prepare(product()), std::runtime_error);
}

TEST(CublasSearch, SaysWhereItLooked) {
  const fs::path empty = fs::temp_directory_path() / "rungs no cublas here";
  fs::create_directory(empty);
  setenv("RUNGS_CUBLAS", empty.c_str(), 1);
  const std::string missing = Library::instance().missing();
  fs::remove(empty);
  if (missing.empty()) GTEST_SKIP() << "another test of this process has loaded it";
  EXPECT_NE(missing.find(empty.string()), std::string::npos) << missing;
  EXPECT_NE(missing.find("RUNGS_CUBLAS"), std::string::npos) << missing;
  EXPECT_EQ(missing.find("/usr/local"), std::string::npos) << missing;
  EXPECT_EQ(Library::instance().version(), "");
}

TEST(CublasSearch, ReportsAFileThatIsNoLibrary) {
  const fs::path folder = fs::temp_directory_path() / "rungs broken cublas";
  fs::create_directory(folder);
  std::ofstream(folder / "libcublasLt.so.13") << "no library";
  setenv("RUNGS_CUBLAS", folder.c_str(), 1);
  const std::string missing = Library::instance().missing();
  fs::remove_all(folder);
  if (missing.empty()) GTEST_SKIP() << "another test of this process has loaded it";
  EXPECT_NE(missing.find("("), std::string::npos) << missing;
  EXPECT_EQ(missing.find('\n'), std::string::npos) << missing;
}

/// The row of the ladder that is not FP32.
class Tf32 : public testing::TestWithParam<int> {
 protected:
  Variant variant() {
    for (const Variant& one : registered_variants(matmul::problem().operation())) {
      if (one.name == "cublas-tf32") return one;
    }
    throw std::runtime_error("cublas-tf32 is not registered");
  }

  /// Compares the product of inputs without their last `dropped` bits, rounded or
  /// cut.
  Comparison check(int dropped, bool rounds) {
    const auto shortened = [&](std::vector<float> values) {
      for (float& value : values) {
        std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
        if (rounds && dropped > 0) bits += 1u << (dropped - 1);
        value = std::bit_cast<float>(bits & ~((1u << dropped) - 1));
      }
      return values;
    };
    const int K = GetParam();
    const Operation& operation = matmul::problem().operation();
    Case made(operation, operation.shape({192, 256, K}), 1);
    std::vector<double> c(192 * 256);
    product(shortened(made.inputs().at("A")), shortened(made.inputs().at("B")), c,
            192, 256, K);
    return made.check({{"C", {c.begin(), c.end()}}}, "", variant().tolerance);
  }
};

TEST_P(Tf32, IsNamedSo) { EXPECT_EQ(variant().math, rungs::Math::tf32); }

TEST_P(Tf32, PassesRoundedOrCut) {
  for (const bool rounds : {true, false}) {
    const Comparison found = check(13, rounds);
    EXPECT_TRUE(found.passed) << found.message;
    EXPECT_LT(found.max_relative_error, 0.75 * found.tolerance);
  }
}

TEST_P(Tf32, ErrorIsFarFromFp32s) {
  const double fp32 =
      matmul::tolerance(matmul::problem().operation().shape({192, 256, GetParam()}))
          .relative;
  EXPECT_GT(check(13, true).max_relative_error, 30 * fp32);
}

TEST_P(Tf32, RefusesBf16) {
  EXPECT_FALSE(check(16, true).passed);
  EXPECT_FALSE(check(16, false).passed);
}

INSTANTIATE_TEST_SUITE_P(AtDepth, Tf32, testing::Values(64, 1024));

TEST(Peers, OfTheLadderAreThree) {
  std::vector<std::string> names;
  for (const Variant& one : registered_variants(matmul::problem().operation())) {
    if (one.kind == Kind::peer) names.push_back(one.name);
    if (one.kind == Kind::peer && one.name != "cublas-tf32") {
      EXPECT_EQ(one.math, rungs::Math::fp32);
      EXPECT_EQ(one.tolerance, nullptr) << "FP32 is held to the ladder's tolerance";
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"cublas-sgemm", "cublas-tf32",
                                             "cublaslt-best"}));
}

}  // namespace
}  // namespace rungs::cublas
