// Allocations, copies and fills of every shape, pointer attributes, and their
// errors.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "expect.hpp"

__global__ void increase(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ++values[i];
}

/// Errors that the CPU device gives and a GPU may not: its addresses know their
/// allocation.
void check_ranges() {
  char host[256] = {};
  char* device;
  EXPECT_OK(cudaMalloc(&device, 100));
  EXPECT(reinterpret_cast<uintptr_t>(device) % 256 == 0);
  if (emulate::on_cpu_device()) {
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpy(device, host, 101, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpy(host, device + 99, 2, cudaMemcpyDeviceToHost));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(device + 50, 0, 51));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpy(device + 100, device, 1, cudaMemcpyDeviceToDevice));
  }
  EXPECT_OK(cudaMemcpy(device + 100, host, 0, cudaMemcpyHostToDevice));
  EXPECT_ERROR(cudaErrorInvalidValue,
               cudaMemcpy(nullptr, host, 1, cudaMemcpyHostToDevice));
  EXPECT_ERROR(cudaErrorInvalidValue,
               cudaMemcpy(device, host, 4, cudaMemcpyDeviceToHost));
  EXPECT_ERROR(cudaErrorInvalidMemcpyDirection,
               cudaMemcpy(device, host, 4, static_cast<cudaMemcpyKind>(99)));
  EXPECT_OK(cudaFree(device));
  EXPECT_OK(cudaFree(nullptr));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(device));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaFreeHost(host));
}

void check_sizes() {
  void* nothing = &nothing;
  EXPECT_OK(cudaMalloc(&nothing, 0));
  EXPECT(nothing == nullptr);
  EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&nothing, size_t{1} << 46));
  size_t free = 0, total = 0;
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  EXPECT(free > 0 && free <= total);
  void* some;
  EXPECT_OK(cudaMalloc(&some, 64 << 20));
  size_t less = 0;
  EXPECT_OK(cudaMemGetInfo(&less, &total));
  EXPECT(free - less >= 64 << 20);
  EXPECT_OK(cudaFree(some));

  // Many allocations at a time, each with its own bytes.
  std::vector<int*> blocks(2000);
  for (int& failures = emulate::failures; int*& block : blocks) {
    failures += cudaMalloc(&block, 40) != cudaSuccess;
  }
  for (int i = 0; i < 2000; ++i) {
    EXPECT_OK(cudaMemcpy(blocks[i], &i, sizeof i, cudaMemcpyHostToDevice));
  }
  for (int i = 0; i < 2000; i += 37) {
    int got = -1;
    EXPECT_OK(cudaMemcpy(&got, blocks[i], sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == i);
  }
  for (int* block : blocks) EXPECT_OK(cudaFree(block));
}

void check_rows() {
  constexpr size_t width = 100, height = 7;
  char host[height][128] = {}, back[height][110] = {};
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) host[y][x] = static_cast<char>(x + 3 * y);
  }
  char* device;
  size_t pitch = 0;
  EXPECT_OK(cudaMallocPitch(&device, &pitch, width, height));
  EXPECT(pitch >= width && pitch % 512 == 0);
  EXPECT_OK(cudaMemset2D(device, pitch, 0x55, width, height));
  EXPECT_OK(cudaMemcpy2D(device, pitch, host, 128, width - 1, height,
                         cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy2D(back, 110, device, pitch, width, height,
                         cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width - 1; ++x) wrong += back[y][x] != host[y][x];
    wrong += back[y][width - 1] != 0x55;
    wrong += back[y][width] != 0;
  }
  EXPECT(wrong == 0);
  EXPECT_ERROR(
      cudaErrorInvalidPitchValue,
      cudaMemcpy2D(back, 50, device, pitch, width, height, cudaMemcpyDeviceToHost));
  EXPECT_OK(cudaFree(device));
}

