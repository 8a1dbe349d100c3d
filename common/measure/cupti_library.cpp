#include "measure/cupti_library.hpp"

#include <dlfcn.h>

#include "measure/cupti.hpp"

namespace rungs {
namespace {

constexpr const char* file_name = "libcupti.so.13";

/// The folder of the program or shared library that holds this code.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&cupti_library), &info) == 0) return ".";
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

void* open_library() {
  if (void* loaded = dlopen(file_name, RTLD_NOW | RTLD_NOLOAD)) return loaded;
  const std::string folder = own_folder();
  for (const std::string& path :
       {folder + "/" + file_name, folder + "/lib/" + file_name,
        std::string(file_name), std::string("/usr/local/cuda/lib64/") + file_name,
        std::string("/usr/local/cuda/extras/CUPTI/lib64/") + file_name}) {
    if (void* loaded = dlopen(path.c_str(), RTLD_NOW)) return loaded;
  }
  return nullptr;
}

CuptiLibrary load() {
  CuptiLibrary library;
  void* const handle = open_library();
  if (handle == nullptr) {
    library.missing = std::string("there is no ") + file_name +
                      ", neither in the build's bin/lib nor on this machine";
    return library;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(handle, name));
    if (function == nullptr) {
      library.missing = std::string(file_name) + " has no " + name;
    }
  };
  find(library.get_version, "cuptiGetVersion");
  find(library.get_result_string, "cuptiGetResultString");
  find(library.register_callbacks, "cuptiActivityRegisterCallbacks");
  find(library.enable, "cuptiActivityEnable");
  find(library.disable, "cuptiActivityDisable");
  find(library.flush_all, "cuptiActivityFlushAll");
  find(library.get_next_record, "cuptiActivityGetNextRecord");
  find(library.get_num_dropped_records, "cuptiActivityGetNumDroppedRecords");
  if (!library.missing.empty()) return library;

  std::uint32_t version = 0;
  if (library.get_version(&version) != CUPTI_SUCCESS) {
    library.missing = std::string(file_name) + " does not say its version";
    return library;
  }
  library.version = cupti_version_text(version);
  // Within a major version a kernel record only grows at its end.
  if (version / 10000 != CUPTI_API_VERSION / 10000) {
    library.missing = "CUPTI here is " + library.version +
                      ", and this build reads the records of " +
                      cupti_version_text(CUPTI_API_VERSION);
  }
  return library;
}

}  // namespace

const CuptiLibrary& cupti_library() {
  static const CuptiLibrary library = load();
  return library;
}

}  // namespace rungs
