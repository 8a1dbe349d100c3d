#pragma once

#include <nlohmann/json.hpp>

namespace rungs {

/// A JSON value whose objects keep their order.
using Json = nlohmann::ordered_json;

}  // namespace rungs
