#include "measure/cupti.hpp"

#include <cstdlib>
#include <mutex>
#include <utility>

#include "measure/cupti_library.hpp"
#include "measure/kernel_name.hpp"
#include "measure/missing.hpp"
#include "rung/cuda_error.hpp"

namespace rungs {
namespace {

constexpr CUpti_ActivityKind kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

/// What CUPTI has handed over. Its callbacks take no context and may come from a
/// thread of its own.
struct Delivered {
  std::mutex mutex = {};
  std::vector<KernelRecord> records = {};
  std::size_t dropped = 0;
};

/// Never destroyed: CUPTI may hand over a buffer while the process exits.
Delivered& delivered() {
  static Delivered& delivered = *new Delivered;
  return delivered;
}

void require_cupti(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return;
  const char* name = nullptr;
  if (cupti_library().get_result_string(result, &name) != CUPTI_SUCCESS ||
      name == nullptr) {
    name = "an unknown error";
  }
  throw Missing(cupti_sentence(call, result, name));
}

KernelRecord read(const CUpti_ActivityKernel10& record) {
  return {.launch = {.name = kernel_name(record.name),
                     .grid = {record.gridX, record.gridY, record.gridZ},
                     .block = {record.blockX, record.blockY, record.blockZ},
                     .registers = record.registersPerThread,
                     .static_shared_bytes = record.staticSharedMemory,
                     .dynamic_shared_bytes = record.dynamicSharedMemory},
          .start = record.start,
          .end = record.end};
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size,
                          std::size_t* most_records) {
  constexpr std::size_t bytes = std::size_t{4} << 20;  // about 20,000 kernels
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, bytes));
  *size = *buffer == nullptr ? 0 : bytes;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream,
                          std::uint8_t* buffer, std::size_t /*size*/,
                          std::size_t valid) {
  Delivered& all = delivered();
  const std::lock_guard lock(all.mutex);
  CUpti_Activity* record = nullptr;
  while (valid > 0 &&
         cupti_library().get_next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == kind) {
      all.records.push_back(
          read(*reinterpret_cast<CUpti_ActivityKernel10*>(record)));
    }
  }
  std::size_t lost = 0;
  if (cupti_library().get_num_dropped_records(context, stream, &lost) ==
      CUPTI_SUCCESS) {
    all.dropped += lost;
  }
  std::free(buffer);
}

/// Once a process. A failure is told every time.
CUptiResult register_callbacks() {
  static const CUptiResult result =
      cupti_library().register_callbacks(give_buffer, take_buffer);
  return result;
}

std::size_t recorded() {
  const std::lock_guard lock(delivered().mutex);
  return delivered().records.size();
}

void flush(std::uint32_t flags) {
  require_cupti(cupti_library().flush_all(flags), "cuptiActivityFlushAll");
}

}  // namespace

KernelTrace::KernelTrace() {
  if (!cupti_library().missing.empty()) throw Missing(cupti_library().missing);
  require_cupti(register_callbacks(), "cuptiActivityRegisterCallbacks");
  {
    const std::lock_guard lock(delivered().mutex);
    delivered().records.clear();
    delivered().dropped = 0;
  }
  require_cupti(cupti_library().enable(kind), "cuptiActivityEnable");
}

KernelTrace::~KernelTrace() {
  // What a pass that failed has left is not the next one's.
  static_cast<void>(cupti_library().disable(kind));
  static_cast<void>(cupti_library().flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
}

std::vector<KernelRecord> KernelTrace::finish(int expected) {
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  flush(0);
  // A buffer with a record that is not complete stays behind until it is forced
  // out.
  if (recorded() < static_cast<std::size_t>(expected)) {
    flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  Delivered& all = delivered();
  const std::lock_guard lock(all.mutex);
  if (all.dropped != 0) {
    throw Missing("CUPTI dropped " + std::to_string(all.dropped) + " records");
  }
  return std::exchange(all.records, {});
}

std::string cupti_version() {
  const CuptiLibrary& library = cupti_library();
  return library.missing.empty() ? library.version : "";
}

}  // namespace rungs
