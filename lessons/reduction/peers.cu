/// What this ladder is compared with beside PyTorch and Triton: CUB's sum over a
/// device. It comes with the toolkit as headers, so it is compiled with the course.
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "reduction.hpp"
#include "rung/cuda_error.hpp"

namespace reduction {
namespace {

struct Freed {
  void operator()(void* address) const { cudaFree(address); }
};

/// The memory that CUB asks for at one number of elements.
struct Temporary {
  std::unique_ptr<void, Freed> address;
  std::size_t bytes = 0;
};

/// By the number of elements: small shapes come between launches of a large one.
std::map<unsigned, Temporary>& temporaries() {
  static std::map<unsigned, Temporary> all;
  return all;
}

/// Both of CUB's calls: without an address it says how many bytes it needs.
void sum(void* address, std::size_t& bytes, const Operands& o,
         cudaStream_t stream) {
  rungs::require(
      cub::DeviceReduce::Sum(address, bytes, o.x, o.sum, o.count, stream),
      "cub::DeviceReduce::Sum");
}

std::string prepare(const Operands& o, const rungs::Shape&) {
  Temporary& temporary = temporaries()[o.count];
  if (temporary.address == nullptr) {
    sum(nullptr, temporary.bytes, o, nullptr);
    void* address = nullptr;
    rungs::require(cudaMalloc(&address, temporary.bytes), "cudaMalloc");
    temporary.address.reset(address);
  }
  return std::to_string(temporary.bytes) + " bytes of temporary storage";
}

void launch(const Operands& o, cudaStream_t stream) {
  Temporary& temporary = temporaries().at(o.count);
  sum(temporary.address.get(), temporary.bytes, o, stream);
}

const rungs::Peer cub_sum =
    problem().peer({.name = "cub", .prepare = prepare, .launch = launch});

const rungs::Software cub("cub", [] {
  return std::to_string(CUB_MAJOR_VERSION) + "." +
         std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
});

}  // namespace
}  // namespace reduction
