/// \file
/// Copies and fills, with the checks that CUDA specifies.
#include <cstring>

#include "cpu_device/runtime/operation.hpp"
#include "cpu_device/runtime/runtime.hpp"

namespace rungs::cpu_device {
namespace {

std::string hexadecimal(const void* pointer) {
  char text[32];
  std::snprintf(
      text, sizeof text, "0x%llx",
      static_cast<unsigned long long>(reinterpret_cast<Address>(pointer)));
  return text;
}

/// Bytes from the first to the last one that is touched.
uint64_t extent(const CopySide& side, uint64_t width, uint64_t height,
                uint64_t depth) {
  if (width == 0 || height == 0 || depth == 0) return 0;
  return (depth - 1) * side.rows * side.pitch + (height - 1) * side.pitch + width;
}

/// \throws Failure unless the bytes lie in one allocation
std::byte* bytes_of(Runtime& runtime, const CopySide& side, uint64_t bytes,
                    const char* role) {
  std::byte* const host = runtime.memory.host_bytes(side.pointer, bytes);
  if (host) return host;
  throw Failure{
      cudaErrorInvalidValue,
      std::to_string(bytes) + " bytes " + role + " " + hexadecimal(side.pointer) +
          " (" + runtime.memory.describe(reinterpret_cast<Address>(side.pointer)) +
          ") leave the allocation"};
}

/// Device memory cannot stand in for the host's, nor the host's own for the
/// device's. Pinned and managed memory is both.
void check_direction(const Memory& memory, const void* pointer, bool wants_device) {
  const MemoryKind kind = memory.find(pointer).kind;
  require(kind != (wants_device ? MemoryKind::pageable : MemoryKind::device),
          cudaErrorInvalidValue);
}

}  // namespace

void check_copy(Runtime& runtime, const CopyOperation& copy) {
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return;
  require(copy.to.pointer && copy.from.pointer);
  if (copy.height > 1 || copy.depth > 1) {
    require(copy.width <= copy.to.pitch && copy.width <= copy.from.pitch,
            cudaErrorInvalidPitchValue);
  }
  if (copy.depth > 1) {
    require(copy.height <= copy.to.rows && copy.height <= copy.from.rows);
  }
  switch (copy.kind) {
    case cudaMemcpyHostToHost:
    case cudaMemcpyHostToDevice:
    case cudaMemcpyDeviceToHost:
    case cudaMemcpyDeviceToDevice: {
      const bool to_device = copy.kind == cudaMemcpyHostToDevice ||
                             copy.kind == cudaMemcpyDeviceToDevice;
      const bool from_device = copy.kind == cudaMemcpyDeviceToHost ||
                               copy.kind == cudaMemcpyDeviceToDevice;
      check_direction(runtime.memory, copy.to.pointer, to_device);
      check_direction(runtime.memory, copy.from.pointer, from_device);
      break;
    }
    case cudaMemcpyDefault:
      break;
    default:
      throw Failure{cudaErrorInvalidMemcpyDirection};
  }
  bytes_of(runtime, copy.to, extent(copy.to, copy.width, copy.height, copy.depth),
           "to");
  bytes_of(runtime, copy.from,
           extent(copy.from, copy.width, copy.height, copy.depth), "from");
}

void run_copy(Runtime& runtime, const CopyOperation& copy) {
  const uint64_t to_bytes = extent(copy.to, copy.width, copy.height, copy.depth);
  if (to_bytes == 0) return;
  const uint64_t from_bytes =
      extent(copy.from, copy.width, copy.height, copy.depth);
  std::byte* const to = bytes_of(runtime, copy.to, to_bytes, "to");
  const std::byte* const from = bytes_of(runtime, copy.from, from_bytes, "from");
  for (size_t slice = 0; slice < copy.depth; ++slice) {
    for (size_t row = 0; row < copy.height; ++row) {
      // memmove: ranges that overlap are undefined in CUDA, but must not hurt here.
      std::memmove(to + (slice * copy.to.rows + row) * copy.to.pitch,
                   from + (slice * copy.from.rows + row) * copy.from.pitch,
                   copy.width);
    }
  }
}

void check_fill(Runtime& runtime, const FillOperation& fill) {
  const unsigned size = fill.element_bytes;
  require(size == 1 || size == 2 || size == 4);
  if (fill.width == 0 || fill.height == 0 || fill.depth == 0) return;
  require(fill.to.pointer);
  require(reinterpret_cast<Address>(fill.to.pointer) % size == 0);
  const uint64_t row_bytes = fill.width * size;
  if (fill.height > 1 || fill.depth > 1) {
    require(row_bytes <= fill.to.pitch && fill.to.pitch % size == 0);
  }
  if (fill.depth > 1) require(fill.height <= fill.to.rows);
  check_direction(runtime.memory, fill.to.pointer, true);
  bytes_of(runtime, fill.to, extent(fill.to, row_bytes, fill.height, fill.depth),
           "to");
}

void run_fill(Runtime& runtime, const FillOperation& fill) {
  const uint64_t row_bytes = fill.width * fill.element_bytes;
  const uint64_t bytes = extent(fill.to, row_bytes, fill.height, fill.depth);
  if (bytes == 0) return;
  std::byte* const to = bytes_of(runtime, fill.to, bytes, "to");
  for (size_t slice = 0; slice < fill.depth; ++slice) {
    for (size_t row = 0; row < fill.height; ++row) {
      std::byte* const begin = to + (slice * fill.to.rows + row) * fill.to.pitch;
      if (fill.element_bytes == 1) {
        std::memset(begin, static_cast<int>(fill.value), row_bytes);
        continue;
      }
      for (size_t i = 0; i < fill.width; ++i) {
        std::memcpy(begin + i * fill.element_bytes, &fill.value,
                    fill.element_bytes);
      }
    }
  }
}

}  // namespace rungs::cpu_device
