#include "check/shape.hpp"

#include <algorithm>
#include <stdexcept>

namespace rungs {

Shape::Shape(std::vector<std::string> names, std::vector<int> sizes)
    : names_(std::move(names)), sizes_(std::move(sizes)) {
  if (names_.size() != sizes_.size()) {
    throw std::invalid_argument("a shape needs one size for each name");
  }
}

int Shape::operator[](std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) {
    throw std::out_of_range("no size is called " + std::string(name));
  }
  return sizes_[static_cast<std::size_t>(found - names_.begin())];
}

std::string Shape::text() const {
  std::string result;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    result += (i == 0 ? "" : ", ") + names_[i] + " = " + std::to_string(sizes_[i]);
  }
  return result;
}

std::int64_t element_count(const Shape& shape,
                           const std::vector<std::string>& extents) {
  std::int64_t count = 1;
  for (const std::string& extent : extents) {
    // Saturate: the product of three ints can overflow, and too large is too large.
    if (__builtin_mul_overflow(count, std::int64_t{shape[extent]}, &count)) {
      return INT64_MAX;
    }
  }
  return count;
}

}  // namespace rungs
