// The floors on the CPU device: they do exactly what they say, and their own checks
// see when that is not so.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "check/case.hpp"
#include "lessons/matmul/matmul.hpp"
#include "rung/counts.hpp"
#include "rung/cpu_device_calls.hpp"
#include "rung/cuda_error.hpp"
#include "rung/peer.hpp"

namespace rungs {
namespace {

Tolerance exact(const Shape&) { return {}; }

/// Tensors of any length: what they hold is all that floors know of them.
Operation made_up(std::vector<Input> inputs, std::vector<Output> outputs) {
  return {.sizes = {"a", "b", "c"},
          .inputs = std::move(inputs),
          .outputs = std::move(outputs),
          .multiply_adds = [](const Shape& shape) -> std::int64_t {
            return std::int64_t{shape["a"]} * shape["b"] + shape["c"];
          }};
}

const Operation& sums() {  // more read than written
  static const Operation operation =
      made_up({{"x", {"a", "b"}}, {"y", {"c"}}}, {{"z", {}, exact}});
  return operation;
}

const Operation& outer() {  // more written than read
  static const Operation operation =
      made_up({{"x", {"a"}}}, {{"y", {"a", "b"}, exact}, {"z", {"c"}, exact}});
  return operation;
}

const Operation& scale() {  // as much read as written, but for two small tensors
  static const Operation operation =
      made_up({{"x", {"a"}}, {"y", {"c"}}, {"z", {"c"}}}, {{"w", {"a"}, exact}});
  return operation;
}

class Floors : public testing::Test {
 protected:
  Variant floor(const Operation& operation, const std::string& name) {
    for (const Variant& variant : registered_variants(operation)) {
      if (variant.name == name) return variant;
    }
    throw std::runtime_error("no floor is called " + name);
  }

  /// Launches once on new, poisoned buffers; what it counted is in counts().
  Buffers launch(const Operation& operation, const Variant& variant,
                 const Shape& shape) {
    Buffers buffers(operation, shape, variant.scratch_bytes(shape));
    Case made(operation, shape, 5);
    buffers.upload(made.inputs());
    buffers.poison();
    reset_counts();
    variant.launch(buffers, shape, nullptr);
    require(cudaGetLastError(), "the launch");
    require(cudaDeviceSynchronize(), "the kernel");
    return buffers;
  }

  Json counts() { return ptx_counts(counts_document()); }
  std::int64_t counted(const char* name) { return counts().at(name); }

