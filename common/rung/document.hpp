#pragma once

#include <vector>

#include "rung/counts.hpp"
#include "rung/device.hpp"
#include "rung/options.hpp"
#include "rung/runner.hpp"

namespace rungs {

/// The document of a run, schema "rungs-run/1": one entry for each result.
Json run_document(const Options& options, const Device& device,
                  const std::vector<Result>& results);

/// The same without device, checks and PTX counts: what is known before anything
/// runs.
Json describe_document(const Options& options);

}  // namespace rungs
