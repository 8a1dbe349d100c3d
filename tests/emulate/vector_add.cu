// Sums of vectors of several lengths: the plain way, and in chunks over streams
// with pinned memory and asynchronous copies.
#include <vector>

#include "expect.hpp"

__global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

void add_plainly(int n) {
  std::vector<float> a(n), b(n), sum(n, -1);
  for (int i = 0; i < n; ++i) {
    a[i] = 0.5f * i;
    b[i] = 3.0f - i;
  }
  const size_t bytes = n * sizeof(float);
  float *device_a, *device_b, *device_sum;
  EXPECT_OK(cudaMalloc(&device_a, bytes));
  EXPECT_OK(cudaMalloc(&device_b, bytes));
  EXPECT_OK(cudaMalloc(&device_sum, bytes));
  EXPECT_OK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyDefault));
  add<<<(n + 255) / 256, 256>>>(device_a, device_b, device_sum, n);
  EXPECT_OK(cudaGetLastError());
  EXPECT_OK(cudaMemcpy(sum.data(), device_sum, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += sum[i] != a[i] + b[i];
  EXPECT(wrong == 0);
  EXPECT_OK(cudaFree(device_a));
  EXPECT_OK(cudaFree(device_b));
  EXPECT_OK(cudaFree(device_sum));
}

void add_in_streams() {
  constexpr int chunks = 4, chunk = 1000;
  constexpr size_t bytes = chunk * sizeof(float);
  float *a, *b, *sum;
  EXPECT_OK(cudaMallocHost(&a, chunks * bytes));
  EXPECT_OK(cudaHostAlloc(&b, chunks * bytes, cudaHostAllocDefault));
  EXPECT_OK(cudaHostAlloc(&sum, chunks * bytes, cudaHostAllocMapped));
  for (int i = 0; i < chunks * chunk; ++i) {
    a[i] = i;
    b[i] = 2 * i;
    sum[i] = -1;
  }
  cudaStream_t streams[chunks];
  float* device[chunks][3];
  for (int c = 0; c < chunks; ++c) {
    EXPECT_OK(cudaStreamCreate(&streams[c]));
    for (auto& pointer : device[c]) EXPECT_OK(cudaMalloc(&pointer, bytes));
  }
  for (int c = 0; c < chunks; ++c) {
    float* const* d = device[c];
    const cudaStream_t stream = streams[c];
    EXPECT_OK(cudaMemcpyAsync(d[0], a + c * chunk, bytes, cudaMemcpyHostToDevice,
                              stream));
    EXPECT_OK(cudaMemcpyAsync(d[1], b + c * chunk, bytes, cudaMemcpyHostToDevice,
                              stream));
    add<<<8, 128, 0, stream>>>(d[0], d[1], d[2], chunk);
    EXPECT_OK(cudaMemcpyAsync(sum + c * chunk, d[2], bytes, cudaMemcpyDeviceToHost,
                              stream));
  }
  for (const cudaStream_t stream : streams)
    EXPECT_OK(cudaStreamSynchronize(stream));
  int wrong = 0;
  for (int i = 0; i < chunks * chunk; ++i) wrong += sum[i] != 3.0f * i;
  EXPECT(wrong == 0);

  // Kernels can use pinned memory where it is.
  add<<<chunks * chunk / 100, 100>>>(a, a, sum, chunks * chunk);
  EXPECT_OK(cudaDeviceSynchronize());
  wrong = 0;
  for (int i = 0; i < chunks * chunk; ++i) wrong += sum[i] != 2.0f * i;
  EXPECT(wrong == 0);

  for (int c = 0; c < chunks; ++c) {
    EXPECT_OK(cudaStreamDestroy(streams[c]));
    for (auto& pointer : device[c]) EXPECT_OK(cudaFree(pointer));
  }
  for (float* pointer : {a, b, sum}) EXPECT_OK(cudaFreeHost(pointer));
}

int main() {
  emulate::need_device();
  for (const int n : {1, 31, 256, 1000, 100003}) add_plainly(n);
  add_in_streams();
  return emulate::result();
}
