#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/comparison.hpp"
#include "check/operation.hpp"
#include "rung/buffers.hpp"

/// What the floors of memory are launched on, and what they must leave behind. A
/// check takes tensors from the device piece by piece, so that it needs no copy of
/// one.
namespace rungs::floors {

// [launch]
/// The most inputs, and the most outputs, that an operation may have.
constexpr int most_tensors = 4;

/// Up to three words at a tensor's end, which are no quad of four.
struct Rest {
  std::uint32_t* words = nullptr;
  unsigned count = 0;
};
// [/launch]

/// A tensor on the device, as words.
struct Words {
  std::uint32_t* data = nullptr;
  std::int64_t count = 0;
};

/// The operation's inputs in `buffers`, in its own order.
std::vector<Words> inputs_of(const Operation& operation, const Buffers& buffers,
                             const Shape& shape);

/// The same of its outputs.
std::vector<Words> outputs_of(const Operation& operation, const Buffers& buffers,
                              const Shape& shape);

/// The words at a tensor's end that are no quad.
Rest rest_of(const Words& tensor);

/// Whole quads of all tensors of a list, Operation's inputs or outputs.
template <class Tensor>
std::int64_t quads_of(const std::vector<Tensor>& tensors, const Shape& shape) {
  std::int64_t quads = 0;
  for (const Tensor& tensor : tensors) {
    quads += element_count(shape, tensor.extents) / 4;
  }
  return quads;
}

/// Why a floor of memory cannot do `operation`; empty if it can.
std::string missing_tensors(const Operation& operation);

/// Every word of the inputs counts once in the sum of the first `sums` words of the
/// scratch, modulo 2^32: one left out, or read twice, shows.
Comparison check_read(const std::vector<Words>& inputs, const Buffers& buffers,
                      std::size_t sums);

/// The outputs' quads, as one list, are the inputs', and zeros where these have
/// ended. The outputs' rests are zeros. The words of the inputs that have no place
/// in the outputs are in the sum as above.
Comparison check_copy(const std::vector<Words>& inputs,
                      const std::vector<Words>& outputs, const Buffers& buffers,
                      std::size_t sums);

}  // namespace rungs::floors
