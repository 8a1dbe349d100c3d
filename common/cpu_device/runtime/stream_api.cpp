/// \file
/// Streams and their capture.
#include "cpu_device/runtime/entry.hpp"

using namespace rungs::cpu_device;

namespace {

// As an H200 reports it.
constexpr int least_priority = 0;
constexpr int greatest_priority = -5;

cudaError_t create(const char* name, cudaStream_t* stream, unsigned flags,
                   int priority) {
  return call(name, [&](Runtime& runtime) {
    require(stream);
    require(flags == cudaStreamDefault || flags == cudaStreamNonBlocking);
    const int clamped =
        std::min(std::max(priority, greatest_priority), least_priority);
    *stream = runtime.streams.create_stream(flags, clamped);
  });
}

cudaError_t begin(Runtime& runtime, cudaStream_t stream, cudaStreamCaptureMode mode,
                  Graph* into, std::vector<GraphNode*> dependencies) {
  runtime.streams.begin_capture(runtime.streams.stream(stream), mode, into,
                                std::move(dependencies));
  return cudaSuccess;
}

std::vector<GraphNode*> nodes_of(Runtime& runtime, const cudaGraphNode_t* nodes,
                                 size_t count) {
  require(nodes || count == 0);
  std::vector<GraphNode*> result;
  for (size_t i = 0; i < count; ++i) {
    result.push_back(&runtime.streams.graphs.node(nodes[i]));
  }
  return result;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create("cudaStreamCreate", stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create("cudaStreamCreateWithFlags", stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                         int priority) {
  return create("cudaStreamCreateWithPriority", stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy",
              [&](Runtime& runtime) { runtime.streams.destroy_stream(stream); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", [&](Runtime&) {
    if (least) *least = least_priority;
    if (greatest) *greatest = greatest_priority;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return call("cudaStreamGetPriority", [&](Runtime& runtime) {
    require(priority);
    *priority = runtime.streams.stream(stream).priority;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return call("cudaStreamGetFlags", [&](Runtime& runtime) {
    require(flags);
    *flags = runtime.streams.stream(stream).flags;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call("cudaStreamGetId", [&](Runtime& runtime) {
    require(id);
    *id = runtime.streams.stream(stream).id;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return call("cudaStreamGetDevice", [&](Runtime& runtime) {
    require(device);
    runtime.streams.stream(stream);
    *device = 0;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call("cudaStreamSynchronize", [&](Runtime& runtime) {
    runtime.streams.forbid_in_capture(runtime.streams.stream(stream));
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call("cudaStreamQuery", [&](Runtime& runtime) {
    runtime.streams.forbid_in_capture(runtime.streams.stream(stream));
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags) {
  return call("cudaStreamWaitEvent", [&](Runtime& runtime) {
    require(flags == cudaEventWaitDefault || flags == cudaEventWaitExternal);
    Stream& waiting = runtime.streams.stream(stream);
    if (flags == cudaEventWaitExternal) {
      require(waiting.capture, cudaErrorIllegalState);
      runtime.streams.event(event);
      runtime.streams.submit(runtime, waiting, WaitOperation{event});
    } else {
      runtime.streams.wait(waiting, event);
    }
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void* data) {
  return call("cudaLaunchHostFunc", [&](Runtime& runtime) {
    require(function);
    runtime.streams.submit(runtime, runtime.streams.stream(stream),
                           HostOperation{function, data});
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return call("cudaStreamAddCallback", [&](Runtime& runtime) {
    require(callback && flags == 0);
    runtime.streams.forbid_in_capture(runtime.streams.stream(stream));
    runtime.unlocked([&] { callback(stream, cudaSuccess, data); });
  });
}

// Attributes tell a GPU how to cache and schedule a stream's work, which changes no
// result: they are kept and given back.

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return call("cudaStreamSetAttribute", [&](Runtime& runtime) {
    require(value);
    runtime.streams.stream(stream).attributes[attribute] = *value;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  return call("cudaStreamGetAttribute", [&](Runtime& runtime) {
    require(value);
    const auto& attributes = runtime.streams.stream(stream).attributes;
    const auto found = attributes.find(attribute);
    *value = found == attributes.end() ? cudaStreamAttrValue{} : found->second;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return call("cudaStreamCopyAttributes", [&](Runtime& runtime) {
    runtime.streams.stream(to).attributes = runtime.streams.stream(from).attributes;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture",
              [&](Runtime& runtime) { begin(runtime, stream, mode, nullptr, {}); });
}

/// With nvcc --default-stream per-thread the null stream is the thread's own and
/// can be captured; all its other calls then mean that stream too.
extern "C" __attribute__((visibility("default"))) cudaError_t
cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCapture", [&](Runtime& runtime) {
    if (stream == nullptr) runtime.streams.null_is_per_thread = true;
    begin(runtime, stream, mode, nullptr, {});
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, size_t count,
                                          cudaStreamCaptureMode mode) {
  return call("cudaStreamBeginCaptureToGraph", [&](Runtime& runtime) {
    begin(runtime, stream, mode, &runtime.streams.graphs.graph(graph),
          nodes_of(runtime, dependencies, count));
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call("cudaStreamEndCapture", [&](Runtime& runtime) {
    require(graph);
    *graph = nullptr;
    *graph = reinterpret_cast<cudaGraph_t>(
        runtime.streams.end_capture(runtime.streams.stream(stream)));
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr, nullptr, nullptr,
                                  nullptr, nullptr);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges,
                                     size_t* count) {
  return call("cudaStreamGetCaptureInfo", [&](Runtime& runtime) {
    require(status);
    const Stream& asked = runtime.streams.stream(stream);
    *status = cudaStreamCaptureStatusNone;
    if (edges) *edges = nullptr;
    if (count) *count = 0;
    if (!asked.capture) return;
    *status = asked.capture->invalid ? cudaStreamCaptureStatusInvalidated
                                     : cudaStreamCaptureStatusActive;
    if (id) *id = asked.capture->id;
    if (graph) *graph = reinterpret_cast<cudaGraph_t>(asked.capture->graph);
    if (dependencies) {
      *dependencies = reinterpret_cast<const cudaGraphNode_t*>(asked.tail.data());
    }
    if (count) *count = asked.tail.size();
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*,
                                                size_t count, unsigned flags) {
  return call("cudaStreamUpdateCaptureDependencies", [&](Runtime& runtime) {
    Stream& capturing = runtime.streams.stream(stream);
    require(capturing.capture, cudaErrorIllegalState);
    std::vector<GraphNode*> nodes = nodes_of(runtime, dependencies, count);
    for (const GraphNode* node : nodes)
      require(node->graph == capturing.capture->graph);
    if (flags == cudaStreamAddCaptureDependencies) {
      capturing.tail.insert(capturing.tail.end(), nodes.begin(), nodes.end());
    } else {
      require(flags == cudaStreamSetCaptureDependencies);
      capturing.tail = std::move(nodes);
    }
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call("cudaThreadExchangeStreamCaptureMode", [&](Runtime& runtime) {
    require(mode);
    std::swap(*mode, runtime.streams.thread_mode());
  });
}
