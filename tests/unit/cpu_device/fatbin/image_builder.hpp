/// \file
/// Builds fat binaries and cubins byte by byte, as the tests need them: good ones,
/// to be damaged afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rungs::cpu_device::fatbin::test {

using Image = std::vector<std::byte>;

void append(Image& image, const void* data, size_t bytes);

template <typename T>
void append(Image& image, const T& value) {
  append(image, &value, sizeof value);
}

/// One entry: header of 64 bytes and the payload, padded to 8.
struct EntrySpec {
  uint16_t kind = 1;
  uint32_t architecture = 90;
  Image payload;
  uint64_t flags = 0x11;
  uint64_t uncompressed_bytes = 0;  ///< with a compression flag
};

Image bytes_of(const std::string& text);

/// A container with these entries.
Image container(const std::vector<EntrySpec>& entries);

/// A cubin with one kernel: its register number and stack in .nv.info, and a
/// constant bank.
Image cubin(const std::string& kernel, uint32_t registers, uint32_t stack_bytes,
            uint32_t constant_bytes);

}  // namespace rungs::cpu_device::fatbin::test