  /// The first kernel's own count at this place of the counts document.
  std::int64_t of_kernel(const char* path) {
    return counts().at("kernels").at(0).at(Json::json_pointer(path));
  }
};

void overwrite(void* word, std::uint32_t value) {
  require(cudaMemcpy(word, &value, sizeof(value), cudaMemcpyHostToDevice),
          "overwriting a word");
}

void expect_refused(const Comparison& found) {
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message, "");
}

class FfmaAt : public Floors,
               public testing::WithParamInterface<std::vector<int>> {};

TEST_P(FfmaAt, MakesExactlyAsManyMultiplyAddsAsTheProduct) {
  const Operation& operation = matmul::problem().operation();
  const Shape shape = operation.shape(GetParam());
  const std::int64_t wanted = std::int64_t{shape["M"]} * shape["N"] * shape["K"];
  const Variant variant = floor(operation, "floor-ffma");
  const Buffers buffers = launch(operation, variant, shape);
  EXPECT_EQ(counted("multiply_adds"), wanted);
  const Comparison found = variant.check(buffers, shape);
  EXPECT_TRUE(found.passed) << found.message;
}

// The last is above 512 a thread, so that every turn of the loops is taken.
INSTANTIATE_TEST_SUITE_P(Shapes, FfmaAt,
                         testing::Values(std::vector{1, 1, 1},
                                         std::vector{7, 11, 13},
                                         std::vector{128, 64, 64},
                                         std::vector{256, 128, 192},
                                         std::vector{593, 400, 401}));

TEST_F(Floors, FfmaUsesEveryMultiprocessor) {
  const Operation& operation = matmul::problem().operation();
  const Shape shape = operation.shape({128, 64, 64});
  launch(operation, floor(operation, "floor-ffma"), shape);
  EXPECT_EQ(of_kernel("/blocks") % 132, 0);
}

TEST_F(Floors, FfmaNoticesAMultiplyAddThatIsMissing) {
  const Operation& operation = matmul::problem().operation();
  const Shape shape = operation.shape({128, 64, 64});
  const Variant variant = floor(operation, "floor-ffma");
  const Buffers buffers = launch(operation, variant, shape);
  overwrite(buffers.scratch(), 2);
  expect_refused(variant.check(buffers, shape));
}

TEST_F(Floors, FfmaNoticesThatNothingRan) {
  const Operation& operation = matmul::problem().operation();
  const Shape shape = operation.shape({128, 64, 64});
  const Variant variant = floor(operation, "floor-ffma");
  Buffers buffers(operation, shape, variant.scratch_bytes(shape));
  buffers.poison();
  expect_refused(variant.check(buffers, shape));
}

TEST_F(Floors, FfmaIsMissingWhereWorkIsNotMultiplyAdds) {
  Operation operation = sums();
  EXPECT_EQ(floor(operation, "floor-ffma").missing(), "");
  operation.multiply_adds = nullptr;
  EXPECT_NE(floor(operation, "floor-ffma").missing(), "");
}

TEST_F(Floors, StreamsTakeFourTensorsAndNoMore) {
  const Input input{"x", {"a"}};
  Operation operation =
      made_up({input, input, input, input}, {{"z", {"a"}, exact}});
  EXPECT_EQ(floor(operation, "floor-copy").missing(), "");
  operation.inputs.push_back(input);
  EXPECT_NE(floor(operation, "floor-copy").missing(), "");
  EXPECT_NE(floor(operation, "floor-read").missing(), "");
}

TEST_F(Floors, ACopyOfSingleNumbersIsNoFloor) {
  Operation operation = made_up({{"x", {"a"}}}, {{"z", {}, exact}});
  EXPECT_NE(floor(operation, "floor-copy").missing().find("floor-read"),
            std::string::npos);
  EXPECT_EQ(floor(operation, "floor-read").missing(), "");
  operation.outputs.push_back({"y", {"a"}, exact});
  EXPECT_EQ(floor(operation, "floor-copy").missing(), "");
}

struct StreamCase {
  const Operation& (*operation)();
  std::vector<int> sizes;

