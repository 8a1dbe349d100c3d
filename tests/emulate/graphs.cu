// Graphs: captured from streams, built node by node, changed, and the errors of
// captures.
#include <vector>

#include "expect.hpp"

__global__ void add(int* value, int amount) { *value += amount; }
__global__ void multiply(int* value, int factor) { *value *= factor; }
__global__ void sum(const int* a, const int* b, int* out) { *out = *a + *b; }

void count(void* data) { ++*static_cast<int*>(data); }

int* device_int(int value) {
  int* pointer;
  EXPECT_OK(cudaMalloc(&pointer, sizeof(int)));
  EXPECT_OK(cudaMemcpy(pointer, &value, sizeof value, cudaMemcpyHostToDevice));
  return pointer;
}

int host_int(const int* pointer) {
  int value = -1;
  EXPECT_OK(cudaMemcpy(&value, pointer, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

size_t nodes_of(cudaGraph_t graph) {
  size_t nodes = 0;
  EXPECT_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  return nodes;
}

/// A branch leaves the captured stream by an event and comes back by another.
void check_capture() {
  int *a = device_int(1), *b = device_int(2), *out = device_int(0);
  int calls = 0;
  cudaStream_t stream, branch;
  cudaEvent_t fork, join;
  EXPECT_OK(cudaStreamCreate(&stream));
  EXPECT_OK(cudaStreamCreate(&branch));
  EXPECT_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  EXPECT_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

  cudaStreamCaptureStatus status;
  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_OK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  EXPECT_OK(cudaEventRecord(fork, stream));
  EXPECT_OK(cudaStreamWaitEvent(branch, fork, 0));
  add<<<1, 1, 0, stream>>>(a, 10);
  multiply<<<1, 1, 0, branch>>>(b, 3);
  EXPECT_OK(cudaEventRecord(join, branch));
  EXPECT_OK(cudaStreamWaitEvent(stream, join, 0));
  sum<<<1, 1, 0, stream>>>(a, b, out);
  EXPECT_OK(cudaMemsetAsync(a, 0, sizeof(int), stream));
  EXPECT_OK(cudaLaunchHostFunc(stream, count, &calls));
  cudaGraph_t graph;
  EXPECT_OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_OK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  EXPECT(nodes_of(graph) == 5);
  size_t edges = 0;
  EXPECT_OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT(edges == 4);
  // Nothing has run yet.
  EXPECT(host_int(a) == 1 && host_int(out) == 0 && calls == 0);

  cudaGraphExec_t exec;
  EXPECT_OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaGraphUpload(exec, stream));
  EXPECT_OK(cudaGraphLaunch(exec, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT(host_int(out) == 17 && calls == 1);
  for (int i = 0; i < 2; ++i) EXPECT_OK(cudaGraphLaunch(exec, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT(host_int(b) == 54 && host_int(out) == 64 && calls == 3);
  EXPECT_OK(cudaGraphExecDestroy(exec));
  EXPECT_OK(cudaEventDestroy(fork));
  EXPECT_OK(cudaEventDestroy(join));
  EXPECT_OK(cudaStreamDestroy(stream));
  EXPECT_OK(cudaStreamDestroy(branch));
  for (int* pointer : {a, b, out}) EXPECT_OK(cudaFree(pointer));
}

cudaKernelNodeParams kernel_node(void (*kernel)(int*, int), void** arguments) {
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(kernel);
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  return parameters;
}

/// memset -> add -> multiply -> copy to the host, and then with other parameters.
void check_nodes() {
  int* value = device_int(99);
  int amount = 4, factor = 5, result = -1;
  void* add_arguments[] = {&value, &amount};
  void* multiply_arguments[] = {&value, &factor};

  cudaGraph_t graph;
  EXPECT_OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t clear, adding, multiplying, copying, nothing;
  cudaMemsetParams fill{};
  fill.dst = value;
  fill.elementSize = 4;
  fill.value = 1;
  fill.width = fill.height = 1;
  EXPECT_OK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
  cudaKernelNodeParams parameters = kernel_node(add, add_arguments);
  EXPECT_OK(cudaGraphAddKernelNode(&adding, graph, &clear, 1, &parameters));
  // The arguments were copied: what happens to them now does not matter.
  amount = 1000;
  parameters = kernel_node(multiply, multiply_arguments);
  EXPECT_OK(cudaGraphAddKernelNode(&multiplying, graph, nullptr, 0, &parameters));
  EXPECT_OK(cudaGraphAddDependencies(graph, &adding, &multiplying, nullptr, 1));
  EXPECT_OK(cudaGraphAddEmptyNode(&nothing, graph, &multiplying, 1));
  EXPECT_OK(cudaGraphAddMemcpyNode1D(&copying, graph, &nothing, 1, &result, value,
                                     sizeof result, cudaMemcpyDeviceToHost));
  cudaGraphNodeType type;
  EXPECT_OK(cudaGraphNodeGetType(copying, &type));
  EXPECT(type == cudaGraphNodeTypeMemcpy);
  size_t roots = 0, dependencies = 0;
  EXPECT_OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT_OK(
      cudaGraphNodeGetDependencies(multiplying, nullptr, nullptr, &dependencies));
  EXPECT(roots == 1 && dependencies == 1);

  cudaGraphExec_t exec;
  EXPECT_OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT(result == 25);

  cudaKernelNodeParams read_back;
  EXPECT_OK(cudaGraphKernelNodeGetParams(adding, &read_back));
  EXPECT(*static_cast<int*>(read_back.kernelParams[1]) == 4);
  amount = 9;
  parameters = kernel_node(add, add_arguments);
  EXPECT_OK(cudaGraphExecKernelNodeSetParams(exec, adding, &parameters));
  EXPECT_OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT(result == 50);
  EXPECT_OK(cudaGraphNodeSetEnabled(exec, multiplying, 0));
  EXPECT_OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT(result == 10);
  EXPECT_OK(cudaGraphNodeSetEnabled(exec, multiplying, 1));

  // A graph of the same shape replaces all parameters; one of another shape is
  // refused.
  cudaGraph_t changed;
  EXPECT_OK(cudaGraphClone(&changed, graph));
  cudaGraphNode_t twin;
  EXPECT_OK(cudaGraphNodeFindInClone(&twin, clear, changed));
  fill.value = 100;
  EXPECT_OK(cudaGraphMemsetNodeSetParams(twin, &fill));
  cudaGraphExecUpdateResultInfo information;
  EXPECT_OK(cudaGraphExecUpdate(exec, changed, &information));
  EXPECT(information.result == cudaGraphExecUpdateSuccess);
  EXPECT_OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT(result == 520);
  EXPECT_OK(cudaGraphNodeFindInClone(&twin, copying, changed));
  EXPECT_OK(cudaGraphDestroyNode(twin));
  EXPECT_ERROR(cudaErrorGraphExecUpdateFailure,
               cudaGraphExecUpdate(exec, changed, &information));
  EXPECT(information.result == cudaGraphExecUpdateErrorTopologyChanged);

  EXPECT_OK(cudaGraphExecDestroy(exec));
  EXPECT_OK(cudaGraphDestroy(changed));
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaFree(value));
}

/// A graph inside a graph.
void check_child() {
  int* value = device_int(1);
  int amount = 2, factor = 7;
  void* add_arguments[] = {&value, &amount};
  void* multiply_arguments[] = {&value, &factor};
  cudaGraph_t inner, outer;
  EXPECT_OK(cudaGraphCreate(&inner, 0));
  EXPECT_OK(cudaGraphCreate(&outer, 0));
  cudaGraphNode_t adding, child, multiplying;
  cudaKernelNodeParams parameters = kernel_node(add, add_arguments);
  EXPECT_OK(cudaGraphAddKernelNode(&adding, inner, nullptr, 0, &parameters));
  EXPECT_OK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  EXPECT_OK(cudaGraphDestroy(inner));
  parameters = kernel_node(multiply, multiply_arguments);
  EXPECT_OK(cudaGraphAddKernelNode(&multiplying, outer, &child, 1, &parameters));
  cudaGraphExec_t exec;
  EXPECT_OK(cudaGraphInstantiate(&exec, outer, 0));
  EXPECT_OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT(host_int(value) == 21);
  EXPECT_OK(cudaGraphExecDestroy(exec));
  EXPECT_OK(cudaGraphDestroy(outer));
  EXPECT_OK(cudaFree(value));
}

/// Ends the capture, which the call before has spoilt.
void end_spoilt(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  EXPECT_ERROR(cudaErrorStreamCaptureInvalidated,
               cudaStreamEndCapture(stream, &graph));
  EXPECT(graph == nullptr);
}

void check_capture_errors() {
  cudaStream_t stream, other;
  cudaEvent_t event;
  EXPECT_OK(cudaStreamCreate(&stream));
  EXPECT_OK(cudaStreamCreate(&other));
  EXPECT_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  int* value = device_int(0);
  cudaGraph_t graph;
  EXPECT_ERROR(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
  EXPECT_ERROR(cudaErrorStreamCaptureUnsupported,
               cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));

  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  end_spoilt(stream);

  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void* pointer;
  EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaMalloc(&pointer, 64));
  end_spoilt(stream);

  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_OK(cudaMalloc(&pointer, 64));
  EXPECT_OK(cudaFree(pointer));
  EXPECT_OK(cudaStreamEndCapture(stream, &graph));
  EXPECT(nodes_of(graph) == 0);
  EXPECT_OK(cudaGraphDestroy(graph));

  // The legacy stream would wait for the captured one.
  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_ERROR(cudaErrorStreamCaptureImplicit, cudaMemset(value, 0, sizeof(int)));
  end_spoilt(stream);

  // A branch that does not come back.
  EXPECT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_OK(cudaEventRecord(event, stream));
  EXPECT_OK(cudaStreamWaitEvent(other, event, 0));
  add<<<1, 1, 0, other>>>(value, 1);
  EXPECT_ERROR(cudaErrorStreamCaptureUnjoined,
               cudaStreamEndCapture(stream, &graph));

  // All is well again.
  add<<<1, 1, 0, stream>>>(value, 3);
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT(host_int(value) == 3);
  EXPECT_OK(cudaEventDestroy(event));
  EXPECT_OK(cudaStreamDestroy(stream));
  EXPECT_OK(cudaStreamDestroy(other));
  EXPECT_OK(cudaFree(value));
}

int main() {
  emulate::need_device();
  check_capture();
  check_nodes();
  check_child();
  check_capture_errors();
  return emulate::result();
}
