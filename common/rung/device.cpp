#include "rung/device.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include "rung/cpu_device_calls.hpp"
#include "rung/cuda_error.hpp"
#include "rung/stop.hpp"

namespace rungs {
namespace {

// From one start of the process to the next.
constexpr const char* started_again = "RUNGS_CPU_DEVICE";
constexpr const char* why_started_again = "RUNGS_CPU_DEVICE_REASON";
constexpr const char* saved_search_path = "RUNGS_RESTORE_LD_LIBRARY_PATH";
constexpr const char* search_path = "LD_LIBRARY_PATH";

/// "13.0" for 13000, as CUDA writes versions.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<std::string> built_architectures() {
  std::vector<std::string> architectures;
  std::istringstream list(RUNGS_BUILT_ARCHITECTURES);
  for (std::string one; std::getline(list, one, ',');) architectures.push_back(one);
  return architectures;
}

[[noreturn]] void start_on_cpu_device(const std::string& reason,
                                      char* const arguments[]) {
  const std::string folder = program_folder() + "/cpu-device";
  if (!std::filesystem::exists(folder + "/libcudart.so.13")) {
    throw Stop(Exit::cannot_run, "the CPU device is not built: there is no " +
                                     folder + "/libcudart.so.13");
  }
  std::string path = folder;
  if (const char* old = std::getenv(search_path)) {
    setenv(saved_search_path, old, 1);
    if (*old != '\0')
      path += std::string(":") + old;  // an empty entry would be "."
  }
  setenv(search_path, path.c_str(), 1);
  setenv(started_again, "1", 1);
  setenv(why_started_again, reason.c_str(), 1);
  execv("/proc/self/exe", arguments);
  throw Stop(Exit::cannot_run,
             "cannot start the program again on the CPU device: " +
                 std::string(std::strerror(errno)));
}

Device this_gpu() {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int driver = 0;
  require(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return {DeviceKind::gpu, properties.name,
          "compute capability " + std::to_string(properties.major) + "." +
              std::to_string(properties.minor) + ", driver for CUDA " +
              version_text(driver)};
}

Device this_cpu_device(const std::string& reason, int threads) {
  if (threads == 0) {
    const char* set = std::getenv("RUNGS_CPU_DEVICE_THREADS");
    threads = set != nullptr
                  ? std::atoi(set)
                  : static_cast<int>(std::thread::hardware_concurrency());
  }
  configure_cpu_device("threads", std::to_string(threads));
  return {DeviceKind::cpu, "CPU device", reason, threads};
}

/// The environment variable of this name, which is then unset; empty if there is
/// none.
std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  unsetenv(name);
  return text;
}

}  // namespace

bool has_code_for(int major, int minor,
                  const std::vector<std::string>& architectures) {
  for (const std::string& architecture : architectures) {
    const int capability = std::atoi(architecture.c_str());
    const bool plain =
        std::isdigit(static_cast<unsigned char>(architecture.back())) != 0;
    const int here = major * 10 + minor;
    if (plain ? here >= capability : here == capability) return true;
  }
  return false;
}

std::string why_no_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver) {
    int driver = 0;
    int runtime = 0;
    static_cast<void>(cudaDriverGetVersion(&driver));
    static_cast<void>(cudaRuntimeGetVersion(&runtime));
    if (driver == 0) return "no NVIDIA driver here";
    return "the NVIDIA driver here is for CUDA " + version_text(driver) +
           ", too old for this build's " + version_text(runtime);
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    return "no GPU is visible here";
  }
  if (status != cudaSuccess) return cudaGetErrorString(status);

  int major = 0;
  int minor = 0;
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0),
          "cudaDeviceGetAttribute");
  require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0),
          "cudaDeviceGetAttribute");
  if (has_code_for(major, minor, built_architectures())) return "";
  return "this build has no code for the GPU's compute capability " +
         std::to_string(major) + "." + std::to_string(minor) +
         ": give -DRUNGS_ARCHITECTURES=native";
}

Device choose_device(DeviceKind asked, int threads, char* const arguments[]) {
  const bool second_start = !take_variable(started_again).empty();
  const std::string reason = take_variable(why_started_again);
  if (on_cpu_device()) {
    if (asked == DeviceKind::gpu) {
      throw Stop(Exit::cannot_run,
                 "--device gpu: this process runs on the CPU device");
    }
    return this_cpu_device(second_start ? reason : "put in the runtime's place",
                           threads);
  }
  if (second_start) {
    throw Stop(Exit::cannot_run, "the CPU device could not be loaded from " +
                                     program_folder() + "/cpu-device");
  }
  if (asked == DeviceKind::cpu) start_on_cpu_device("as asked", arguments);
  const std::string missing = why_no_gpu();
  if (missing.empty()) return this_gpu();
  if (asked == DeviceKind::gpu) {
    throw Stop(Exit::cannot_run, "--device gpu: " + missing);
  }
  start_on_cpu_device(missing, arguments);
}

void restore_environment() {
  if (std::getenv(started_again) == nullptr) return;
  const char* saved = std::getenv(saved_search_path);
  if (saved == nullptr) {
    unsetenv(search_path);
  } else {
    setenv(search_path, saved, 1);
    unsetenv(saved_search_path);
  }
}

std::string program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

}  // namespace rungs
