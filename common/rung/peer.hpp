#pragma once

#include <map>
#include <string>

#include "rung/variant.hpp"

namespace rungs {

/// How a library does a ladder's problem. Operands are the ladder's own, as a
/// rung's.
template <class Operands>
struct PeerDescription {
  std::string name = {};  ///< "cublas-sgemm"
  Math math = Math::fp32;
  std::vector<SizeRule> sizes = {};  ///< a size without a rule can be anything

  /// For arithmetic that is not FP32's; null for what the operation says.
  Tolerance (*tolerance)(const Shape& shape) = nullptr;

  /// Why the library is not to be had here, in one sentence; empty if it is. Asked
  /// before anything else is called.
  std::string (*missing)() = nullptr;

  /// Called once for a shape with the operands of the first buffer set: chooses an
  /// algorithm, takes memory of its own. Says what was chosen ("algorithm 3 of 8"),
  /// or nothing; throws std::exception with one sentence if the shape cannot be
  /// done. Keep the choice by shape: small shapes are checked between two launches
  /// of a large one.
  std::string (*prepare)(const Operands& operands, const Shape& shape) = nullptr;

  /// Puts the library's kernels into `stream`, and nothing else: the stream may be
  /// being captured. Throws std::exception with one sentence if the library
  /// refuses.
  void (*launch)(const Operands& operands, cudaStream_t stream) = nullptr;
};

/// A library's kernel at one operation. It registers itself, as a rung does; see
/// Problem::peer().
class Peer {
 public:
  Peer(const Operation& operation, Variant variant);
};

/// A library's version, for records: const rungs::Software cublas("cublas",
/// version); `version` says "13.1.0", or nothing where the library is not there.
class Software {
 public:
  Software(std::string name, std::string (*version)());
};

/// The versions of what is linked into this program and is there, by name.
std::map<std::string, std::string> registered_software();

/// A kernel that marks a limit, for whatever operation there is. It uses the
/// operation's own buffers, so that its footprint is the operation's.
struct FloorDescription {
  std::string name = {};         ///< "floor-copy"
  std::string source_hash = {};  ///< as a rung's, over the file of the floor
  Work work = {};                ///< what of the operation's work it does

  /// Why there is no such floor for `operation`, in one sentence; empty if there
  /// is.
  std::string (*missing)(const Operation& operation) = nullptr;

  /// Bytes of scratch, Buffers::scratch(), that the launch needs.
  std::size_t (*scratch_bytes)(const Operation& operation,
                               const Shape& shape) = nullptr;

  /// Puts the kernel into `stream`, and nothing else.
  void (*launch)(const Operation& operation, const Buffers& buffers,
                 const Shape& shape, cudaStream_t stream) = nullptr;

  /// Whether `buffers`, whose outputs and scratch were poisoned before the one
  /// launch, hold what it must have written. The stream is drained.
  Comparison (*check)(const Operation& operation, const Buffers& buffers,
                      const Shape& shape) = nullptr;
};

/// Registers itself too: const rungs::Floor copy({.name = "floor-copy", ...});
class Floor {
 public:
  explicit Floor(FloorDescription description);
};

}  // namespace rungs
