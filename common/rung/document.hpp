#pragma once

#include <vector>

#include "rung/counts.hpp"
#include "rung/device.hpp"
#include "rung/options.hpp"
#include "rung/runner.hpp"

namespace rungs {

/// {"M": 1024, ...}, in the operation's order.
Json sizes(const Shape& shape);

/// {"kind", "name", "reason"}.
Json device_document(const Device& device);

/// What was found at each shape, as "shapes" of a check.
Json shape_checks(const std::vector<ShapeCheck>& checks);

/// The document of a run, schema "rungs-run/1": one entry for each result.
Json run_document(const Options& options, const Device& device,
                  const std::vector<Result>& results);

/// The same without device, checks and PTX counts: what is known before anything
/// runs.
Json describe_document(const Options& options);

}  // namespace rungs
