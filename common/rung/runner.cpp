#include "rung/runner.hpp"

#include <algorithm>

#include "rung/cpu_device_calls.hpp"
#include "rung/cuda_error.hpp"
#include "rung/stop.hpp"

namespace rungs {
namespace {

/// Names the rung, the shape, the call, and on the CPU device where in the source
/// it went wrong.
std::string sentence(const Rung& rung, const Shape& shape, const CudaError& error) {
  const bool of_a_kernel = error.code() != cudaErrorMemoryAllocation;
  const std::string fault = of_a_kernel ? last_fault() : "";
  return rung.key().text() + " at " + shape.text() + ": " + error.what() +
         (fault.empty() ? "" : ": " + fault);
}

/// What the CPU device does not implement, and memory that is not there, say
/// nothing about the rung.
bool is_of_the_machine(cudaError_t code) {
  return code == cudaErrorNotSupported || code == cudaErrorMemoryAllocation;
}

}  // namespace

bool Result::passed() const {
  return error.empty() &&
         std::all_of(checks.begin(), checks.end(),
                     [](const auto& check) { return check.comparison.passed; });
}

Runner::Runner(const Options& options, const Device& device)
    : options_(options),
      operation_(with_ranges(options.rungs.front()->operation(), options.ranges)),
      cpu_(device.kind == DeviceKind::cpu) {}

Result Runner::check(const Rung& rung) {
  Result result{.rung = &rung};
  if (!stopped_by_.empty()) {
    result.error = rung.key().text() + " was not run: the fault of " + stopped_by_ +
                   " stopped the device";
    result.cannot_run = true;
    result.stopped_by = stopped_by_;
    return result;
  }
  std::vector<Shape> shapes;
  if (options_.ranges.empty()) shapes = small_shapes(rung);
  shapes.push_back(options_.shape);
  std::size_t at = 0;
  try {
    for (; at < shapes.size() && result.passed(); ++at) {
      check_at(shapes[at], at + 1 == shapes.size(), result);
    }
  } catch (const CudaError& error) {
    result.error = sentence(rung, shapes[at], error);
    result.cannot_run = is_of_the_machine(error.code());
    result.counts.clear();
    // A fault stays with the process, on a GPU too: no later call can succeed.
    if (cudaDeviceSynchronize() != cudaSuccess) stopped_by_ = rung.key().text();
  }
  return result;
}

void Runner::check_at(const Shape& shape, bool full, Result& result) {
  const Rung& rung = *result.rung;
  auto& [problem, buffers] = place_at(shape);
  if (cpu_) configure_cpu_device("checks", full ? "none" : "race,uninitialised");

  buffers.resize_scratch(rung.scratch_bytes(shape));
  buffers.poison();
  if (cpu_) reset_counts();
  rung.run(buffers, shape);
  const std::string changed = buffers.changed_input(problem.inputs());
  const Comparison found = problem.check(buffers.download_outputs(), changed);
  // The next rung's inputs are not this one's leavings.
  if (!changed.empty()) buffers.upload(problem.inputs());
  result.checks.push_back({shape, found});
  if (full && found.passed && cpu_ && options_.action != Action::check) {
    result.counts = counts_document();
  }
}

void Runner::profile(const Rung& rung) {
  try {
    Buffers& buffers = place_at(options_.shape).buffers;
    buffers.resize_scratch(rung.scratch_bytes(options_.shape));
    rung.run(buffers, options_.shape);
  } catch (const CudaError& error) {
    throw Stop(
        is_of_the_machine(error.code()) ? Exit::cannot_run : Exit::check_failed,
        sentence(rung, options_.shape, error));
  }
}

Runner::Place::Place(const Operation& operation, const Shape& shape,
                     std::uint64_t seed)
    : problem(operation, shape, seed), buffers(operation, shape, 0) {
  buffers.upload(problem.inputs());
}

Runner::Place& Runner::place_at(const Shape& shape) {
  const auto [entry, is_new] =
      places_.try_emplace(shape.sizes(), operation_, shape, options_.seed);
  return entry->second;
}

std::vector<Shape> Runner::small_shapes(const Rung& rung) const {
  std::vector<Shape> shapes;
  for (const std::vector<int>& sizes : rung.operation().small) {
    const Shape shape = rung.operation().shape(sizes);
    if (rung.refuse(shape).empty()) shapes.push_back(shape);
  }
  if (shapes.size() < 2) {
    throw Stop(Exit::check_failed,
               rung.key().text() + " does " + std::to_string(shapes.size()) +
                   " of the small shapes of its problem; add shapes "
                   "that it does until there are two");
  }
  return shapes;
}

}  // namespace rungs
