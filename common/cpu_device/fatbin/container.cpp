#include "cpu_device/fatbin/container.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "cpu_device/fatbin/decompress.hpp"

namespace rungs::cpu_device::fatbin {
namespace {

constexpr uint32_t container_magic = 0xBA55ED50;
constexpr uint64_t flag_zstd = 0x8000;
constexpr uint64_t flag_lz4 = 0x2000;
constexpr size_t alignment = 8;

// The fixed part of an entry's header. Compressed size and the later fields are
// there in every header that nvcc 13 writes (64 bytes, or more when a name or
// options follow).
struct EntryHeader {
  uint16_t kind;
  uint16_t version;
  uint32_t header_bytes;
  uint64_t payload_bytes;  // padded to 8
  uint32_t compressed_bytes;
  uint32_t options_offset;
  uint16_t minor, major;
  uint32_t architecture;
  uint32_t name_offset, name_bytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t uncompressed_bytes;
};
static_assert(sizeof(EntryHeader) == 64, "the layout is the file's");

std::string number(uint64_t value) { return std::to_string(value); }

/// Reads a value that may be anywhere in memory, aligned or not.
template <typename T>
T read(Bytes image, uint64_t offset) {
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

Entry parse_entry(Bytes image, uint64_t offset, const EntryHeader& header) {
  Entry entry;
  entry.kind = static_cast<Kind>(header.kind);
  entry.architecture = header.architecture;
  entry.payload = image.subspan(offset + header.header_bytes, header.payload_bytes);
  if (header.flags & flag_zstd) entry.compression = Compression::zstd;
  if (header.flags & flag_lz4) entry.compression = Compression::lz4;
  if (entry.compression != Compression::none) {
    if (header.compressed_bytes > header.payload_bytes) {
      throw Error("the fat binary's entry at byte " + number(offset) + " has " +
                  number(header.compressed_bytes) +
                  " compressed bytes in a payload of " +
                  number(header.payload_bytes) + "; rebuild the program");
    }
    entry.payload = entry.payload.first(header.compressed_bytes);
    entry.uncompressed_bytes = header.uncompressed_bytes;
  }
  return entry;
}

/// Appends the entries of image[offset, end).
void parse_entries(Bytes image, uint64_t offset, uint64_t end,
                   std::vector<Entry>& result) {
  while (offset < end) {
    const uint64_t left = end - offset;
    if (left < sizeof(EntryHeader)) {
      throw Error("the fat binary ends inside the header of the entry at byte " +
                  number(offset) + ": " + number(left) + " of " +
                  number(sizeof(EntryHeader)) + " bytes; rebuild the program");
    }
    const auto header = read<EntryHeader>(image, offset);
    if (header.header_bytes < sizeof(EntryHeader) || header.header_bytes > left ||
        header.payload_bytes > left - header.header_bytes) {
      throw Error("the fat binary's entry at byte " + number(offset) + " claims " +
                  number(header.header_bytes) + " bytes of header and " +
                  number(header.payload_bytes) + " of payload, with " +
                  number(left) + " bytes left; rebuild the program");
    }
    if (header.kind == static_cast<uint16_t>(Kind::ptx) ||
        header.kind == static_cast<uint16_t>(Kind::cubin)) {
      result.push_back(parse_entry(image, offset, header));
    }
    offset += header.header_bytes + header.payload_bytes;
  }
}

}  // namespace

uint64_t container_bytes(Bytes image) {
  if (image.size() < container_header_bytes) {
    throw Error("the fat binary's header is cut off: " + number(image.size()) +
                " of " + number(container_header_bytes) +
                " bytes; rebuild the program");
  }
  const auto magic = read<uint32_t>(image, 0);
  if (magic != container_magic) {
    char text[16];
    std::snprintf(text, sizeof text, "%08x", magic);
    throw Error(std::string("the fat binary begins with ") + text +
                ", not with ba55ed50; build the program with nvcc 13");
  }
  const auto header_bytes = read<uint16_t>(image, 6);
  const auto body_bytes = read<uint64_t>(image, 8);
  if (header_bytes < container_header_bytes) {
    throw Error("the fat binary claims a header of " + number(header_bytes) +
                " bytes, less than " + number(container_header_bytes) +
                "; rebuild the program");
  }
  if (body_bytes > UINT64_MAX - header_bytes) {
    throw Error("the fat binary claims " + number(body_bytes) +
                " bytes; rebuild the program");
  }
  return header_bytes + body_bytes;
}

std::vector<Entry> entries(Bytes image) {
  std::vector<Entry> result;
  uint64_t begin = 0;
  do {
    const Bytes rest = image.subspan(begin);
    const uint64_t bytes = container_bytes(rest);
    if (bytes > rest.size()) {
      throw Error("the fat binary claims " + number(bytes) + " bytes, but only " +
                  number(rest.size()) + " are there; rebuild the program");
    }
    parse_entries(image, begin + read<uint16_t>(rest, 6), begin + bytes, result);
    begin += bytes;
    begin = std::min<uint64_t>((begin + alignment - 1) / alignment * alignment,
                               image.size());
  } while (begin < image.size());
  return result;
}

const Entry* newest_ptx(const std::vector<Entry>& entries, uint32_t newest) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    if (entry.kind != Kind::ptx || entry.architecture > newest) continue;
    if (!best || entry.architecture > best->architecture) best = &entry;
  }
  return best;
}

const Entry* cubin_for(const std::vector<Entry>& entries, uint32_t architecture) {
  for (const Entry& entry : entries) {
    if (entry.kind == Kind::cubin && entry.architecture == architecture)
      return &entry;
  }
  return nullptr;
}

std::vector<std::byte> contents(const Entry& entry) {
  return decompress(entry.compression, entry.payload, entry.uncompressed_bytes);
}

std::string text(const Entry& entry) {
  const std::vector<std::byte> bytes = contents(entry);
  const auto end = std::find(bytes.begin(), bytes.end(), std::byte{0});
  std::string result(static_cast<size_t>(end - bytes.begin()), '\0');
  std::memcpy(result.data(), bytes.data(), result.size());
  return result;
}

std::string no_ptx_message(const std::vector<Entry>& entries, uint32_t newest) {
  std::set<uint32_t> ptx, cubin;
  for (const Entry& entry : entries) {
    (entry.kind == Kind::ptx ? ptx : cubin).insert(entry.architecture);
  }
  const auto list = [](const std::set<uint32_t>& architectures,
                       const char* prefix) {
    std::string text;
    for (const uint32_t architecture : architectures) {
      text +=
          (text.empty() ? "" : ", ") + std::string(prefix) + number(architecture);
    }
    return text;
  };
  const std::string remedy = "; build it with nvcc -gencode arch=compute_" +
                             number(newest) + ",code=[compute_" + number(newest) +
                             ",sm_" + number(newest) + "]";
  if (!ptx.empty()) {
    return "the program's PTX is for " + list(ptx, "compute_") +
           ", and the CPU device runs PTX up to compute_" + number(newest) + remedy;
  }
  if (!cubin.empty()) {
    return "the program has machine code for " + list(cubin, "sm_") +
           " but no PTX, which the CPU device runs" + remedy;
  }
  return "the program's fat binary holds no device code" + remedy;
}

}  // namespace rungs::cpu_device::fatbin
