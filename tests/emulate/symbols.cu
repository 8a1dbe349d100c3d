// Variables in device and constant memory: their first values, copies to and from
// them, their addresses, and the errors of wrong symbols and ranges.
#include <cstring>

#include "expect.hpp"

__device__ int counter = 40;
__device__ float table[4] = {1, 2, 4, 8};
__constant__ int factors[3] = {3, 5, 7};
static __device__ double local_to_file = 2.5;
__device__ const char* words[2] = {"one", "two"};
__device__ int* pointer_to_counter = &counter;

namespace inner {
__device__ long long wide;
}

struct Pair {
  int first;
  float second;
};
__constant__ Pair pair;

__device__ int times_called() {
  static int calls = 10;
  return atomicAdd(&calls, 1);
}

__global__ void use(int* out) {
  atomicAdd(&counter, 1);
  if (threadIdx.x == 0) {
    table[1] = table[0] + factors[2];
    inner::wide = 1LL << 40;
    out[0] = factors[0] * 100 + factors[1];
    out[1] = pair.first;
    out[2] = static_cast<int>(pair.second * local_to_file);
    out[3] = words[1][0];
    out[4] = *pointer_to_counter >= 41;
    out[5] = times_called();
  }
}

int main() {
  emulate::need_device();
  int* out;
  EXPECT_OK(cudaMalloc(&out, 6 * sizeof(int)));
  const Pair host_pair{77, 2.0f};
  EXPECT_OK(cudaMemcpyToSymbol(pair, &host_pair, sizeof host_pair));
  const int seven = 11;
  EXPECT_OK(cudaMemcpyToSymbol(factors, &seven, sizeof seven, 2 * sizeof(int)));

  use<<<1, 64>>>(out);
  EXPECT_OK(cudaDeviceSynchronize());
  int got[6];
  EXPECT_OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got[0] == 305);
  EXPECT(got[1] == 77);
  EXPECT(got[2] == 5);
  EXPECT(got[3] == 't');
  EXPECT(got[4] == 1);
  EXPECT(got[5] == 10);

  int count = 0;
  EXPECT_OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT(count == 104);
  float values[4];
  EXPECT_OK(cudaMemcpyFromSymbol(values, table, sizeof values));
  EXPECT(values[1] == 12 && values[3] == 8);
  long long wide = 0;
  EXPECT_OK(cudaMemcpyFromSymbol(&wide, inner::wide, sizeof wide));
  EXPECT(wide == 1LL << 40);

  void* address = nullptr;
  size_t bytes = 0;
  EXPECT_OK(cudaGetSymbolAddress(&address, table));
  EXPECT_OK(cudaGetSymbolSize(&bytes, table));
  EXPECT(address && bytes == sizeof table);
  const float nine = 9;
  EXPECT_OK(cudaMemcpy(static_cast<float*>(address) + 3, &nine, 4,
                       cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpyFromSymbol(values, table, 4, 3 * sizeof(float)));
  EXPECT(values[0] == 9);
  EXPECT_OK(cudaGetSymbolSize(&bytes, factors));
  EXPECT(bytes == sizeof factors);

  static int no_symbol;
  EXPECT_ERROR(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(no_symbol, &seven, 4));
  EXPECT_ERROR(
      cudaErrorInvalidSymbol,
      cudaGetSymbolAddress(&address, static_cast<const void*>(&no_symbol)));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyToSymbol(factors, &seven, 4, 12));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyFromSymbol(values, table, 16, 4));
  EXPECT_ERROR(cudaErrorInvalidMemcpyDirection,
               cudaMemcpyToSymbol(factors, &seven, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_OK(cudaFree(out));
  return emulate::result();
}
