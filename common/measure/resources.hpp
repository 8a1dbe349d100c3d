#pragma once

#include "measure/json.hpp"
#include "measure/launches.hpp"

namespace rungs {

/// What the kernels of one operation take of a multiprocessor, from the graph of
/// its launch, which is not run: {"kernels": [{"name", "registers",
/// "static_shared_bytes", "dynamic_shared_bytes", "local_bytes", "block_threads",
/// "blocks", "blocks_per_multiprocessor"}]}, or {"missing": why}. Throws CudaError
/// if the launch cannot be captured.
Json resources(Launches& launches);

}  // namespace rungs
