#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "check/case.hpp"
#include "measure/json.hpp"
#include "rung/buffers.hpp"
#include "rung/variant.hpp"

namespace rungs {

/// One shape of an operation on the device, the same memory for every variant: sets
/// of buffers that all hold the same inputs. Methods throw CudaError when CUDA
/// refuses.
class OpenShape {
 public:
  /// Allocates and uploads `sets` sets, each with `scratch_bytes` of scratch.
  OpenShape(const Operation& operation, const Shape& shape, std::uint64_t seed,
            std::size_t scratch_bytes, int sets);

  const Shape& shape() const { return case_.shape(); }
  int sets() const { return static_cast<int>(buffers_.size()); }

  /// The first set's, which `prepare` and `check` use.
  const Buffers& buffers() {
    is_fresh_ = false;
    return buffers_.front();
  }

  /// Puts one operation on set `index`, modulo their number, into `stream`.
  void launch(const Variant& variant, int index, cudaStream_t stream) {
    is_fresh_ = false;
    variant.launch(buffers_[static_cast<std::size_t>(index) % buffers_.size()],
                   shape(), stream);
  }

  /// Launches once on the first set, with fresh inputs and poisoned outputs, and
  /// compares with what must be there.
  Comparison check(const Variant& variant, cudaStream_t stream);

  /// Writes the inputs to `folder`, little-endian FP32 without a header, and says
  /// which file holds which. Throws Refused if it cannot.
  Json write_inputs(const std::string& folder) const;

  /// The files of that kind that an operation's outputs are read from.
  Json output_files() const;

  /// Compares the outputs that another program has put into those files of
  /// `folder`. Throws Refused if one cannot be read or has another length.
  Comparison compare(const std::string& folder);

 private:
  Case case_;
  std::vector<Buffers> buffers_;
  bool is_fresh_ = true;  // the first set's inputs are known to be as uploaded
};

/// Bytes of an operation's inputs at `shape`.
std::int64_t input_bytes(const Operation& operation, const Shape& shape);

/// Bytes of an operation's outputs at `shape`.
std::int64_t output_bytes(const Operation& operation, const Shape& shape);

/// The fewest sets of `footprint` bytes, at least two, that together are four times
/// the cache: a set that its turn comes to is then long out of it.
int cold_sets(std::int64_t footprint, std::int64_t cache_bytes);

}  // namespace rungs
