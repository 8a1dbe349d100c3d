// The floor of copying: each thread reads one quad of the inputs, 128 bits, and
// writes it to the same place of the outputs. A thread of many short blocks waits
// for its own read alone, and a new block comes as soon as one is done.
#include <algorithm>
#include <iterator>
#include <limits>

#include "floor_hashes.hpp"
#include "peers/floor_checks.hpp"
#include "peers/floor_words.cuh"
#include "peers/floors.hpp"
#include "rung/peer.hpp"

namespace rungs::floors::copy {

constexpr int threads = 256;
constexpr int warps = threads / lanes_of_a_warp;

/// Quads that lie one behind the other in one input and in one output. Where the
/// outputs have ended, `to` is null: the quads are read and added up. Where the
/// inputs have ended, `from` is null: the quads are filled with zeros. Neither is
/// there for the one block that does the tensors' rests.
struct Run {
  const uint4* from = nullptr;
  uint4* to = nullptr;
  unsigned quads = 0;
  unsigned first = std::numeric_limits<unsigned>::max();  ///< its first block
};

/// Each tensor's end ends a run; a last one is for the rests.
constexpr int most_runs = 2 * most_tensors + 1;

struct Runs {
  Run run[most_runs] = {};
  Rest from[most_tensors] = {};
  Rest to[most_tensors] = {};
  unsigned first_sum = 0;  ///< the first block that keeps sums; all behind it do
};

// [copy]
/// The run of a block that is not of the first one.
__device__ Run find(const Runs& runs) {
  Run found = runs.run[1];
#pragma unroll
  for (int i = 2; i < most_runs; ++i) {
    if (blockIdx.x >= runs.run[i].first) found = runs.run[i];
  }
  return found;
}

/// Fills the outputs' rests with zeros. Returns the sum of the inputs'.
__device__ std::uint32_t do_rests(const Runs& runs) {
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < most_tensors; ++i) {
    if (threadIdx.x < runs.from[i].count) {
      sum += __ldcg(runs.from[i].words + threadIdx.x);
    }
    if (threadIdx.x < runs.to[i].count) runs.to[i].words[threadIdx.x] = 0;
  }
  return sum;
}

__global__ void __launch_bounds__(threads)
    floor_copy(const __grid_constant__ Runs runs, std::uint32_t* sums) {
  Run run = runs.run[0];
  // Mostly the first run is the only one, and this all that there is to decide.
  if (blockIdx.x >= runs.run[1].first) run = find(runs);
  const unsigned at = (blockIdx.x - run.first) * threads + threadIdx.x;
  uint4 words = {};
  if (run.from != nullptr && at < run.quads) words = __ldcg(run.from + at);
  if (run.to != nullptr) {
    if (at < run.quads) __stcg(run.to + at, words);
    return;
  }
  std::uint32_t sum = sum_of(words);
  if (run.from == nullptr) sum = do_rests(runs);
  keep(sum, sums,
       (blockIdx.x - runs.first_sum) * warps + threadIdx.x / lanes_of_a_warp);
}
// [/copy]

/// Goes over the quads of a list of tensors.
class Quads {
 public:
  explicit Quads(const std::vector<Words>& tensors) : tensors_(tensors) {}

  /// Quads that are left of the tensor that it is at; 0 behind the last.
  std::int64_t left() {
    while (index_ < tensors_.size() && quad_ == tensors_[index_].count / 4) {
      ++index_;
      quad_ = 0;
    }
    return index_ < tensors_.size() ? tensors_[index_].count / 4 - quad_ : 0;
  }

  /// The next quads of that tensor; null if there are none.
  uint4* take(std::int64_t quads) {
    if (left() == 0) return nullptr;
    auto* const here = reinterpret_cast<uint4*>(tensors_[index_].data) + quad_;
    quad_ += quads;
    return here;
  }

 private:
  const std::vector<Words>& tensors_;
  std::size_t index_ = 0;
  std::int64_t quad_ = 0;
};

unsigned blocks_of(std::int64_t quads) {
  return static_cast<unsigned>((quads + threads - 1) / threads);
}

struct Plan {
  Runs runs = {};
  unsigned blocks = 0;

  std::size_t sums() const { return std::size_t{blocks - runs.first_sum} * warps; }
};

Plan plan_of(const Operation& operation, const Buffers& buffers,
             const Shape& shape) {
  const std::vector<Words> inputs = inputs_of(operation, buffers, shape);
  const std::vector<Words> outputs = outputs_of(operation, buffers, shape);
  Plan plan;
  std::transform(inputs.begin(), inputs.end(), plan.runs.from, rest_of);
  std::transform(outputs.begin(), outputs.end(), plan.runs.to, rest_of);

  Quads sources(inputs);
  Quads places(outputs);
  int count = 0;
  const auto append = [&](const uint4* from, uint4* to, std::int64_t quads) {
    const unsigned first = plan.blocks;
    plan.runs.run[count++] = {from, to, static_cast<unsigned>(quads), first};
    plan.blocks += std::max(1u, blocks_of(quads));
    if (to != nullptr) plan.runs.first_sum = plan.blocks;
  };
  while (sources.left() > 0 || places.left() > 0) {
    const std::int64_t read = sources.left();
    const std::int64_t write = places.left();
    const bool both = read > 0 && write > 0;
    const std::int64_t quads = both ? std::min(read, write) : std::max(read, write);
    append(sources.take(quads), places.take(quads), quads);
  }
  const auto is_some = [](const Rest& rest) { return rest.count > 0; };
  const bool rests =
      std::any_of(plan.runs.from, std::end(plan.runs.from), is_some) ||
      std::any_of(plan.runs.to, std::end(plan.runs.to), is_some);
  if (rests || count == 0) append(nullptr, nullptr, 0);
  return plan;
}

std::size_t scratch_bytes(const Operation& operation, const Shape& shape) {
  const std::int64_t beyond = std::max<std::int64_t>(
      0, quads_of(operation.inputs, shape) - quads_of(operation.outputs, shape));
  // Each input may begin a block, and one is for the rests.
  return (std::size_t{blocks_of(beyond)} + most_tensors + 1) * warps *
         sizeof(std::uint32_t);
}

void launch(const Operation& operation, const Buffers& buffers, const Shape& shape,
            cudaStream_t stream) {
  const Plan plan = plan_of(operation, buffers, shape);
  floor_copy<<<plan.blocks, threads, 0, stream>>>(
      plan.runs, static_cast<std::uint32_t*>(buffers.scratch()));
}

Comparison check(const Operation& operation, const Buffers& buffers,
                 const Shape& shape) {
  return check_copy(inputs_of(operation, buffers, shape),
                    outputs_of(operation, buffers, shape), buffers,
                    plan_of(operation, buffers, shape).sums());
}

const rungs::Floor floor = rungs::Floor({
    .name = "floor-copy",
    .source_hash = floor_copy_hash,
    .work = {.input_bytes = true, .output_bytes = true},
    .missing = [](const Operation& operation) -> std::string {
      const auto is_number = [](const Output& output) {
        return output.extents.empty();
      };
      if (std::all_of(operation.outputs.begin(), operation.outputs.end(),
                      is_number)) {
        return "this operation writes single numbers, so floor-read is its floor";
      }
      return missing_tensors(operation);
    },
    .scratch_bytes = scratch_bytes,
    .launch = launch,
    .check = check,
});

}  // namespace rungs::floors::copy
