#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "check/operation.hpp"
#include "rung/buffers.hpp"
#include "rung/key.hpp"

namespace rungs {

/// What became of a step. Whether it pays on a machine is no kind: its record says
/// that.
enum class Kind {
  kept,      ///< the study kept it
  rejected,  ///< the study, or the course, tried it and went on from another rung
  beyond,    ///< past where the study ended
  peer,      ///< a library's kernel
  floor,     ///< a kernel that marks a limit: a copy, a read, multiply-adds alone
};

/// "kept", "rejected", ...: the one spelling, in documents and on pages.
std::string_view name(Kind kind);

/// A prediction's reason. Software computes the factor from counts of the model's
/// quantity.
struct Because {
  std::string model;  ///< "reads", "wavefronts", ...
  std::string why;
};

/// A quantity that follows from the tile sizes alone, to be compared with what is
/// counted.
struct Argued {
  std::string quantity;  ///< "shared_reads_per_multiply_add", "block_threads", ...
  double value;
};

/// What a kernel can do of one size.
struct SizeRule {
  std::string size;
  int multiple_of = 1;
  int at_least = 1;
  int at_most = std::numeric_limits<int>::max();
  std::string limit = "the grid can cover";  ///< what `at_most` is, in a refusal
};

/// Why a kernel, or several, called `who` cannot do `shape`, in one sentence with
/// the nearest good size; empty if it can.
std::string refuse(const std::string& who, const std::vector<SizeRule>& rules,
                   const Shape& shape);

/// The rules that hold where all of these do: common multiples, the narrower
/// limits.
std::vector<SizeRule> combine(const std::vector<SizeRule>& some,
                              const std::vector<SizeRule>& others);

/// What is known of a rung before it is measured, and how to launch it.
template <class Launch>
struct Description {
  std::string after = {};  ///< the rung that it changes; empty for the first
  Kind kind = Kind::kept;
  std::vector<Because> because = {};  ///< why it should be faster, or slower
  std::vector<Argued> argued = {};
  std::vector<SizeRule> sizes = {};  ///< a size without a rule can be anything

  /// Bytes of device memory that the launch needs beside inputs and outputs.
  std::size_t (*scratch_bytes)(const Shape& shape) = nullptr;

  /// Puts the rung's kernels into a stream, and nothing else: no copy, no
  /// allocation.
  Launch launch = nullptr;
};

/// One rung of a ladder. It registers itself, so that linking its file adds it to a
/// program.
class Rung {
 public:
  using Launch = std::function<void(const Buffers&, const Shape&, cudaStream_t)>;

  Rung(Key key, const Operation& operation, Description<Launch> description);
  Rung(const Rung&) = delete;
  Rung& operator=(const Rung&) = delete;

  const Key& key() const { return key_; }
  const Operation& operation() const { return *operation_; }
  const Description<Launch>& description() const { return description_; }

  /// See refuse() above; empty if this rung can do `shape`.
  std::string refuse(const Shape& shape) const;

  /// Bytes of scratch that a launch at `shape` needs.
  std::size_t scratch_bytes(const Shape& shape) const;

  /// Launches, waits, and throws CudaError if a kernel could not start or did not
  /// end well.
  void run(const Buffers& buffers, const Shape& shape) const;

 private:
  Key key_;
  const Operation* operation_;
  Description<Launch> description_;
};

/// The rungs linked into this program, in the ladder's order.
std::vector<const Rung*> registered_rungs();

}  // namespace rungs
