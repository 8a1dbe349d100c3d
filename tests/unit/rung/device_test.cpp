#include "rung/device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rungs {
namespace {

TEST(HasCodeFor, RunsPlainCodeOnTheSameAndEveryNewerGpu) {
  EXPECT_TRUE(has_code_for(9, 0, {"90"}));
  EXPECT_TRUE(has_code_for(12, 0, {"90"}));
  EXPECT_FALSE(has_code_for(8, 9, {"90"}));
  EXPECT_TRUE(has_code_for(8, 9, {"90", "89"}));
}

TEST(HasCodeFor, RunsSpecificCodeOnItsOwnGpuOnly) {
  EXPECT_TRUE(has_code_for(10, 0, {"100a"}));
  EXPECT_FALSE(has_code_for(12, 0, {"100a"}));
}

TEST(RestoreEnvironment, PutsTheSearchPathBack) {
  setenv("RUNGS_CPU_DEVICE", "1", 1);
  setenv("RUNGS_RESTORE_LD_LIBRARY_PATH", "/old", 1);
  setenv("LD_LIBRARY_PATH", "/ours:/old", 1);
  restore_environment();
  EXPECT_STREQ(std::getenv("LD_LIBRARY_PATH"), "/old");
  EXPECT_EQ(std::getenv("RUNGS_RESTORE_LD_LIBRARY_PATH"), nullptr);

  setenv("LD_LIBRARY_PATH", "/ours", 1);
  restore_environment();  // there was none before
  EXPECT_EQ(std::getenv("LD_LIBRARY_PATH"), nullptr);

  unsetenv("RUNGS_CPU_DEVICE");
  setenv("LD_LIBRARY_PATH", "/a user's own", 1);
  restore_environment();  // a first start
  EXPECT_STREQ(std::getenv("LD_LIBRARY_PATH"), "/a user's own");
  unsetenv("LD_LIBRARY_PATH");
}

TEST(ProgramFolder, IsWhereTheTestIs) {
  EXPECT_TRUE(program_folder().ends_with("/bin/tests")) << program_folder();
}

}  // namespace
}  // namespace rungs
