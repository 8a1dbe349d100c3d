#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/case.hpp"
#include "rung/buffers.hpp"
#include "rung/device.hpp"
#include "rung/options.hpp"
#include "rung/rung.hpp"

namespace rungs {

/// A check at one shape.
struct ShapeCheck {
  Shape shape;
  Comparison comparison;
};

/// What running one rung gave.
struct Result {
  const Rung* rung;
  std::vector<ShapeCheck> checks = {};  ///< up to the first that failed
  std::string error = {};               ///< one sentence, if a CUDA call failed
  bool cannot_run = false;      ///< the error is the machine's, not the rung's
  std::string stopped_by = {};  ///< the rung whose fault kept this one from running
  std::string counts = {};      ///< the CPU device's document, at the full shape

  bool passed() const;
};

/// Runs rungs of one operation on the device of this process. Inputs, their copy on
/// the device and references are made once for each shape and serve every rung.
class Runner {
 public:
  Runner(const Options& options, const Device& device);

  /// Checks at the small shapes and at the full one; if asked, counts at the full
  /// one. On the CPU device, races and uninitialised reads are looked for at the
  /// small shapes. Once a kernel has faulted no other rung can run in this process;
  /// its result says so.
  Result check(const Rung& rung);

  /// Launches once at the full shape, for a profiler to see. Throws Stop if that
  /// fails.
  void profile(const Rung& rung);

 private:
  /// What the rungs share at one shape: poison and scratch change, inputs do not.
  struct Place {
    Place(const Operation& operation, const Shape& shape, std::uint64_t seed);
    Case problem;
    Buffers buffers;
  };

  void check_at(const Shape& shape, bool full, Result& result);
  Place& place_at(const Shape& shape);
  std::vector<Shape> small_shapes(const Rung& rung) const;

  const Options& options_;
  Operation operation_;  // with the ranges that were asked for
  bool cpu_;
  std::string stopped_by_ = {};  // key of the rung whose kernel faulted
  std::map<std::vector<int>, Place> places_;
};

}  // namespace rungs