void check_boxes() {
  const cudaExtent extent = make_cudaExtent(6 * sizeof(int), 5, 4);
  cudaPitchedPtr device;
  EXPECT_OK(cudaMalloc3D(&device, extent));
  EXPECT_OK(cudaMemset3D(device, 0, extent));
  int host[4][5][6], back[2][3][2] = {};
  for (int i = 0; i < 120; ++i) (&host[0][0][0])[i] = i;
  cudaMemcpy3DParms up{};
  up.srcPtr = make_cudaPitchedPtr(host, 6 * sizeof(int), 6, 5);
  up.dstPtr = device;
  up.extent = extent;
  up.kind = cudaMemcpyHostToDevice;
  EXPECT_OK(cudaMemcpy3D(&up));
  cudaMemcpy3DParms down{};
  down.srcPtr = device;
  down.srcPos = make_cudaPos(3 * sizeof(int), 1, 2);
  down.dstPtr = make_cudaPitchedPtr(back, 2 * sizeof(int), 2, 3);
  down.extent = make_cudaExtent(2 * sizeof(int), 3, 2);
  down.kind = cudaMemcpyDeviceToHost;
  EXPECT_OK(cudaMemcpy3DAsync(&down, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int z = 0; z < 2; ++z) {
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 2; ++x)
        wrong += back[z][y][x] != host[z + 2][y + 1][x + 3];
    }
  }
  EXPECT(wrong == 0);
  EXPECT_OK(cudaFree(device.ptr));
}

cudaMemoryType type_of(const void* pointer) {
  cudaPointerAttributes attributes;
  EXPECT_OK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type;
}

void check_host_memory() {
  constexpr int n = 1000;
  int *device, *pinned, *managed;
  EXPECT_OK(cudaMalloc(&device, n * sizeof(int)));
  EXPECT_OK(cudaMallocHost(&pinned, n * sizeof(int)));
  EXPECT_OK(cudaMallocManaged(&managed, n * sizeof(int)));
  auto* const registered = static_cast<int*>(std::aligned_alloc(4096, 8192));
  EXPECT(type_of(registered) == cudaMemoryTypeUnregistered);
  EXPECT_OK(cudaHostRegister(registered, 8192, cudaHostRegisterMapped));
  EXPECT_ERROR(cudaErrorHostMemoryAlreadyRegistered,
               cudaHostRegister(registered, 8192, 0));
  EXPECT(type_of(device) == cudaMemoryTypeDevice);
  EXPECT(type_of(device + 10) == cudaMemoryTypeDevice);
  EXPECT(type_of(pinned) == cudaMemoryTypeHost);
  EXPECT(type_of(registered + 3) == cudaMemoryTypeHost);
  EXPECT(type_of(managed) == cudaMemoryTypeManaged);

  int* seen_by_device;
  EXPECT_OK(cudaHostGetDevicePointer(&seen_by_device, registered, 0));
  for (int i = 0; i < n; ++i) pinned[i] = registered[i] = managed[i] = i;
  increase<<<(n + 255) / 256, 256>>>(pinned, n);
  increase<<<(n + 255) / 256, 256>>>(seen_by_device, n);
  increase<<<(n + 255) / 256, 256>>>(managed, n);
  EXPECT_OK(cudaMemcpyAsync(device, managed, n * sizeof(int), cudaMemcpyDefault));
  EXPECT_OK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    wrong += pinned[i] != i + 1 || registered[i] != i + 1 || managed[i] != i + 1;
  }
  EXPECT(wrong == 0);
  int got = 0;
  EXPECT_OK(cudaMemcpy(&got, device + 41, sizeof got, cudaMemcpyDefault));
  EXPECT(got == 42);

  EXPECT_OK(cudaHostUnregister(registered));
  EXPECT_ERROR(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(registered));
  EXPECT(type_of(registered) == cudaMemoryTypeUnregistered);
  std::free(registered);
  EXPECT_OK(cudaFree(device));
  EXPECT_OK(cudaFree(managed));
  EXPECT_OK(cudaFreeHost(pinned));
}

void check_pools() {
  cudaMemPool_t pool;
  EXPECT_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  uint64_t threshold = 1 << 20, got = 0;
  EXPECT_OK(
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  EXPECT_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
  EXPECT(got == threshold);
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreate(&stream));
  int* device;
  EXPECT_OK(cudaMallocAsync(&device, 400, stream));
  EXPECT_OK(cudaMemsetAsync(device, 0, 400, stream));
  increase<<<1, 128, 0, stream>>>(device, 100);
  int value = 0;
  EXPECT_OK(
      cudaMemcpyAsync(&value, device + 99, 4, cudaMemcpyDeviceToHost, stream));
  EXPECT_OK(cudaFreeAsync(device, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT(value == 1);
  EXPECT_OK(cudaStreamDestroy(stream));
}

int main() {
  emulate::need_device();
  check_ranges();
  check_sizes();
  check_rows();
  check_boxes();
  check_host_memory();
  check_pools();
  return emulate::result();
}
