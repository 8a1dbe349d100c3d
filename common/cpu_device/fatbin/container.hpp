/// \file
/// The fat binary: what nvcc puts into a program for each device it was built for,
/// PTX text and machine code side by side. The layout is the one that nvcc 13
/// writes (and fatbinary's earlier versions since CUDA 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rungs::cpu_device::fatbin {

/// A fat binary that is not well formed, or whose payload cannot be read here: one
/// sentence that says what, with the offset, and what would work.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Bytes = std::span<const std::byte>;

/// What an entry holds. The container knows more kinds; the rest are passed over.
enum class Kind : uint16_t { ptx = 1, cubin = 2 };

enum class Compression { none, zstd, lz4 };

/// One entry of a container. It points into the image.
struct Entry {
  Kind kind = Kind::ptx;
  uint32_t architecture = 0;  ///< 90 for compute_90 and sm_90
  Compression compression = Compression::none;
  Bytes payload;                    ///< without padding when compressed
  uint64_t uncompressed_bytes = 0;  ///< 0 when not compressed
};

/// Bytes of a container's fixed header: enough to ask for its size.
inline constexpr size_t container_header_bytes = 16;

/// The whole size of the container that begins here, header included.
/// \throws Error when it is no container or the header is cut off.
uint64_t container_bytes(Bytes image);

/// All PTX and cubin entries of one container or of several back to back (each
/// begins at a multiple of 8 bytes). A container without entries is no error.
/// \throws Error for a wrong magic number, and for a size past the end.
std::vector<Entry> entries(Bytes image);

/// The PTX entry for the newest virtual architecture that is not above `newest`, or
/// null.
const Entry* newest_ptx(const std::vector<Entry>& entries, uint32_t newest);

/// The cubin for exactly this architecture, or null.
const Entry* cubin_for(const std::vector<Entry>& entries, uint32_t architecture);

/// An entry's bytes, decompressed where needed.
/// \throws Error when the payload is damaged or the system lacks the library that
/// unpacks it.
std::vector<std::byte> contents(const Entry& entry);

/// The text of a PTX entry, without the zeros that pad it.
/// \throws Error as contents() does.
std::string text(const Entry& entry);

/// Why a program with these entries cannot run on the CPU device, and how to build
/// it so that it can: for a program without PTX, or with PTX for newer devices
/// only.
std::string no_ptx_message(const std::vector<Entry>& entries, uint32_t newest);

}  // namespace rungs::cpu_device::fatbin
