#include "rung/rung.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "rung/cuda_error.hpp"

namespace rungs {
namespace {

/// A function's static: rungs register before main, in no particular order.
std::vector<const Rung*>& registry() {
  static std::vector<const Rung*> rungs;
  return rungs;
}

/// "the nearest good M is 1024 (or 960)" for 1000 and multiples of 64.
std::string nearest_good(int value, const SizeRule& rule) {
  const int step = rule.multiple_of;
  const int least = (rule.at_least + step - 1) / step * step;
  const int most = rule.at_most / step * step;
  const int below = value / step * step;
  std::vector<int> good;
  if (below >= least) good.push_back(std::min(below, most));
  if (below <= most - step) good.push_back(std::max(below + step, least));
  std::sort(good.begin(), good.end(), [value](int a, int b) {
    return std::abs(value - a) < std::abs(value - b);
  });
  std::string text =
      "the nearest good " + rule.size + " is " + std::to_string(good[0]);
  if (good.size() > 1) text += " (or " + std::to_string(good[1]) + ")";
  return text;
}

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::kept:
      return "kept";
    case Kind::rejected:
      return "rejected";
    case Kind::beyond:
      return "beyond";
    case Kind::peer:
      return "peer";
    case Kind::floor:
      return "floor";
  }
  return "unknown";
}

std::string refuse(const std::string& who, const std::vector<SizeRule>& rules,
                   const Shape& shape) {
  for (const SizeRule& rule : rules) {
    const int value = shape[rule.size];
    const std::string start =
        who + ": " + rule.size + " = " + std::to_string(value);
    if (rule.at_least == rule.at_most && value != rule.at_most) {
      return start + "; it does " + std::to_string(rule.at_most) + " and no other";
    }
    if (value < rule.at_least) {
      return start + " is less than " + std::to_string(rule.at_least) + "; " +
             nearest_good(value, rule);
    }
    if (value > rule.at_most) {
      return start + " is more than " + rule.limit + "; " +
             nearest_good(value, rule);
    }
    if (value % rule.multiple_of != 0) {
      return start + " is not a multiple of " + std::to_string(rule.multiple_of) +
             "; " + nearest_good(value, rule);
    }
  }
  return "";
}

std::vector<SizeRule> combine(const std::vector<SizeRule>& some,
                              const std::vector<SizeRule>& others) {
  std::vector<SizeRule> combined = some;
  for (const SizeRule& other : others) {
    const auto same =
        std::find_if(combined.begin(), combined.end(),
                     [&](const auto& rule) { return rule.size == other.size; });
    if (same == combined.end()) {
      combined.push_back(other);
    } else {
      same->multiple_of = std::lcm(same->multiple_of, other.multiple_of);
      same->at_least = std::max(same->at_least, other.at_least);
      if (other.at_most < same->at_most) same->limit = other.limit;
      same->at_most = std::min(same->at_most, other.at_most);
    }
  }
  return combined;
}

Rung::Rung(Key key, const Operation& operation, Description<Launch> description)
    : key_(std::move(key)),
      operation_(&operation),
      description_(std::move(description)) {
  registry().push_back(this);
}

std::string Rung::refuse(const Shape& shape) const {
  return rungs::refuse(key_.text(), description_.sizes, shape);
}

std::size_t Rung::scratch_bytes(const Shape& shape) const {
  const auto bytes = description_.scratch_bytes;
  return bytes == nullptr ? 0 : bytes(shape);
}

void Rung::run(const Buffers& buffers, const Shape& shape) const {
  const cudaStream_t default_stream = nullptr;
  description_.launch(buffers, shape, default_stream);
  require(cudaGetLastError(), "the launch");
  require(cudaDeviceSynchronize(), "the kernel");
}

std::vector<const Rung*> registered_rungs() {
  std::vector<const Rung*> rungs = registry();
  std::sort(rungs.begin(), rungs.end(), [](const Rung* a, const Rung* b) {
    return a->key().order < b->key().order;
  });
  return rungs;
}

}  // namespace rungs
