#include "cpu_device/fatbin/decompress.hpp"

#include <dlfcn.h>

namespace rungs::cpu_device::fatbin {
namespace {

// No PTX module comes near this: a larger size is a damaged header.
constexpr uint64_t most_bytes = uint64_t{1} << 30;

/// A function of a shared library that stays loaded, or null when the library is
/// missing.
template <typename Function>
Function* library_function(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return nullptr;
  return reinterpret_cast<Function*>(dlsym(handle, name));
}

[[noreturn]] void refuse_without(const std::string& library,
                                 const std::string& package) {
  throw Error(
      "the program's PTX is compressed and " + library +
      " is not on this system; rebuild the program with nvcc --no-compress, or "
      "install " +
      package);
}

[[noreturn]] void refuse_damaged(const char* method) {
  throw Error(
      std::string("the fat binary's ") + method +
      "-compressed payload is damaged: it does not unpack to the size that its "
      "header says; rebuild the program");
}

std::vector<std::byte> unpack_zstd(Bytes data, uint64_t bytes) {
  static const auto decompress =
      library_function<size_t(void*, size_t, const void*, size_t)>(
          "libzstd.so.1", "ZSTD_decompress");
  static const auto is_error =
      library_function<unsigned(size_t)>("libzstd.so.1", "ZSTD_isError");
  if (!decompress || !is_error) refuse_without("libzstd.so.1", "libzstd1");
  std::vector<std::byte> result(bytes);
  const size_t written =
      decompress(result.data(), result.size(), data.data(), data.size());
  if (is_error(written) || written != bytes) refuse_damaged("zstd");
  return result;
}

std::vector<std::byte> unpack_lz4(Bytes data, uint64_t bytes) {
  static const auto decompress =
      library_function<int(const char*, char*, int, int)>("liblz4.so.1",
                                                          "LZ4_decompress_safe");
  if (!decompress) refuse_without("liblz4.so.1", "liblz4-1");
  std::vector<std::byte> result(bytes);
  const int written =
      decompress(reinterpret_cast<const char*>(data.data()),
                 reinterpret_cast<char*>(result.data()),
                 static_cast<int>(data.size()), static_cast<int>(bytes));
  if (written < 0 || static_cast<uint64_t>(written) != bytes) refuse_damaged("LZ4");
  return result;
}

}  // namespace

std::vector<std::byte> decompress(Compression compression, Bytes data,
                                  uint64_t bytes) {
  if (compression == Compression::none) return {data.begin(), data.end()};
  const char* const method = compression == Compression::zstd ? "zstd" : "LZ4";
  if (bytes == 0 || bytes > most_bytes || data.size() > most_bytes) {
    refuse_damaged(method);
  }
  return compression == Compression::zstd ? unpack_zstd(data, bytes)
                                          : unpack_lz4(data, bytes);
}

}  // namespace rungs::cpu_device::fatbin
