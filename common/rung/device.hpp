#pragma once

#include <string>
#include <vector>

namespace rungs {

/// What --device asks for, and what a process runs on.
enum class DeviceKind { automatic, gpu, cpu };

/// What the kernels of this process run on.
struct Device {
  DeviceKind kind = DeviceKind::cpu;  ///< gpu or cpu
  std::string name;                   ///< "NVIDIA H200", "CPU device"
  std::string reason;  ///< why it and not the other, or the GPU's particulars
  int threads = 0;     ///< host threads of the CPU device
};

/// Why no GPU of this machine can run this build, in a few words: no driver, a
/// driver that is too old, no visible GPU, or one that the build has no code for.
/// Empty if one can.
std::string why_no_gpu();

/// Chooses the device. For the CPU device the process starts itself again, with our
/// runtime before the toolkit's: then this call does not return, and main() comes
/// here a second time.
///
/// \param asked    what the command line says; automatic is the GPU where one can
/// be used \param threads  host threads of the CPU device; 0 for one a processor
/// \param arguments the program's own, for the new start
/// Throws Stop (77) if the device that was asked for is not to be had.
Device choose_device(DeviceKind asked, int threads, char* const arguments[]);

/// Puts LD_LIBRARY_PATH back as it was before a new start. Call it first thing in
/// main().
void restore_environment();

/// The folder that holds this program, from the kernel, not from argv.
std::string program_folder();

/// True if a GPU of compute capability major.minor runs code built for
/// `architectures`, each as "90" or "90a": plain code runs there and, as PTX, on
/// every newer GPU.
bool has_code_for(int major, int minor,
                  const std::vector<std::string>& architectures);

}  // namespace rungs
