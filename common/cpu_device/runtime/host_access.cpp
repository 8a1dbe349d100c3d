#include "cpu_device/runtime/host_access.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "cpu_device/runtime/failure.hpp"
#include "cpu_device/runtime/refusal.hpp"

namespace rungs::cpu_device {
namespace {

const Memory* watched = nullptr;
struct sigaction previous;

void handle(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<Address>(info->si_addr);
  if (watched->is_device_address(address)) {
    // The fault is the program's own instruction, outside of the runtime and of
    // malloc, so ordinary code is safe here.
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx",
                  static_cast<unsigned long long>(address));
    write_note(std::string("host access to device memory at ") + text + " (" +
               watched->describe(address) +
               "): only kernels may use this address; copy with cudaMemcpy");
    end_process(1);
  }
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    // Back to the default; the instruction runs again and ends the process as
    // usual.
    sigaction(SIGSEGV, &previous, nullptr);
  }
}

}  // namespace

void watch_host_access(const Memory& memory) {
  watched = &memory;
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previous);
}

}  // namespace rungs::cpu_device
