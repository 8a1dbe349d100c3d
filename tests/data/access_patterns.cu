/// \file
/// One memory instruction a warp, for every pattern of patterns.cpp.
///
/// The kernels exist to be counted: by Nsight Compute on a GPU, by the CPU device
/// here. Lane offsets come from constant memory, which neither the shared nor the
/// global counters see, so every count belongs to the pattern, except where noted:
///   - shared loads: the tile is filled first, 4 bytes a lane, lane after lane.
///   That
///     adds to the shared *store* counters only.
///   - shared stores: each lane reads back what lies at its own address. That adds
///   to
///     the shared *load* counters only.
///   - results go out by global stores, lane after lane. A global *store* pattern
///   writes
///     nothing else, a global *load* pattern adds to the store counters only.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "accesses.cuh"
#include "counters.hpp"
#include "patterns.hpp"

namespace access_patterns {

constexpr int kRegionBytes = 32 * 1024;
// The global buffer leaves room on both sides, so that no pattern touches its ends.
constexpr int kGlobalBytes = 2 * kRegionBytes;

__constant__ int lane_offset[kWarpSize];

/// What the byte-addressed word `index` of every source holds; odd, so never all
/// zero.
__host__ __device__ inline unsigned source_word(unsigned index) {
  return (index * 2654435761u) ^ 0x5bd1e995u;
}

/// What a thread stores; different in every thread and every word.
__host__ __device__ inline unsigned stored_word(unsigned thread, unsigned word) {
  return 0x9e3779b9u * (thread * 4 + word + 1);
}

template <int width>
__global__ void shared_load(Result* results) {
  __shared__ alignas(1024) unsigned tile[kRegionBytes / 4];
  for (int i = threadIdx.x; i < kRegionBytes / 4; i += blockDim.x) {
    tile[i] = source_word(i);
  }
  __syncthreads();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int region =
      threadIdx.x / kWarpSize * (kRegionBytes / (blockDim.x / kWarpSize));
  const int offset = lane_offset[threadIdx.x % kWarpSize];
  if (offset != kInactive) {
    const auto base = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    results[thread] = Shared<width>::load(base + region + offset);
  }
}

template <int width>
__global__ void shared_store(Result* results) {
  __shared__ alignas(1024) unsigned tile[kRegionBytes / 4];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int region =
      threadIdx.x / kWarpSize * (kRegionBytes / (blockDim.x / kWarpSize));
  const int offset = lane_offset[threadIdx.x % kWarpSize];
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (offset != kInactive) {
    const Result value = {stored_word(thread, 0), stored_word(thread, 1),
                          stored_word(thread, 2), stored_word(thread, 3)};
    Shared<width>::store(base + region + offset, value);
  }
  // Keeps the read-back from being answered by the register that was just stored.
  __syncthreads();
  if (offset != kInactive) {
    results[thread] = Shared<width>::load(base + region + offset);
  }
}

template <int width, template <int> class Access>
__global__ void global_load(const unsigned char* source, Result* results) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int region =
      threadIdx.x / kWarpSize * (kRegionBytes / (blockDim.x / kWarpSize));
  const int offset = lane_offset[threadIdx.x % kWarpSize];
  if (offset != kInactive) {
    results[thread] = Access<width>::load(source + region + offset);
  }
}

template <int width>
__global__ void global_store(unsigned char* target) {
  // Blocks write the same places with the same values: the last writer does not
  // matter.
  const int thread = threadIdx.x;
  const int region =
      threadIdx.x / kWarpSize * (kRegionBytes / (blockDim.x / kWarpSize));
  const int offset = lane_offset[threadIdx.x % kWarpSize];
  if (offset != kInactive) {
    const Result value = {stored_word(thread, 0), stored_word(thread, 1),
                          stored_word(thread, 2), stored_word(thread, 3)};
    Global<width>::store(target + region + offset, value);
  }
}

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

struct Buffers {
  unsigned char* source = nullptr;
  unsigned char* target = nullptr;
  Result* results = nullptr;
  int max_threads = 0;
  std::vector<unsigned> host_source;

  explicit Buffers(int threads)
      : max_threads(threads), host_source(kGlobalBytes / 4) {
    for (std::size_t i = 0; i < host_source.size(); ++i) {
      host_source[i] = source_word(static_cast<unsigned>(i));
    }
    check(cudaMalloc(&source, kGlobalBytes), "allocating the source");
    check(cudaMalloc(&target, kGlobalBytes), "allocating the target");
    check(cudaMalloc(&results, threads * sizeof(Result)), "allocating the results");
    check(cudaMemcpy(source, host_source.data(), kGlobalBytes,
                     cudaMemcpyHostToDevice),
          "filling the source");
  }
};

template <int width>
void launch_width(const Pattern& pattern, const Buffers& buffers) {
  const dim3 grid(pattern.blocks);
  const dim3 block(pattern.warps * kWarpSize);
  if (pattern.space == Space::shared && pattern.direction == Direction::load) {
    shared_load<width><<<grid, block>>>(buffers.results);
  } else if (pattern.space == Space::shared) {
    shared_store<width><<<grid, block>>>(buffers.results);
  } else if (pattern.direction == Direction::store) {
    global_store<width><<<grid, block>>>(buffers.target);
  } else if (pattern.read_only) {
    global_load<width, GlobalReadOnly>
        <<<grid, block>>>(buffers.source, buffers.results);
  } else {
    global_load<width, Global><<<grid, block>>>(buffers.source, buffers.results);
  }
}

