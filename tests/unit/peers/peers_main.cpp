// Runs on the CPU device, which the loader has put in the runtime's place.
#include <gtest/gtest.h>

#include "rung/cpu_device_calls.hpp"

int main(int argc, char* argv[]) {
  testing::InitGoogleTest(&argc, argv);
  if (!testing::GTEST_FLAG(list_tests) && !rungs::on_cpu_device()) {
    std::fprintf(stderr, "start this with LD_LIBRARY_PATH=build/bin/cpu-device\n");
    return 1;
  }
  return RUN_ALL_TESTS();
}