  /// As GoogleTest names the case: without an address, which changes every time.
  friend void PrintTo(const StreamCase& one, std::ostream* out) {
    *out << one.operation().inputs.size() << " inputs, "
         << one.operation().shape(one.sizes).text();
  }
};

const Operation& product() { return matmul::problem().operation(); }

/// Every word that a copy reads has a place: it keeps no sum.
bool inputs_fit(const Operation& operation, const Shape& shape) {
  std::int64_t quads = 0;
  std::int64_t rests = 0;
  for (const Input& input : operation.inputs) {
    quads += element_count(shape, input.extents) / 4;
    rests += element_count(shape, input.extents) % 4;
  }
  for (const Output& output : operation.outputs) {
    quads -= element_count(shape, output.extents) / 4;
    rests += element_count(shape, output.extents) % 4;
  }
  return quads <= 0 && rests == 0;
}

class StreamAt : public Floors, public testing::WithParamInterface<StreamCase> {};

TEST_P(StreamAt, ReadsEveryWordOnceAndWritesEveryWordOnce) {
  const Operation& operation = GetParam().operation();
  const Shape shape = operation.shape(GetParam().sizes);
  std::int64_t read = 0;
  std::int64_t written = 0;
  for (const Input& input : operation.inputs) {
    read += element_count(shape, input.extents) * 4;
  }
  for (const Output& output : operation.outputs) {
    written += element_count(shape, output.extents) * 4;
  }
  for (const char* const name : {"floor-copy", "floor-read"}) {
    const bool copies = std::string(name) == "floor-copy";
    const Variant variant = floor(operation, name);
    const Buffers buffers = launch(operation, variant, shape);
    const Comparison found = variant.check(buffers, shape);
    EXPECT_TRUE(found.passed) << name << ": " << found.message;
    EXPECT_EQ(of_kernel("/global/load/bytes"), read) << name;
    // Beside the outputs: one word for each warp that keeps a sum.
    const std::int64_t sums =
        of_kernel("/global/store/bytes") - (copies ? written : 0);
    if (!copies) {
      EXPECT_EQ(sums, of_kernel("/blocks") * of_kernel("/threads_per_block") / 8);
    } else if (inputs_fit(operation, shape)) {
      EXPECT_EQ(sums, 0);
    } else {
      EXPECT_GT(sums, 0);
      EXPECT_LE(sums, static_cast<std::int64_t>(variant.scratch_bytes(shape)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Operations, StreamAt,
    testing::Values(
        StreamCase{product, {128, 64, 64}}, StreamCase{product, {256, 128, 192}},
        StreamCase{product, {7, 11, 13}},
        StreamCase{product, {2048, 512, 1024}},  // several tiles a block
        StreamCase{sums, {100, 101, 3}}, StreamCase{sums, {1, 1, 1}},
        StreamCase{outer, {33, 129, 5}}, StreamCase{outer, {1, 2, 4097}},
        StreamCase{outer, {36, 129, 8}}, StreamCase{scale, {1028, 1, 4}}));

TEST_F(Floors, CopyOfTheProductHoldsA) {
  const Operation& operation = product();
  const Shape shape = operation.shape({128, 64, 64});
  const Buffers buffers = launch(operation, floor(operation, "floor-copy"), shape);
  const std::vector<float> a = buffers.download_inputs().at("A");
  EXPECT_EQ(buffers.download_outputs().at("C"), a);
}

TEST_F(Floors, CopyIsOneQuadAThread) {
  const Operation& operation = scale();
  launch(operation, floor(operation, "floor-copy"), operation.shape({65536, 1, 4}));
  EXPECT_EQ(of_kernel("/threads_per_block"), 256);
  // 64 for 16384 quads, one for each of the small tensors.
  EXPECT_EQ(of_kernel("/blocks"), 66);
  const std::int64_t quads = 65536 / 4 + 2;
  EXPECT_EQ(of_kernel("/global/load/thread_instructions"), quads);
}

TEST_F(Floors, TheySayWhatTheyDoAndOfWhichSource) {
  const Operation& operation = product();
  std::set<std::string> hashes;
  for (const char* const name : {"floor-copy", "floor-ffma", "floor-read"}) {
    const Variant variant = floor(operation, name);
    EXPECT_EQ(variant.source_hash.size(), 64u) << name;
    hashes.insert(variant.source_hash);
    const bool moves = std::string(name) != "floor-ffma";
    EXPECT_EQ(variant.work.multiply_adds, !moves) << name;
    EXPECT_EQ(variant.work.input_bytes, moves) << name;
    EXPECT_EQ(variant.work.output_bytes, std::string(name) == "floor-copy") << name;
  }
  EXPECT_EQ(hashes.size(), 3u);
}

TEST_F(Floors, NothingIsReadOfAnEmptyTensor) {
  const Operation& operation = sums();
  const Shape shape = operation.shape({0, 5, 0});
  for (const char* const name : {"floor-copy", "floor-read"}) {
    const Variant variant = floor(operation, name);
    const Buffers buffers = launch(operation, variant, shape);
    const Comparison found = variant.check(buffers, shape);
    EXPECT_TRUE(found.passed) << name << ": " << found.message;
    EXPECT_EQ(of_kernel("/global/load/bytes"), 0) << name;
  }
}

TEST_F(Floors, CopyNoticesAWordThatIsNotTheInputs) {
  const Operation& operation = product();
  const Shape shape = operation.shape({128, 64, 64});
  const Variant variant = floor(operation, "floor-copy");
  const Buffers buffers = launch(operation, variant, shape);
  overwrite(buffers.output("C") + 128 * 64 - 1, 0xFFFFFFFF);
  expect_refused(variant.check(buffers, shape));
}

TEST_F(Floors, CopyAndReadNoticeASumThatIsWrong) {
  const Operation& operation = product();
  const Shape shape = operation.shape({128, 64, 64});
  for (const char* const name : {"floor-copy", "floor-read"}) {
    const Variant variant = floor(operation, name);
    const Buffers buffers = launch(operation, variant, shape);
    overwrite(buffers.scratch(), 0x12345678);
    expect_refused(variant.check(buffers, shape));
  }
}

TEST_F(Floors, ReadNoticesThatNothingRan) {
  const Operation& operation = product();
  const Shape shape = operation.shape({128, 64, 64});
  const Variant variant = floor(operation, "floor-read");
  Buffers buffers(operation, shape, variant.scratch_bytes(shape));
  buffers.upload(Case(operation, shape, 5).inputs());
  buffers.poison();
  expect_refused(variant.check(buffers, shape));
}

}  // namespace
}  // namespace rungs
