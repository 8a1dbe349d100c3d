// Every function of the real library is in ours and answers: calls those that are
// refused and names them once. Only for the CPU device: the calls have no
// arguments.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

constexpr const char* names[] = {
#define FUNCTION(name) #name,
#define SAME(name, other) #name,
#include "cpu_device/runtime/exports.def"
#undef FUNCTION
#undef SAME
};

}  // namespace

int main(int count, char** arguments) {
  void* const library = dlopen("libcudart.so.13", RTLD_NOW);
  if (!library || !dlsym(library, "rungsCpuDeviceVersion")) {
    std::fprintf(stderr, "every_export: this is not the CPU device's runtime\n");
    return 77;
  }
  if (count == 2) {
    // One function by its name, called twice.
    auto* const function =
        reinterpret_cast<int (*)()>(dlsym(library, arguments[1]));
    if (!function) return 2;
    const int first = function(), second = function();
    std::printf("%d %d\n", first, second);
    return 0;
  }
  int missing = 0;
  for (const char* name : names) {
    if (dlsym(library, name)) continue;
    ++missing;
    std::printf("%s is missing\n", name);
  }
  std::printf("%zu functions, %d missing\n", std::size(names), missing);
  return missing != 0;
}
