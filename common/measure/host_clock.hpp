#pragma once

#include "measure/launches.hpp"
#include "measure/samples.hpp"

namespace rungs {

/// A launch and a wait for it, by the host's clock.
Samples measure_awaited(Launches& launches, int samples);

/// `batch` launches and one wait for all; each sample is of the batch.
Samples measure_queued(Launches& launches, int samples, int batch);

/// The launch call alone, with nothing in the stream before it.
Samples measure_submit(Launches& launches, int samples);

}  // namespace rungs
