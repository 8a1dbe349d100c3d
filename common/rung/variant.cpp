#include "rung/variant.hpp"

#include <algorithm>

#include "rung/peer.hpp"

namespace rungs {
namespace {

struct Registered {
  const Operation* operation;
  Variant variant;
};

// Functions' statics: peers and floors register before main, in no particular
// order.
std::vector<Registered>& peers() {
  static std::vector<Registered> peers;
  return peers;
}

std::vector<FloorDescription>& floors() {
  static std::vector<FloorDescription> floors;
  return floors;
}

std::map<std::string, std::string (*)()>& software() {
  static std::map<std::string, std::string (*)()> software;
  return software;
}

Variant variant_of(const Rung& rung) {
  const auto& description = rung.description();
  Variant variant{.name = rung.key().rung,
                  .kind = description.kind,
                  .order = rung.key().order,
                  .after = description.after,
                  .sizes = description.sizes,
                  .launch = description.launch};
  if (description.scratch_bytes != nullptr) {
    variant.scratch_bytes = description.scratch_bytes;
  }
  return variant;
}

Variant variant_of(const FloorDescription& floor, const Operation& operation) {
  Variant variant{.name = floor.name,
                  .kind = Kind::floor,
                  .source_hash = floor.source_hash,
                  .work = floor.work};
  if (floor.missing != nullptr) {
    variant.missing = [&operation, missing = floor.missing] {
      return missing(operation);
    };
  }
  if (floor.scratch_bytes != nullptr) {
    variant.scratch_bytes = [&operation,
                             bytes = floor.scratch_bytes](const Shape& shape) {
      return bytes(operation, shape);
    };
  }
  variant.launch = [&operation, launch = floor.launch](const Buffers& buffers,
                                                       const Shape& shape,
                                                       cudaStream_t stream) {
    launch(operation, buffers, shape, stream);
  };
  variant.check = [&operation, check = floor.check](const Buffers& buffers,
                                                    const Shape& shape) {
    return check(operation, buffers, shape);
  };
  return variant;
}

}  // namespace

std::string_view name(Math math) { return math == Math::fp32 ? "fp32" : "tf32"; }

Peer::Peer(const Operation& operation, Variant variant) {
  peers().push_back({&operation, std::move(variant)});
}

Floor::Floor(FloorDescription description) {
  floors().push_back(std::move(description));
}

Software::Software(std::string name, std::string (*version)()) {
  software()[std::move(name)] = version;
}

std::map<std::string, std::string> registered_software() {
  std::map<std::string, std::string> versions;
  for (const auto& [name, version] : software()) {
    std::string text = version();
    if (!text.empty()) versions[name] = std::move(text);
  }
  return versions;
}

std::vector<Variant> registered_variants(const Operation& operation) {
  std::vector<Variant> variants;
  for (const Rung* rung : registered_rungs()) {
    if (&rung->operation() == &operation) variants.push_back(variant_of(*rung));
  }
  const auto rungs = static_cast<std::ptrdiff_t>(variants.size());
  for (const Registered& peer : peers()) {
    if (peer.operation == &operation) variants.push_back(peer.variant);
  }
  for (const FloorDescription& floor : floors()) {
    variants.push_back(variant_of(floor, operation));
  }
  std::sort(variants.begin() + rungs, variants.end(),
            [](const Variant& a, const Variant& b) {
              return a.kind != b.kind ? a.kind < b.kind : a.name < b.name;
            });
  return variants;
}

}  // namespace rungs
