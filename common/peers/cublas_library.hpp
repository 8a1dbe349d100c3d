#pragma once

#include <cstddef>
#include <string>

#include "peers/cublas_api.hpp"

namespace rungs::cublas {

/// cuBLAS 13, looked for when it is first asked for: in the folder that
/// RUNGS_CUBLAS names, if it is set; else by the loader's own search, in
/// /usr/local/cuda/lib64, and in lib64 and lib of CUDA_PATH. It stays loaded until
/// the process ends.
class Library {
 public:
  /// The one of this process.
  static const Library& instance();

  /// Why it is not to be had, in one sentence with the places where it was looked
  /// for; empty if it is. The functions may be called only then.
  const std::string& missing() const { return missing_; }

  /// "13.1.0"; empty if it is missing.
  const std::string& version() const { return version_; }

  const Functions& functions() const { return functions_; }
  const LtFunctions& lt() const { return lt_; }

  /// Throws std::runtime_error with cuBLAS' words for `status` unless it is
  /// success.
  void require(Status status, const std::string& call) const;

  /// As require(), for what a launch calls: it makes no string unless it throws.
  void require(Status status, const char* call) const {
    if (status != success) require(status, std::string(call));
  }

 private:
  Library();
  bool load(const std::string& folder);
  void read_version();

  std::string missing_ = {};
  std::string version_ = {};
  std::string reason_ =
      {};  // the loader's words for a file that is there but unfit
  Functions functions_ = {};
  LtFunctions lt_ = {};
};

/// What every row says that needs cuBLAS: see Library::missing(). On the CPU device
/// it is missing without a search: cuBLAS has kernels for GPUs only.
std::string missing();

/// Device memory for cuBLAS to work in, one for all handles of this process, whose
/// launches never overlap. It is taken at the first call; throws CudaError.
void* workspace();

/// How much that is.
inline constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

}  // namespace rungs::cublas
