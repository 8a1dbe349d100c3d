#pragma once

namespace rungs {

/// How far an output may be from its reference.
///
/// The error of an element is |output - reference| / max(|reference|, scale):
/// relative where the reference is large, and measured against the usual magnitude
/// where it happens to be near zero. An element is right if its error is a number
/// and at most `relative`.
struct Tolerance {
  double relative = 0;  ///< the largest error allowed
  double scale = 0;  ///< the usual magnitude of an element; 0 for purely relative
};

}  // namespace rungs
