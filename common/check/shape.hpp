#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rungs {

/// The sizes of an operation by name, such as M = 1024, N = 1024, K = 1024.
///
/// Sizes fit an int, the type that kernels index with. They are positive unless the
/// operation lets them be 0 (Operation::least).
class Shape {
 public:
  Shape() = default;

  /// `names` and `sizes` are of equal length.
  Shape(std::vector<std::string> names, std::vector<int> sizes);

  /// The size called `name`; throws std::out_of_range if there is none.
  int operator[](std::string_view name) const;

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<int>& sizes() const { return sizes_; }

  /// As one says it: "M = 128, N = 64, K = 32".
  std::string text() const;

  bool operator==(const Shape&) const = default;

 private:
  std::vector<std::string> names_;
  std::vector<int> sizes_;
};

/// The number of elements of a tensor whose extents are these sizes of `shape`.
/// No extent at all is a scalar, of one element.
std::int64_t element_count(const Shape& shape,
                           const std::vector<std::string>& extents);

}  // namespace rungs
