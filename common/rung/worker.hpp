#pragma once

#include "rung/device.hpp"
#include "rung/options.hpp"
#include "rung/stop.hpp"

namespace rungs {

/// Answers requests, one JSON object a line, from stdin on stdout until stdin ends:
/// protocol "rungs-worker/1". Whatever else writes to stdout goes to stderr.
///
/// - hello: what there is (device, software, variants)
/// - open (shape, cold, buffers, ranges): allocates, makes inputs, prepares
///   variants; ranges, {"X": [low, high]}, take the place of the inputs' own until
///   the next open
/// - check (variant, small): against the reference
/// - export (folder): the inputs, for another program
/// - compare (folder): that program's outputs
/// - resources (variant): registers, shared memory, blocks
/// - measure (variant, instrument, cache, samples, batch)
/// - state: clocks, power, throttle reasons
/// - load (seconds): keeps the device busy
/// - close: frees the shape
///
/// What cannot be done is answered {"error": one sentence}; a time that is not to
/// be had, {"missing": why}. After a kernel's fault no other can run: then the
/// answer is the last one, and the exit code 1.
Exit run_worker(const Options& options, const Device& device);

}  // namespace rungs
