// Streams and events: creation, order, queries, waits, host functions, elapsed
// times.
#include <cmath>
#include <thread>

#include "expect.hpp"

__global__ void append(int* log, int* length, int value) {
  log[atomicAdd(length, 1)] = value;
}

void note(void* data) { ++*static_cast<int*>(data); }

void CUDART_CB called_back(cudaStream_t, cudaError_t status, void* data) {
  if (status == cudaSuccess) *static_cast<int*>(data) += 10;
}

/// The order of work in one stream, and between streams by an event.
void check_order() {
  int *log, *length;
  EXPECT_OK(cudaMalloc(&log, 16 * sizeof(int)));
  EXPECT_OK(cudaMalloc(&length, sizeof(int)));
  EXPECT_OK(cudaMemset(length, 0, sizeof(int)));
  cudaStream_t first, second;
  cudaEvent_t done;
  EXPECT_OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  EXPECT_OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  EXPECT_OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  EXPECT_OK(cudaDeviceSynchronize());
  append<<<1, 1, 0, first>>>(log, length, 1);
  append<<<1, 1, 0, first>>>(log, length, 2);
  EXPECT_OK(cudaEventRecord(done, first));
  EXPECT_OK(cudaStreamWaitEvent(second, done, 0));
  append<<<1, 1, 0, second>>>(log, length, 3);
  EXPECT_OK(cudaStreamSynchronize(second));
  EXPECT_OK(cudaEventQuery(done));
  int got[3] = {};
  EXPECT_OK(cudaMemcpy(got, log, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got[0] == 1 && got[1] == 2 && got[2] == 3);
  EXPECT_OK(cudaStreamDestroy(first));
  EXPECT_OK(cudaStreamDestroy(second));
  EXPECT_OK(cudaEventDestroy(done));
  EXPECT_OK(cudaFree(log));
  EXPECT_OK(cudaFree(length));
}

void check_queries() {
  int least = 1, greatest = 1;
  EXPECT_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(least == 0 && greatest < 0);
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  unsigned flags = 0;
  int priority = 1, device = -1;
  EXPECT_OK(cudaStreamGetFlags(stream, &flags));
  EXPECT_OK(cudaStreamGetPriority(stream, &priority));
  EXPECT_OK(cudaStreamGetDevice(stream, &device));
  EXPECT(flags == cudaStreamNonBlocking && priority == greatest && device == 0);
  unsigned long long id = 0, other_id = 0;
  cudaStream_t other;
  EXPECT_OK(cudaStreamCreate(&other));
  EXPECT_OK(cudaStreamGetId(stream, &id));
  EXPECT_OK(cudaStreamGetId(other, &other_id));
  EXPECT(id != other_id);
  EXPECT_OK(cudaStreamQuery(stream));
  EXPECT_OK(cudaStreamQuery(nullptr));
  EXPECT_OK(cudaStreamDestroy(stream));
  EXPECT_OK(cudaStreamDestroy(other));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 77));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
}

void check_host_functions() {
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreate(&stream));
  int count = 0;
  for (int i = 0; i < 3; ++i) EXPECT_OK(cudaLaunchHostFunc(stream, note, &count));
  EXPECT_OK(cudaStreamAddCallback(stream, called_back, &count, 0));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT(count == 13);
  EXPECT_OK(cudaStreamDestroy(stream));
}

void check_times() {
  cudaEvent_t start, end, untimed;
  EXPECT_OK(cudaEventCreate(&start));
  EXPECT_OK(cudaEventCreate(&end));
  EXPECT_OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  float milliseconds = -1;
  EXPECT_ERROR(cudaErrorInvalidResourceHandle,
               cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT_OK(cudaEventRecord(start));
  EXPECT_OK(cudaEventRecord(end));
  EXPECT_OK(cudaEventRecord(untimed));
  EXPECT_OK(cudaEventSynchronize(end));
  EXPECT_OK(cudaEventElapsedTime(&milliseconds, start, end));
  // The CPU device has no times, and must not make one up.
  EXPECT(emulate::on_cpu_device() ? std::isnan(milliseconds) : milliseconds >= 0);
  EXPECT_ERROR(cudaErrorInvalidResourceHandle,
               cudaEventElapsedTime(&milliseconds, start, untimed));
  EXPECT_OK(cudaEventDestroy(start));
  EXPECT_OK(cudaEventDestroy(end));
  EXPECT_OK(cudaEventDestroy(untimed));
}

/// Two host threads at once, each with its own stream.
void check_host_threads() {
  int sums[2] = {};
  const auto work = [&](int which) {
    int *log, *length;
    EXPECT_OK(cudaMalloc(&log, 100 * sizeof(int)));
    EXPECT_OK(cudaMallocAsync(&length, sizeof(int), cudaStreamPerThread));
    EXPECT_OK(cudaMemsetAsync(length, 0, sizeof(int), cudaStreamPerThread));
    for (int i = 0; i < 100; ++i) {
      append<<<1, 1, 0, cudaStreamPerThread>>>(log, length, which + i);
    }
    int values[100];
    EXPECT_OK(cudaMemcpyAsync(values, log, sizeof values, cudaMemcpyDeviceToHost,
                              cudaStreamPerThread));
    EXPECT_OK(cudaStreamSynchronize(cudaStreamPerThread));
    for (const int value : values) sums[which] += value;
    EXPECT_OK(cudaFreeAsync(length, cudaStreamPerThread));
    EXPECT_OK(cudaFree(log));
  };
  std::thread one(work, 0), two(work, 1);
  one.join();
  two.join();
  EXPECT(sums[0] == 4950 && sums[1] == 5050);
}

int main() {
  emulate::need_device();
  check_order();
  check_queries();
  check_host_functions();
  check_times();
  check_host_threads();
  return emulate::result();
}
