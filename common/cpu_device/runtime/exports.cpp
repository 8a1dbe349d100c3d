/// \file
/// Every function of the real library answers. Those that the CPU device does not
/// have say so once and return cudaErrorNotSupported.
///
/// The definitions here are weak: where another file defines the function, that one
/// is taken. CUDA's own declarations are not included, since a refusal needs no
/// arguments.
#include "cpu_device/runtime/runtime.hpp"

namespace {

int refuse(const char* name) {
  using namespace rungs::cpu_device;
  write_note_once(std::string("not supported by the CPU device: ") + name);
  return call(name, [](Runtime&) { throw Failure{cudaErrorNotSupported}; });
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

#define FUNCTION(name)                       \
  EXPORTED __attribute__((weak)) int name(); \
  int name() { return refuse(#name); }
#define SAME(name, other)
#include "cpu_device/runtime/exports.def"
#undef FUNCTION
#undef SAME

// A jump keeps all arguments in place, whatever they are.
#define FUNCTION(name)
#define SAME(name, other)                  \
  __asm__(                                 \
      ".pushsection .text\n"               \
      ".globl " #name                      \
      "\n"                                 \
      ".type " #name ", @function\n" #name \
      ":\n"                                \
      "  jmp " #other                      \
      "@PLT\n"                             \
      ".size " #name ", . - " #name        \
      "\n"                                 \
      ".popsection\n");
#include "cpu_device/runtime/exports.def"
#undef FUNCTION
#undef SAME
