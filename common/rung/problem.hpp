#pragma once

#include <source_location>
#include <utility>

#include "rung/peer.hpp"
#include "rung/rung.hpp"

namespace rungs {

/// The problem that a ladder solves: an operation, and what its kernels are
/// launched on.
///
/// `Operands` is the ladder's own struct of device pointers and sizes. A ladder's
/// header defines it and one function problem(); each rung of the ladder then says
///
///     const rungs::Rung rung = problem().rung({.after = "...", ..., .launch =
///     launch});
template <class Operands>
class Problem {
 public:
  /// Makes a launch's operands from the device's memory.
  using Bind = Operands (*)(const Buffers& device, const Shape& shape);

  /// What a rung writes: void launch(const Operands& operands, cudaStream_t
  /// stream).
  using Launch = void (*)(const Operands& operands, cudaStream_t stream);

  Problem(Operation operation, Bind bind)
      : operation_(std::move(operation)), bind_(bind) {}

  const Operation& operation() const { return operation_; }

  /// The rung that this call's source file holds; its folders say key and order.
  Rung rung(Description<Launch> description,
            std::source_location here = std::source_location::current()) const {
    auto& [after, kind, because, argued, sizes, scratch_bytes, launch] =
        description;
    return Rung(
        key_of(here.file_name()), operation_,
        {after, kind, because, argued, sizes, scratch_bytes,
         [bind = bind_, launch = launch](const Buffers& device, const Shape& shape,
                                         cudaStream_t stream) {
           launch(bind(device, shape), stream);
         }});
  }

  /// A library's kernel for the same problem:
  ///
  ///     const rungs::Peer peer = problem().peer({.name = "...", .launch =
  ///     launch});
  Peer peer(PeerDescription<Operands> description) const {
    Variant variant{.name = std::move(description.name),
                    .kind = Kind::peer,
                    .math = description.math,
                    .sizes = std::move(description.sizes),
                    .tolerance = description.tolerance};
    if (description.missing != nullptr) variant.missing = description.missing;
    if (description.prepare != nullptr) {
      variant.prepare = [bind = bind_, prepare = description.prepare](
                            const Buffers& device, const Shape& shape) {
        return prepare(bind(device, shape), shape);
      };
    }
    variant.launch = [bind = bind_, launch = description.launch](
                         const Buffers& device, const Shape& shape,
                         cudaStream_t stream) {
      launch(bind(device, shape), stream);
    };
    return Peer(operation_, std::move(variant));
  }

 private:
  Operation operation_;
  Bind bind_;
};

}  // namespace rungs
