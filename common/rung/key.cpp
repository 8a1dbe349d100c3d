#include "rung/key.hpp"

#include <charconv>
#include <filesystem>
#include <stdexcept>

namespace rungs {
namespace {

constexpr int order_of_asides = 1000;  // asides sort behind every numbered rung

}  // namespace

Key key_of(std::string_view source_path) {
  const std::filesystem::path folder =
      std::filesystem::path(source_path).parent_path();
  const std::string name = folder.filename().string();
  const std::string ladder = folder.parent_path().filename().string();

  const bool aside = name.starts_with('x');
  const char* const end = name.data() + name.size();
  int number = 0;
  const auto [rest, error] = std::from_chars(name.data() + aside, end, number);
  if (error != std::errc() || rest == end || *rest != '-' || rest + 1 == end ||
      ladder.empty()) {
    throw std::invalid_argument(
        std::string(source_path) +
        " is not in a rung's folder, such as matmul/3-transposed-a");
  }
  return {ladder, std::string(rest + 1, end),
          number + (aside ? order_of_asides : 0)};
}

}  // namespace rungs
