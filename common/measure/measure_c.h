// The instruments as a C shared library, librungs-measure.so, so that a program in
// another language measures with the same code.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Puts one operation on buffer set `index` (counted from 0; take it modulo the
/// number of sets) into `stream`, a cudaStream_t. Returns 0 if that went well;
/// anything else ends the measurement, which then says so.
typedef int (*rungs_launch_fn)(void* context, int index, void* stream);

/// Measures with one instrument: "span", "kernel", "awaited", "queued", "graph" or
/// "submit". `batch` operations make one sample of "queued" and "graph"; give 1 to
/// the others. Ten operations are launched first.
///
/// Returns JSON, valid until this thread's next call; every time is microseconds
/// for one operation:
///
///     {"unit": "us", "samples": [...]}
///     {"unit": "us", "samples": [...], "kernels": [{"name",
///     "launches_per_operation",
///      "grid", "block", "registers", "static_shared_bytes",
///      "dynamic_shared_bytes", "samples"}]} for "kernel"
///     {"missing": "why there are no samples, in one sentence"}
///     {"error": "what was asked wrongly, or that the device is lost"}
const char* rungs_measure(const char* instrument, int samples, int batch,
                          rungs_launch_fn launch, void* context, void* stream);

/// "rungs-measure/1".
const char* rungs_measure_version(void);

#ifdef __cplusplus
}
#endif
