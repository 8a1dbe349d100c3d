/// A counts document as the CPU device writes it, with `kernels` equal kernels.
#pragma once

#include <string>

namespace rungs::toy {

inline std::string counts_document(int kernels) {
  const std::string kernel =
      R"({"name": "kernel", "multiply_adds": 1024, "barriers": 3,
    "warp_instructions": {"total": 99},
    "shared": {
      "load": {"instructions": 16, "thread_instructions": 512, "wavefronts": 20,
               "bank_conflicts": 4},
      "store": {"instructions": 4, "thread_instructions": 128, "wavefronts": 12,
                "bank_conflicts": 8}},
    "global": {"load": {"sectors": 64}, "store": {"sectors": 32}}})";
  std::string list = kernel;
  for (int i = 1; i < kernels; ++i) list += "," + kernel;
  return R"({"schema": "rungs-cpu-counts/1", "kernels": [)" + list + "]}";
}

}  // namespace rungs::toy
