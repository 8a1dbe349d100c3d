// What stands in an answer: times, versions, reasons.
#include <gtest/gtest.h>

#include "measure/cupti.hpp"
#include "measure/kernel_name.hpp"
#include "measure/machine.hpp"
#include "measure/nvml.hpp"
#include "measure/samples.hpp"

namespace rungs {
namespace {

TEST(Microseconds, AreExactToANanosecond) {
  EXPECT_EQ(microseconds({74112, 1, 0, 1234567}).dump(),
            "[74.112,0.001,0.0,1234.567]");
}

TEST(Microseconds, AreOfOneOperationAndRounded) {
  EXPECT_EQ(microseconds({7449, 7450, 7451}, 100).dump(), "[0.074,0.075,0.075]");
}

TEST(CuptiSentence, SaysWhatHelps) {
  const std::string privileges = cupti_sentence(
      "cuptiActivityEnable", 35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
  EXPECT_NE(privileges.find("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
            std::string::npos);
  EXPECT_NE(privileges.find("NVreg_RestrictProfilingToAdminUsers=0"),
            std::string::npos);
  const std::string second = cupti_sentence(
      "cuptiActivityEnable", 39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED");
  EXPECT_NE(second.find("another tool"), std::string::npos);
  EXPECT_EQ(cupti_sentence("cuptiActivityFlushAll", 999, "CUPTI_ERROR_UNKNOWN"),
            "CUPTI's cuptiActivityFlushAll failed with CUPTI_ERROR_UNKNOWN");
}

TEST(CuptiVersion, IsTheToolkits) {
  EXPECT_EQ(cupti_version_text(130001), "13.0");
  EXPECT_EQ(cupti_version_text(130200), "13.2");
  EXPECT_EQ(cupti_version_text(28), "API version 28");
}

TEST(CudaVersion, IsWrittenAsCudaDoes) {
  EXPECT_EQ(cuda_version(13000), "13.0");
  EXPECT_EQ(cuda_version(12080), "12.8");
  EXPECT_TRUE(cuda_version(0).is_null());
}

TEST(ThrottleReasons, HaveNames) {
  EXPECT_EQ(throttle_reasons(0x4 | 0x40),
            (std::vector<std::string>{"sw_power_cap", "hw_thermal_slowdown"}));
  EXPECT_EQ(throttle_reasons(0x1FF).size(), 8u);
}

TEST(ThrottleReasons, LeaveAnIdleGpuOut) {
  EXPECT_EQ(throttle_reasons(0x1), std::vector<std::string>{});
  EXPECT_EQ(throttle_reasons(0), std::vector<std::string>{});
}

TEST(KernelName, IsTheSources) {
  EXPECT_EQ(kernel_name("_ZN6matmul3k646kernelEPKfi"),
            "matmul::k64::kernel(float const*, int)");
  EXPECT_EQ(kernel_name("matmul_kernel_0d1d"), "matmul_kernel_0d1d");
  EXPECT_EQ(kernel_name(nullptr), "");
}

TEST(Environment, HoldsWhatIsSetAndNothingElse) {
  unsetenv("CUDA_MODULE_LOADING");
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  const Json set = measuring_environment();
  EXPECT_EQ(set.at("NVIDIA_TF32_OVERRIDE"), "0");
  EXPECT_FALSE(set.contains("CUDA_MODULE_LOADING"));
  EXPECT_FALSE(set.contains("PATH"));
  unsetenv("NVIDIA_TF32_OVERRIDE");
}

}  // namespace
}  // namespace rungs
