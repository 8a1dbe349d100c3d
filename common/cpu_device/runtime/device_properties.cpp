#include "cpu_device/runtime/device_properties.hpp"

#include <cstring>

#include "cpu_device/runtime/failure.hpp"
#include "cpu_device/runtime/h200.hpp"

namespace rungs::cpu_device {
namespace {

constexpr int clock_khz = 1980000;
constexpr int memory_clock_khz = 3201000;
constexpr int single_to_double_ratio = 2;
constexpr unsigned pci_device = 0x233510DE;
constexpr unsigned pci_subsystem = 0x18BF10DE;

template <size_t n>
void set(int (&to)[n], const int (&from)[n]) {
  std::memcpy(to, from, sizeof to);
}

// Attributes that the runtime's header leaves without a name; the driver's has one.
constexpr int can_gather_from_2d_textures = 44;
constexpr int stream_memory_operations_v1 = 92;
constexpr int stream_memory_operations_64_bit_v1 = 93;
constexpr int stream_wait_value_nor_v1 = 94;
constexpr int cooperative_multi_device_launch = 96;
constexpr int virtual_memory_management = 102;
constexpr int file_descriptor_handles = 103;
constexpr int win32_handles = 104;
constexpr int win32_kmt_handles = 105;
constexpr int generic_compression = 107;
constexpr int rdma_with_virtual_memory = 110;
constexpr int stream_memory_operations_64_bit = 122;
constexpr int stream_wait_value_nor = 123;
constexpr int dma_buf = 124;
constexpr int tensor_map_access = 127;
constexpr int fabric_handles = 128;
constexpr int unified_function_pointers = 129;
constexpr int multicast = 132;
constexpr int decompression_algorithms = 136;
constexpr int decompression_length = 137;
constexpr int host_numa_virtual_memory_management = 141;
constexpr int host_virtual_memory_management = 145;
constexpr int host_allocation_dma_buf = 146;

/// The sizes of textures and surfaces. The CPU device has neither; programs may
/// still ask.
void set_textures(cudaDeviceProp& p) {
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.maxTexture1D = 131072;
  p.maxTexture1DMipmap = 32768;
  set(p.maxTexture2D, {131072, 65536});
  set(p.maxTexture2DMipmap, {32768, 32768});
  set(p.maxTexture2DLinear, {131072, 65000, 2097120});
  set(p.maxTexture2DGather, {32768, 32768});
  set(p.maxTexture3D, {16384, 16384, 16384});
  set(p.maxTexture3DAlt, {8192, 8192, 32768});
  p.maxTextureCubemap = 32768;
  set(p.maxTexture1DLayered, {32768, 2048});
  set(p.maxTexture2DLayered, {32768, 32768, 2048});
  set(p.maxTextureCubemapLayered, {32768, 2046});
  p.maxSurface1D = 32768;
  set(p.maxSurface2D, {131072, 65536});
  set(p.maxSurface3D, {16384, 16384, 16384});
  set(p.maxSurface1DLayered, {32768, 2048});
  set(p.maxSurface2DLayered, {32768, 32768, 2048});
  p.maxSurfaceCubemap = 32768;
  set(p.maxSurfaceCubemapLayered, {32768, 2046});
  p.surfaceAlignment = 512;
}

}  // namespace

cudaDeviceProp h200_properties(uint64_t memory_bytes) {
  cudaDeviceProp p{};
  std::strcpy(p.name, "NVIDIA H200 (CPU device)");
  std::memcpy(p.uuid.bytes, "rungs-cpu-device", sizeof p.uuid.bytes);
  p.totalGlobalMem = memory_bytes;
  p.sharedMemPerBlock = h200::shared_per_block;
  p.regsPerBlock = h200::registers_per_block;
  p.warpSize = h200::warp_size;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = h200::threads_per_block;
  set(p.maxThreadsDim,
      {h200::most_block_xy, h200::most_block_xy, h200::most_block_z});
  set(p.maxGridSize, {h200::most_grid_x, h200::most_grid_yz, h200::most_grid_yz});
  p.totalConstMem = h200::constant_bytes;
  p.major = 9;
  p.minor = 0;
  set_textures(p);
  p.multiProcessorCount = h200::multiprocessors;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.ECCEnabled = 1;
  p.pciDeviceID = h200::pci_device_number;
  p.asyncEngineCount = 3;
  p.unifiedAddressing = 1;
  p.memoryBusWidth = 6016;
  p.l2CacheSize = h200::l2_bytes;
  p.persistingL2CacheMaxSize = 39321600;
  p.maxThreadsPerMultiProcessor = h200::threads_per_multiprocessor;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = h200::shared_per_multiprocessor;
  p.regsPerMultiprocessor = h200::registers_per_multiprocessor;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.sharedMemPerBlockOptin = h200::shared_per_block_opt_in;
  p.maxBlocksPerMultiProcessor = h200::blocks_per_multiprocessor;
  p.accessPolicyMaxWindowSize = 134217728;
  p.reservedSharedMemPerBlock = h200::shared_reserved;
  p.hostRegisterSupported = 1;
  p.hostRegisterReadOnlySupported = 1;
  p.memoryPoolsSupported = 1;
  p.unifiedFunctionPointers = 1;
  p.deviceNumaId = -1;
  p.hostNumaId = 0;
  p.gpuPciDeviceID = pci_device;
  p.gpuPciSubsystemID = pci_subsystem;
  return p;
}

int h200_attribute(cudaDeviceAttr attribute) {
  static const cudaDeviceProp p = h200_properties(0);
  switch (static_cast<int>(attribute)) {
    case cudaDevAttrMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return p.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return p.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return h200::shared_per_block;
    case cudaDevAttrTotalConstantMemory:
      return h200::constant_bytes;
    case cudaDevAttrWarpSize:
      return p.warpSize;
    case cudaDevAttrMaxPitch:
      return static_cast<int>(p.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return p.regsPerBlock;
    case cudaDevAttrClockRate:
      return clock_khz;
    case cudaDevAttrTextureAlignment:
      return static_cast<int>(p.textureAlignment);
    case cudaDevAttrGpuOverlap:
      return 1;
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrCanMapHostMemory:
      return p.canMapHostMemory;
    case cudaDevAttrComputeMode:
      return cudaComputeModeDefault;
    case cudaDevAttrMaxTexture1DWidth:
      return p.maxTexture1D;
    case cudaDevAttrMaxTexture2DWidth:
      return p.maxTexture2D[0];
    case cudaDevAttrMaxTexture2DHeight:
      return p.maxTexture2D[1];
    case cudaDevAttrMaxTexture3DWidth:
      return p.maxTexture3D[0];
    case cudaDevAttrMaxTexture3DHeight:
      return p.maxTexture3D[1];
    case cudaDevAttrMaxTexture3DDepth:
      return p.maxTexture3D[2];
    case cudaDevAttrMaxTexture2DLayeredWidth:
      return p.maxTexture2DLayered[0];
    case cudaDevAttrMaxTexture2DLayeredHeight:
      return p.maxTexture2DLayered[1];
    case cudaDevAttrMaxTexture2DLayeredLayers:
      return p.maxTexture2DLayered[2];
    case cudaDevAttrSurfaceAlignment:
      return static_cast<int>(p.surfaceAlignment);
    case cudaDevAttrPciDeviceId:
      return p.pciDeviceID;
    case cudaDevAttrConcurrentKernels:
      return p.concurrentKernels;
    case cudaDevAttrEccEnabled:
      return p.ECCEnabled;
    case cudaDevAttrMemoryClockRate:
      return memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
      return p.memoryBusWidth;
    case cudaDevAttrL2CacheSize:
      return p.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount:
      return p.asyncEngineCount;
    case cudaDevAttrUnifiedAddressing:
      return p.unifiedAddressing;
    case cudaDevAttrMaxTexture1DLayeredWidth:
      return p.maxTexture1DLayered[0];
    case cudaDevAttrMaxTexture1DLayeredLayers:
      return p.maxTexture1DLayered[1];
    case cudaDevAttrMaxTexture2DGatherWidth:
      return p.maxTexture2DGather[0];
    case cudaDevAttrMaxTexture2DGatherHeight:
      return p.maxTexture2DGather[1];
    case can_gather_from_2d_textures:
      return 1;
    case cudaDevAttrMaxTexture3DWidthAlt:
      return p.maxTexture3DAlt[0];
    case cudaDevAttrMaxTexture3DHeightAlt:
      return p.maxTexture3DAlt[1];
    case cudaDevAttrMaxTexture3DDepthAlt:
      return p.maxTexture3DAlt[2];
    case cudaDevAttrTexturePitchAlignment:
      return static_cast<int>(p.texturePitchAlignment);
    case cudaDevAttrMaxTextureCubemapWidth:
      return p.maxTextureCubemap;
    case cudaDevAttrMaxTextureCubemapLayeredWidth:
      return p.maxTextureCubemapLayered[0];
    case cudaDevAttrMaxTextureCubemapLayeredLayers:
      return p.maxTextureCubemapLayered[1];
    case cudaDevAttrMaxSurface1DWidth:
      return p.maxSurface1D;
    case cudaDevAttrMaxSurface2DWidth:
      return p.maxSurface2D[0];
    case cudaDevAttrMaxSurface2DHeight:
      return p.maxSurface2D[1];
    case cudaDevAttrMaxSurface3DWidth:
      return p.maxSurface3D[0];
    case cudaDevAttrMaxSurface3DHeight:
      return p.maxSurface3D[1];
    case cudaDevAttrMaxSurface3DDepth:
      return p.maxSurface3D[2];
    case cudaDevAttrMaxSurface1DLayeredWidth:
      return p.maxSurface1DLayered[0];
    case cudaDevAttrMaxSurface1DLayeredLayers:
      return p.maxSurface1DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredWidth:
      return p.maxSurface2DLayered[0];
    case cudaDevAttrMaxSurface2DLayeredHeight:
      return p.maxSurface2DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredLayers:
      return p.maxSurface2DLayered[2];
    case cudaDevAttrMaxSurfaceCubemapWidth:
      return p.maxSurfaceCubemap;
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth:
      return p.maxSurfaceCubemapLayered[0];
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers:
      return p.maxSurfaceCubemapLayered[1];
    case cudaDevAttrMaxTexture1DLinearWidth:
      return 268435456;
    case cudaDevAttrMaxTexture2DLinearWidth:
      return p.maxTexture2DLinear[0];
    case cudaDevAttrMaxTexture2DLinearHeight:
      return p.maxTexture2DLinear[1];
    case cudaDevAttrMaxTexture2DLinearPitch:
      return p.maxTexture2DLinear[2];
    case cudaDevAttrMaxTexture2DMipmappedWidth:
      return p.maxTexture2DMipmap[0];
    case cudaDevAttrMaxTexture2DMipmappedHeight:
      return p.maxTexture2DMipmap[1];
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrMaxTexture1DMipmappedWidth:
      return p.maxTexture1DMipmap;
    case cudaDevAttrStreamPrioritiesSupported:
      return p.streamPrioritiesSupported;
    case cudaDevAttrGlobalL1CacheSupported:
      return p.globalL1CacheSupported;
    case cudaDevAttrLocalL1CacheSupported:
      return p.localL1CacheSupported;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return h200::shared_per_multiprocessor;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return p.regsPerMultiprocessor;
    case cudaDevAttrManagedMemory:
      return p.managedMemory;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return single_to_double_ratio;
    case cudaDevAttrConcurrentManagedAccess:
      return p.concurrentManagedAccess;
    case cudaDevAttrComputePreemptionSupported:
      return p.computePreemptionSupported;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      return p.canUseHostPointerForRegisteredMem;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return h200::shared_per_block_opt_in;
    case cudaDevAttrHostRegisterSupported:
      return p.hostRegisterSupported;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return p.maxBlocksPerMultiProcessor;
    case cudaDevAttrMaxPersistingL2CacheSize:
      return p.persistingL2CacheMaxSize;
    case cudaDevAttrMaxAccessPolicyWindowSize:
      return p.accessPolicyMaxWindowSize;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return h200::shared_reserved;
    case cudaDevAttrHostRegisterReadOnlySupported:
      return p.hostRegisterReadOnlySupported;
    case cudaDevAttrMemoryPoolsSupported:
      return p.memoryPoolsSupported;
    case unified_function_pointers:
      return p.unifiedFunctionPointers;
    case cudaDevAttrNumaId:
      return p.deviceNumaId;
    case cudaDevAttrHostNumaId:
      return p.hostNumaId;
    case cudaDevAttrMemSyncDomainCount:
      return 4;
    case cudaDevAttrGpuPciDeviceId:
      return static_cast<int>(p.gpuPciDeviceID);
    case cudaDevAttrGpuPciSubsystemId:
      return static_cast<int>(p.gpuPciSubsystemID);
    // An H200 has these and the CPU device does not. A program that read 1 here
    // would use them, and fail.
    case cudaDevAttrCooperativeLaunch:
    case cooperative_multi_device_launch:
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrIpcEventSupport:
    case cudaDevAttrMemoryPoolSupportedHandleTypes:
    case cudaDevAttrHostMemoryPoolsSupported:
    case cudaDevAttrHostNumaMemoryPoolsSupported:
    case cudaDevAttrSparseCudaArraySupported:
    case cudaDevAttrDeferredMappingCudaArraySupported:
    case cudaDevAttrTimelineSemaphoreInteropSupported:
    case cudaDevAttrGPUDirectRDMASupported:
    case cudaDevAttrGPUDirectRDMAFlushWritesOptions:
    case cudaDevAttrGPUDirectRDMAWritesOrdering:
    // These belong to the driver's own interface, which is not here at all.
    case virtual_memory_management:
    case host_virtual_memory_management:
    case host_numa_virtual_memory_management:
    case file_descriptor_handles:
    case fabric_handles:
    case generic_compression:
    case rdma_with_virtual_memory:
    case dma_buf:
    case stream_memory_operations_64_bit:
    case stream_wait_value_nor:
    case tensor_map_access:
      return 0;
    // Zero on an H200 too.
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrIntegrated:
    case cudaDevAttrPciBusId:
    case cudaDevAttrTccDriver:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case stream_memory_operations_v1:
    case stream_memory_operations_64_bit_v1:
    case stream_wait_value_nor_v1:
    case cudaDevAttrCanFlushRemoteWrites:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case win32_handles:
    case win32_kmt_handles:
    case cudaDevAttrNumaConfig:
    case multicast:
    case cudaDevAttrMpsEnabled:
    case cudaDevAttrD3D12CigSupported:
    case decompression_algorithms:
    case decompression_length:
    case cudaDevAttrVulkanCigSupported:
    case cudaDevAttrHostNumaMultinodeIpcSupported:
    case host_allocation_dma_buf:
    case cudaDevAttrOnlyPartialHostNativeAtomicSupported:
      return 0;
    default:
      break;
  }
  throw Failure{cudaErrorInvalidValue};
}

}  // namespace rungs::cpu_device