void launch(const Pattern& pattern, const Buffers& buffers) {
  check(
      cudaMemcpyToSymbol(lane_offset, pattern.offsets.data(), sizeof(LaneOffsets)),
      "setting the lane offsets");
  switch (pattern.width) {
    case 1:
      launch_width<1>(pattern, buffers);
      break;
    case 2:
      launch_width<2>(pattern, buffers);
      break;
    case 4:
      launch_width<4>(pattern, buffers);
      break;
    case 8:
      launch_width<8>(pattern, buffers);
      break;
    default:
      launch_width<16>(pattern, buffers);
      break;
  }
  check(cudaGetLastError(), pattern.name.c_str());
  check(cudaDeviceSynchronize(), pattern.name.c_str());
}

/// The value of `width` bytes at `offset` of `bytes`, as the kernels return it.
Result value_at(const void* bytes, int offset, int width) {
  Result value{};
  std::memcpy(value.word, static_cast<const unsigned char*>(bytes) + offset, width);
  return value;
}

bool equal(const Result& a, const Result& b) {
  return std::memcmp(a.word, b.word, sizeof a.word) == 0;
}

/// What thread `thread` stores, cut to the width.
Result stored_value(int thread, int width) {
  unsigned words[4];
  for (unsigned w = 0; w < 4; ++w) words[w] = stored_word(thread, w);
  return value_at(words, 0, width);
}

/// Whether some lane of the same warp that shares the address stored `value`: lanes
/// may collide, and then any one of them may win.
bool stored_by_a_sharer(const Pattern& pattern, int first_thread, int lane,
                        const Result& value) {
  for (int other = 0; other < kWarpSize; ++other) {
    if (pattern.offsets[other] == pattern.offsets[lane] &&
        equal(value, stored_value(first_thread + other, pattern.width))) {
      return true;
    }
  }
  return false;
}

bool verify(const Pattern& pattern, const Buffers& buffers) {
  const int threads = pattern.blocks * pattern.warps * kWarpSize;
  std::vector<Result> results(threads);
  std::vector<unsigned char> target(kGlobalBytes);
  check(cudaMemcpy(results.data(), buffers.results, threads * sizeof(Result),
                   cudaMemcpyDeviceToHost),
        "reading the results");
  check(cudaMemcpy(target.data(), buffers.target, kGlobalBytes,
                   cudaMemcpyDeviceToHost),
        "reading the target");
  const bool global_stores =
      pattern.space == Space::global && pattern.direction == Direction::store;
  for (int thread = 0; thread < threads; ++thread) {
    const int lane = thread % kWarpSize;
    if (pattern.offsets[lane] == kInactive) continue;
    const int warp_in_block = thread / kWarpSize % pattern.warps;
    const int at =
        warp_in_block * (kRegionBytes / pattern.warps) + pattern.offsets[lane];
    bool good = false;
    if (pattern.direction == Direction::load) {
      // The tile of a shared load holds the same words as the global source.
      good = equal(results[thread],
                   value_at(buffers.host_source.data(), at, pattern.width));
    } else if (global_stores) {
      good = stored_by_a_sharer(pattern, warp_in_block * kWarpSize, lane,
                                value_at(target.data(), at, pattern.width));
    } else {
      good = stored_by_a_sharer(pattern, thread - lane, lane, results[thread]);
    }
    if (!good) {
      std::fprintf(stderr, "%s: thread %d moved a wrong value at byte %d\n",
                   pattern.name.c_str(), thread, at);
      return false;
    }
  }
  return true;
}

/// One line a pattern: name, width, blocks, warps and the lane offsets.
void list(const std::vector<Pattern>& patterns) {
  for (const Pattern& pattern : patterns) {
    std::printf("%s\t%d\t%d\t%d\t", pattern.name.c_str(), pattern.width,
                pattern.blocks, pattern.warps);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const char* end = lane + 1 < kWarpSize ? "," : "\n";
      if (pattern.offsets[lane] == kInactive) {
        std::printf("-%s", end);
      } else {
        std::printf("%d%s", pattern.offsets[lane], end);
      }
    }
  }
}

[[noreturn]] void usage(const std::string& problem) {
  std::fprintf(
      stderr,
      "%s: use --list, --only PREFIX (for example shared_load_16/) or, on the "
      "CPU device, --counts FILE\n",
      problem.c_str());
  std::exit(2);
}

}  // namespace

int run(int argc, char** argv) {
  std::string prefix;
  std::string counts_path;
  bool only_list = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--list") {
      only_list = true;
    } else if (i + 1 < argc && option == "--only") {
      prefix = argv[++i];
    } else if (i + 1 < argc && option == "--counts") {
      counts_path = argv[++i];
    } else {
      usage("unknown option '" + option + "'");
    }
  }
  std::vector<Pattern> patterns;
  int max_threads = 0;
  for (const Pattern& pattern : all_patterns()) {
    if (pattern.name.rfind(prefix, 0) != 0) continue;
    patterns.push_back(pattern);
    max_threads = std::max(max_threads, pattern.blocks * pattern.warps * kWarpSize);
  }
  if (patterns.empty()) usage("no pattern starts with '" + prefix + "'");
  if (only_list) {
    list(patterns);
    return 0;
  }
  const Buffers buffers(max_threads);
  CountsFile counts(counts_path);
  int wrong = 0;
  for (const Pattern& pattern : patterns) {
    // Poison: a launch that moves nothing must not pass on the values of the last
    // one.
    check(cudaMemset(buffers.results, 0xcc, max_threads * sizeof(Result)),
          "poisoning");
    check(cudaMemset(buffers.target, 0xcc, kGlobalBytes), "poisoning");
    counts.start();
    launch(pattern, buffers);
    counts.finish(pattern.name);
    wrong += verify(pattern, buffers) ? 0 : 1;
  }
  std::printf("%zu patterns, %d wrong\n", patterns.size(), wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace access_patterns

int main(int argc, char** argv) { return access_patterns::run(argc, argv); }
