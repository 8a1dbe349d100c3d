// The host touches device memory, which no GPU allows. On the CPU device the
// program ends with one sentence; elsewhere by a signal.
//
//   host_access inside | past-the-end | freed | own
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "expect.hpp"

/// A handler that the program installed before it used CUDA: it must still get what
/// is its own.
void own_handler(int) {
  constexpr char text[] = "the program's own handler\n";
  std::fwrite(text, 1, sizeof text - 1, stdout);
  std::fflush(stdout);
  std::_Exit(42);
}

int main(int count, char** arguments) {
  emulate::need_device();
  const char* const what = count == 2 ? arguments[1] : "";
  std::signal(SIGSEGV, own_handler);
  volatile int* device = nullptr;
  EXPECT_OK(cudaMalloc(const_cast<int**>(&device), 400));
  std::printf("allocated\n");
  if (std::strcmp(what, "inside") == 0) {
    device[7] = 1;
  } else if (std::strcmp(what, "past-the-end") == 0) {
    return device[104];
  } else if (std::strcmp(what, "freed") == 0) {
    EXPECT_OK(cudaFree(const_cast<int*>(device)));
    return device[0];
  } else if (std::strcmp(what, "own") == 0) {
    volatile int* volatile nowhere = reinterpret_cast<volatile int*>(16);
    return *nowhere;
  }
  std::fprintf(stderr, "host_access: give inside, past-the-end, freed or own\n");
  return 2;
}
