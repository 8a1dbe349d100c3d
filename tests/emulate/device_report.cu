// Prints what the runtime says about the device, one line a fact, to compare the
// CPU device with the GPU that it describes.
#include <cstring>

#include "expect.hpp"

int main() {
  emulate::need_device();
  cudaDeviceProp p;
  EXPECT_OK(cudaGetDeviceProperties(&p, 0));
  std::printf("name %s\n", p.name);
  std::printf("totalGlobalMem %zu\n", p.totalGlobalMem);
  std::printf("memoryBusWidth %d\n", p.memoryBusWidth);
  std::printf("unifiedFunctionPointers %d\n", p.unifiedFunctionPointers);
  for (int attribute = 1; attribute < 160; ++attribute) {
    int value = 0;
    const auto asked = static_cast<cudaDeviceAttr>(attribute);
    const cudaError_t error = cudaDeviceGetAttribute(&value, asked, 0);
    if (error == cudaSuccess) {
      std::printf("attribute %d = %d\n", attribute, value);
    } else {
      std::printf("attribute %d refused: %s\n", attribute, cudaGetErrorName(error));
    }
  }
  (void)cudaGetLastError();
  for (int limit = 0; limit <= 6; ++limit) {
    size_t value = 0;
    const cudaError_t error =
        cudaDeviceGetLimit(&value, static_cast<cudaLimit>(limit));
    if (error == cudaSuccess) {
      std::printf("limit %d = %zu\n", limit, value);
    } else {
      std::printf("limit %d refused: %s\n", limit, cudaGetErrorName(error));
    }
  }
  (void)cudaGetLastError();
  int least, greatest, driver, runtime, count;
  EXPECT_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_OK(cudaDriverGetVersion(&driver));
  EXPECT_OK(cudaRuntimeGetVersion(&runtime));
  EXPECT_OK(cudaGetDeviceCount(&count));
  std::printf("priorities %d to %d\nruntime %d\n", least, greatest, runtime);
  EXPECT(count >= 1 && driver >= 13000);

  // The structure and the attributes tell the same.
  int value;
  EXPECT_OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(value == p.multiProcessorCount);
  EXPECT_OK(
      cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  EXPECT(static_cast<size_t>(value) == p.sharedMemPerBlockOptin);
  EXPECT_OK(cudaDeviceGetAttribute(&value, cudaDevAttrGlobalMemoryBusWidth, 0));
  EXPECT(value == p.memoryBusWidth);
  EXPECT_OK(cudaDeviceGetAttribute(&value, cudaDevAttrPciDeviceId, 0));
  EXPECT(value == p.pciDeviceID);
  EXPECT_OK(cudaDeviceGetAttribute(&value, cudaDevAttrHostNumaId, 0));
  EXPECT(value == p.hostNumaId);
  char bus[16];
  int found = -1;
  EXPECT_OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  EXPECT_OK(cudaDeviceGetByPCIBusId(&found, bus));
  EXPECT(found == 0);
  std::printf("bus %s\n", bus);
  if (emulate::on_cpu_device()) {
    EXPECT(std::strcmp(p.name, "NVIDIA H200 (CPU device)") == 0);
    EXPECT(p.multiProcessorCount == 132 && p.major == 9 && p.minor == 0);
    EXPECT(p.l2CacheSize == 62914560 && p.maxThreadsPerMultiProcessor == 2048);
    EXPECT(p.sharedMemPerBlockOptin == 227 * 1024 && p.warpSize == 32);
  }
  return emulate::result();
}
