#include "measure/measure_c.h"

#include <exception>
#include <stdexcept>
#include <string>

#include "measure/measure.hpp"

namespace {

rungs::Launches::Launch launcher(rungs_launch_fn launch, void* context) {
  return [launch, context](int index, cudaStream_t stream) {
    if (const int status = launch(context, index, stream); status != 0) {
      throw std::runtime_error("launch " + std::to_string(index) +
                               " failed: its function returned " +
                               std::to_string(status));
    }
  };
}

}  // namespace

const char* rungs_measure(const char* instrument, int samples, int batch,
                          rungs_launch_fn launch, void* context, void* stream) {
  thread_local std::string answer;
  if (instrument == nullptr || launch == nullptr) {
    return R"({"error":"rungs_measure needs an instrument and a launch function"})";
  }
  try {
    answer = rungs::measure(
                 {instrument, samples, batch},
                 {launcher(launch, context), static_cast<cudaStream_t>(stream)})
                 .dump(-1, ' ', false, rungs::Json::error_handler_t::replace);
  } catch (const std::exception&) {  // out of memory
    return R"({"error":"there was no memory for the samples"})";
  }
  return answer.c_str();
}

const char* rungs_measure_version() { return "rungs-measure/1"; }
