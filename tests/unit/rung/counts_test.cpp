#include "rung/counts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "counts_sample.hpp"

namespace rungs {
namespace {

TEST(PtxCounts, SumsKernelsAndDivides) {
  const Json counts = ptx_counts(toy::counts_document(2));
  EXPECT_EQ(counts["multiply_adds"], 2 * 1024);
  EXPECT_EQ(counts["shared_reads_per_multiply_add"], 0.5);
  EXPECT_EQ(counts["shared_load_wavefronts"], 2 * 20);
  EXPECT_EQ(counts["shared_store_wavefronts"], 2 * 12);
  EXPECT_EQ(counts["shared_wavefronts_per_multiply_add"], 32.0 / 1024);
  EXPECT_EQ(counts["shared_load_bank_conflicts"], 2 * 4);
  EXPECT_EQ(counts["shared_store_bank_conflicts"], 2 * 8);
  EXPECT_EQ(counts["shared_load_instructions"], 2 * 16);
  EXPECT_EQ(counts["global_load_sectors"], 2 * 64);
  EXPECT_EQ(counts["global_store_sectors"], 2 * 32);
  EXPECT_EQ(counts["barriers"], 2 * 3);
  EXPECT_EQ(counts["warp_instructions"], 2 * 99);
  EXPECT_EQ(counts["kernels"].size(), 2u);
}

TEST(PtxCounts, HaveNoRatioWithoutMultiplyAdds) {
  Json document = Json::parse(toy::counts_document(1));
  document["kernels"][0]["multiply_adds"] = 0;
  EXPECT_TRUE(
      ptx_counts(document.dump())["shared_reads_per_multiply_add"].is_null());
}

class MachineCodeFile : public testing::Test {
 protected:
  MachineCodeFile() {
    std::string name =
        (std::filesystem::temp_directory_path() / "rungsXXXXXX").string();
    folder = mkdtemp(name.data());
    std::filesystem::create_directories(folder + "/machine-code/toy");
  }
  ~MachineCodeFile() override { std::filesystem::remove_all(folder); }

  MachineCode read(const std::string& text) const {
    std::ofstream(folder + "/machine-code/toy/first.json") << text;
    return read_machine_code(folder, {"toy", "first", 0});
  }

  std::string folder;
};

TEST_F(MachineCodeFile, IsReadWithTheLargestOfItsKernels) {
  const MachineCode code =
      read(R"({"source_hash": "abc", "compiler": {"nvcc": "13.0.88"},
    "shared_reads_per_multiply_add": 0.5, "kernels": [
      {"registers": 32, "shared_bytes": 2048, "spill_bytes": 0, "bytes_in_flight": 64},
      {"registers": 16, "shared_bytes": 4096, "spill_bytes": 8, "bytes_in_flight": 4}]})");
  EXPECT_EQ(code.missing, "");
  EXPECT_EQ(code.source_hash, "abc");
  EXPECT_EQ(code.compiler["nvcc"], "13.0.88");
  EXPECT_EQ(code.counts["registers"], 32);
  EXPECT_EQ(code.counts["shared_bytes"], 4096);
  EXPECT_EQ(code.counts["spill_bytes"], 8);
  EXPECT_EQ(code.counts["bytes_in_flight"], 64);
}

TEST_F(MachineCodeFile, KeepsTheHashWhenThereWasNoDisassembler) {
  const MachineCode code =
      read(R"({"source_hash": "abc", "compiler": {}, "kernels": [],
    "shared_reads_per_multiply_add": null, "missing": "the toolkit has no nvdisasm"})");
  EXPECT_EQ(code.source_hash, "abc");
  EXPECT_TRUE(code.counts.is_null());
  EXPECT_EQ(code.missing, "the toolkit has no nvdisasm");
}

TEST_F(MachineCodeFile, SaysThatItIsAbsentOrBroken) {
  const MachineCode absent = read_machine_code(folder, {"toy", "other", 0});
  EXPECT_NE(absent.missing.find("there is no "), std::string::npos);
  EXPECT_TRUE(absent.source_hash.is_null());
  EXPECT_TRUE(absent.compiler.is_null());
  EXPECT_TRUE(absent.counts.is_null());
  for (const char* broken : {"", "{", "[]", R"({"source_hash": "abc"})"}) {
    const MachineCode code = read(broken);
    EXPECT_NE(code.missing.find("is not what the build writes"), std::string::npos);
    EXPECT_TRUE(code.source_hash.is_null());
  }
}

}  // namespace
}  // namespace rungs
