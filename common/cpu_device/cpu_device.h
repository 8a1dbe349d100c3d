/// \file
/// The C interface between a program and the CPU device, our own libcudart.so.13
/// that runs the program's PTX on the host. A program finds these functions with
/// dlsym(RTLD_DEFAULT, ...): they are there exactly when it runs on the CPU device.
///
/// The environment sets what rungsCpuDeviceConfigure() sets, for programs that do
/// not know of the CPU device: RUNGS_CPU_DEVICE_THREADS, RUNGS_CPU_DEVICE_CHECKS
/// and RUNGS_CPU_DEVICE_BUDGET; a bad value ends the program with exit code 2.
/// RUNGS_CPU_DEVICE_REPORT names a file that receives the counts document when the
/// program ends.
#ifndef RUNGS_CPU_DEVICE_CPU_DEVICE_H
#define RUNGS_CPU_DEVICE_CPU_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

/// The CPU device's version, "1.0" for instance.
const char* rungsCpuDeviceVersion(void);

/// Sets one option for the launches that follow.
///
/// | key     | value |
/// |---------|-----------------------------------------------------------------------------|
/// | threads | host threads that run blocks, 1 to 1024; default: one a processor |
/// | checks  | "none", "all", or of "race" and "uninitialised" a list with commas |
/// | budget  | warp instructions that one block may run before it counts as hung |
///
/// \return 0, or 1 for an unknown key or a bad value, with one sentence on stderr
int rungsCpuDeviceConfigure(const char* key, const char* value);

/// Forgets what was counted so far.
void rungsCpuDeviceResetCounts(void);

/// What the launches since the start or the last reset counted: a JSON document of
/// schema "rungs-cpu-counts/1" with one entry for each kernel, grid, block and
/// dynamic shared size, in the order of their first launch. All counts are sums
/// over the entry's launches. "faults" lists what stopped a kernel (kind "fault")
/// or kept it from running (kind "unsupported"), each with the sentence that went
/// to stderr; a reset keeps them. \return valid until the next call
const char* rungsCpuDeviceCountsJson(void);

/// The full text of the fault or of the unsupported instruction that stopped the
/// device, or
/// "". Valid until the next call.
const char* rungsCpuDeviceLastFault(void);

#ifdef __cplusplus
}
#endif

#endif  // RUNGS_CPU_DEVICE_CPU_DEVICE_H
