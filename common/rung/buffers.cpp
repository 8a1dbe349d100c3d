#include "rung/buffers.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "check/parallel.hpp"
#include "check/poison.hpp"
#include "rung/cuda_error.hpp"

namespace rungs {
namespace {

/// Of an input that is compared: small enough for a cache and a thread's stack.
constexpr int piece_elements = 1 << 16;

std::size_t bytes_of(const Shape& shape, const std::vector<std::string>& extents) {
  return static_cast<std::size_t>(element_count(shape, extents)) * sizeof(float);
}

}  // namespace

void Buffers::Freed::operator()(void* address) const {
  // Nothing is left to do about an error here, and a fault has been reported
  // before.
  static_cast<void>(cudaFree(address));
}

Buffers::Block::Block(std::size_t size) : bytes(size) {
  if (size == 0) return;
  void* allocated = nullptr;
  require(cudaMalloc(&allocated, size),
          "cudaMalloc of " + std::to_string(size) + " bytes");
  address.reset(allocated);
}

Buffers::Buffers(const Operation& operation, const Shape& shape,
                 std::size_t scratch_bytes)
    : scratch_(scratch_bytes) {
  for (const Input& input : operation.inputs) {
    inputs_.try_emplace(input.name, bytes_of(shape, input.extents));
  }
  for (const Output& output : operation.outputs) {
    outputs_.try_emplace(output.name, bytes_of(shape, output.extents));
  }
}

void Buffers::resize_scratch(std::size_t bytes) {
  if (bytes == scratch_.bytes) return;
  scratch_ = Block();  // first, so that both are never held
  scratch_ = Block(bytes);
}

void Buffers::upload(const Tensors<float>& inputs) {
  for (const auto& [name, block] : inputs_) {
    require(cudaMemcpy(block.data(), inputs.at(name).data(), block.bytes,
                       cudaMemcpyHostToDevice),
            "copying the input " + name + " to the device");
  }
}

std::string Buffers::changed_input(const Tensors<float>& uploaded) const {
  for (const auto& [name, block] : inputs_) {
    const std::vector<float>& expected = uploaded.at(name);
    std::atomic<bool> same = true;
    std::atomic<cudaError_t> failed = cudaSuccess;
    const auto look = [&, from = block.data()](int first, int last) {
      std::array<float, piece_elements> piece;
      for (std::int64_t begin = first; begin < last && same;
           begin += piece_elements) {
        const std::size_t bytes =
            sizeof(float) * static_cast<std::size_t>(std::min<std::int64_t>(
                                piece_elements, last - begin));
        const cudaError_t error =
            cudaMemcpy(piece.data(), from + begin, bytes, cudaMemcpyDeviceToHost);
        if (error != cudaSuccess) failed = error;
        if (error != cudaSuccess ||
            std::memcmp(piece.data(), expected.data() + begin, bytes) != 0) {
          same = false;
        }
      }
    };
    in_parallel(static_cast<int>(expected.size()), piece_elements, look);
    require(failed, "copying " + name + " from the device");
    if (!same) return name;
  }
  return "";
}

void Buffers::poison() {
  for (const auto& [name, block] : outputs_) {
    require(cudaMemset(block.data(), poison_byte, block.bytes),
            "poisoning " + name);
  }
  if (scratch_.bytes != 0) {
    require(cudaMemset(scratch(), poison_byte, scratch_.bytes),
            "poisoning the scratch");
  }
}

Tensors<float> Buffers::download(const Blocks& blocks) {
  Tensors<float> result;
  for (const auto& [name, block] : blocks) {
    std::vector<float>& elements = result[name];
    elements.resize(block.bytes / sizeof(float));
    require(cudaMemcpy(elements.data(), block.data(), block.bytes,
                       cudaMemcpyDeviceToHost),
            "copying " + name + " from the device");
  }
  return result;
}

}  // namespace rungs
