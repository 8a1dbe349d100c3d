/// \file
/// The rest of the library is built for processors with AVX2 and FMA; this file is
/// not. It runs first and refuses others, before an instruction that they lack ends
/// the program.
#include <unistd.h>

#include <cstring>

#include "cpu_device/runtime/refusal.hpp"

namespace {

__attribute__((constructor(101))) void check_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return;
  }
  constexpr const char* text =
      "rungs cpu device: this processor lacks AVX2, FMA or BMI2, which the CPU device "
      "needs; use a processor from 2015 or later, or a GPU\n";
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text, std::strlen(text));
  rungs::cpu_device::end_process(77);
}

}  // namespace
