#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "check/operation.hpp"

namespace rungs {

/// The device memory of an operation at one shape: inputs, outputs and a rung's
/// scratch. Rungs that run one after another share it: each finds the inputs as
/// they were uploaded, and poison in all else. Every method throws CudaError when
/// CUDA refuses.
class Buffers {
 public:
  /// Allocates for `operation` at `shape`; scratch_bytes is what the rung asked
  /// for.
  Buffers(const Operation& operation, const Shape& shape,
          std::size_t scratch_bytes);

  /// Device address of a tensor; throws std::out_of_range if none is called so.
  const float* input(const std::string& name) const {
    return inputs_.at(name).data();
  }
  float* output(const std::string& name) const { return outputs_.at(name).data(); }

  /// Device address of the scratch, aligned to 256 bytes; null if no byte was asked
  /// for.
  void* scratch() const { return scratch_.address.get(); }

  /// Gives the next rung the bytes of scratch that it asks for.
  void resize_scratch(std::size_t bytes);

  /// Copies the inputs to the device.
  void upload(const Tensors<float>& inputs);

  /// The name of the first input that is not, bit for bit, what was uploaded; empty
  /// if all are. Looks at a piece at a time, so that it needs no copy of the whole.
  std::string changed_input(const Tensors<float>& uploaded) const;

  /// Fills outputs and scratch with poison: what no thread writes is then a NaN.
  void poison();

  Tensors<float> download_inputs() const { return download(inputs_); }
  Tensors<float> download_outputs() const { return download(outputs_); }

 private:
  struct Freed {
    void operator()(void* address) const;
  };
  struct Block {
    explicit Block(std::size_t bytes = 0);
    float* data() const { return static_cast<float*>(address.get()); }

    std::unique_ptr<void, Freed> address;
    std::size_t bytes;
  };
  using Blocks = std::map<std::string, Block>;

  static Tensors<float> download(const Blocks& blocks);

  Blocks inputs_;
  Blocks outputs_;
  Block scratch_;
};

}  // namespace rungs
