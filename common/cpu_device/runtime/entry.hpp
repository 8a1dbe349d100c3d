/// \file
/// For the files that define the runtime's entry points: CUDA's declarations,
/// exported, and the frame that each of them runs in (runtime.hpp).
#pragma once

// The library is built with hidden visibility; what these headers declare is its
// interface.
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>

#include "cpu_device/cpu_device.h"

// What nvcc's generated code calls (crt/host_runtime.h declares these for nvcc
// only).
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** binary);
void __cudaUnregisterFatBinary(void** binary);
void __cudaRegisterVar(void** binary, char* host_variable, char* device_address,
                       const char* name, int external, size_t bytes, int constant,
                       int global);
void __cudaRegisterManagedVar(void** binary, void** host_pointer,
                              char* device_address, const char* name, int external,
                              size_t bytes, int constant, int global);
char __cudaInitModule(void** binary);
void __cudaRegisterFunction(void** binary, const char* host_function,
                            char* device_function, const char* name,
                            int thread_limit, uint3* thread, uint3* block,
                            dim3* block_size, dim3* grid_size, int* warp_size);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                       size_t* shared_bytes, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void** arguments, size_t shared_bytes,
                               cudaStream_t stream);
}
#pragma GCC visibility pop

#include "cpu_device/runtime/runtime.hpp"
