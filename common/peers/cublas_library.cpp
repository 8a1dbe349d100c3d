#include "peers/cublas_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "rung/cpu_device_calls.hpp"
#include "rung/cuda_error.hpp"
#include "rung/peer.hpp"

namespace rungs::cublas {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Where to look, in order; empty for the loader's own search.
std::vector<std::string> folders() {
  const std::string named = environment("RUNGS_CUBLAS");
  // A folder that was named is the one meant: no other takes its place unsaid.
  if (!named.empty()) return {named};
  std::vector<std::string> found = {"", "/usr/local/cuda/lib64"};
  const std::string toolkit = environment("CUDA_PATH");
  if (!toolkit.empty()) {
    found.push_back(toolkit + "/lib64");
    found.push_back(toolkit + "/lib");
  }
  return found;
}

std::string sentence(const std::vector<std::string>& searched,
                     const std::string& reason) {
  std::string places;
  for (std::size_t i = 0; i < searched.size(); ++i) {
    if (i > 0) places += i + 1 == searched.size() ? " and " : ", ";
    places += searched[i].empty() ? "the loader's search path" : searched[i];
  }
  std::string text =
      "cuBLAS 13 (libcublas.so.13 and libcublasLt.so.13) was not "
      "found in " +
      places;
  if (!reason.empty()) text += " (" + reason + ")";
  return text + "; name its folder by RUNGS_CUBLAS";
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

const Library& Library::instance() {
  static const Library library;
  return library;
}

Library::Library() {
  const std::vector<std::string> searched = folders();
  for (const std::string& folder : searched) {
    if (load(folder)) {
      read_version();
      return;
    }
  }
  missing_ = sentence(searched, reason_);
}

bool Library::load(const std::string& folder) {
  const auto open = [&](const std::string& file) {
    const std::string path = folder.empty() ? file : folder + "/" + file;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const std::string words = library == nullptr ? dlerror() : "";
    // A file that is not there is what the sentence says anyway.
    if (!words.empty() && words.find("No such file") == std::string::npos) {
      reason_ = words;
    }
    return library;
  };
  // cublasLt first: cublas needs it, and then finds this very one.
  void* const lt = open("libcublasLt.so.13");
  if (lt == nullptr) return false;
  void* const blas = open("libcublas.so.13");
  if (blas == nullptr) return false;

#define RUNGS_BLAS(name) find(blas, "cublas" #name, functions_.name)
#define RUNGS_LT(name) find(lt, "cublasLt" #name, lt_.name)
  const bool whole =
      RUNGS_BLAS(Create_v2) && RUNGS_BLAS(GetProperty) &&
      RUNGS_BLAS(GetStatusName) && RUNGS_BLAS(GetStatusString) &&
      RUNGS_BLAS(SetMathMode) && RUNGS_BLAS(SetStream_v2) &&
      RUNGS_BLAS(SetWorkspace_v2) && RUNGS_BLAS(Sgemm_v2) && RUNGS_LT(Create) &&
      RUNGS_LT(Matmul) && RUNGS_LT(MatmulAlgoConfigGetAttribute) &&
      RUNGS_LT(MatmulAlgoGetHeuristic) && RUNGS_LT(MatmulDescCreate) &&
      RUNGS_LT(MatmulPreferenceCreate) && RUNGS_LT(MatmulPreferenceDestroy) &&
      RUNGS_LT(MatmulPreferenceSetAttribute) && RUNGS_LT(MatrixLayoutCreate);
#undef RUNGS_BLAS
#undef RUNGS_LT
  if (!whole) reason_ = "a function is not in it";
  return whole;
}

void Library::read_version() {
  for (const libraryPropertyType part :
       {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    require(functions_.GetProperty(part, &value), "cublasGetProperty");
    version_ += (version_.empty() ? "" : ".") + std::to_string(value);
  }
}

void Library::require(Status status, const std::string& call) const {
  if (status == success) return;
  throw std::runtime_error(call + " failed with " +
                           functions_.GetStatusName(status) + ", " +
                           functions_.GetStatusString(status));
}

std::string missing() {
  if (on_cpu_device()) return "cuBLAS runs on a GPU, and this is the CPU device";
  return Library::instance().missing();
}

void* workspace() {
  // Never freed: at the end of the process the driver is gone before this could be.
  static void* const address = [] {
    void* allocated = nullptr;
    rungs::require(cudaMalloc(&allocated, workspace_bytes),
                   "cudaMalloc of cuBLAS' workspace");
    return allocated;
  }();
  return address;
}

namespace {

const Software software("cublas", [] {
  return on_cpu_device() ? std::string() : Library::instance().version();
});

}  // namespace
}  // namespace rungs::cublas
