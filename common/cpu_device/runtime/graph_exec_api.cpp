/// \file
/// Executable graphs: instantiation, launch, update.
#include "cpu_device/runtime/entry.hpp"

using namespace rungs::cpu_device;

namespace {

void instantiate(Runtime& runtime, cudaGraphExec_t* exec, cudaGraph_t graph,
                 unsigned long long flags) {
  require(exec);
  if (flags & cudaGraphInstantiateFlagDeviceLaunch) {
    throw Failure{cudaErrorNotSupported,
                  "graphs that kernels launch are not supported by the CPU device"};
  }
  Graphs& graphs = runtime.streams.graphs;
  *exec = reinterpret_cast<cudaGraphExec_t>(
      graphs.instantiate(graphs.graph(graph), flags));
}

GraphExec& exec_of(Runtime& runtime, cudaGraphExec_t exec) {
  return runtime.streams.graphs.exec(exec);
}

/// Why the graph cannot replace what the executable graph was made from.
cudaGraphExecUpdateResult difference(const GraphExec& old, const GraphExec& made) {
  if (old.steps.size() != made.steps.size())
    return cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < old.steps.size(); ++i) {
    if (old.steps[i].operation.index() != made.steps[i].operation.index()) {
      return cudaGraphExecUpdateErrorNodeTypeChanged;
    }
    if (old.steps[i].dependencies != made.steps[i].dependencies) {
      return cudaGraphExecUpdateErrorTopologyChanged;
    }
  }
  return cudaGraphExecUpdateSuccess;
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return call("cudaGraphInstantiate",
              [&](Runtime& runtime) { instantiate(runtime, exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  return call("cudaGraphInstantiateWithParams", [&](Runtime& runtime) {
    require(parameters);
    parameters->errNode_out = nullptr;
    parameters->result_out = cudaGraphInstantiateError;
    instantiate(runtime, exec, graph, parameters->flags);
    parameters->result_out = cudaGraphInstantiateSuccess;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return call("cudaGraphExecGetFlags", [&](Runtime& runtime) {
    require(flags);
    *flags = exec_of(runtime, exec).flags;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call("cudaGraphExecDestroy", [&](Runtime& runtime) {
    runtime.streams.graphs.destroy(&exec_of(runtime, exec));
  });
}

/// There is nothing to bring to the device before a launch.
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return call("cudaGraphUpload", [&](Runtime& runtime) {
    exec_of(runtime, exec);
    runtime.streams.forbid_in_capture(runtime.streams.stream(stream));
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call("cudaGraphLaunch", [&](Runtime& runtime) {
    GraphExec& launched = exec_of(runtime, exec);
    Stream& into = runtime.streams.stream(stream);
    if (into.capture) {
      throw Failure{
          cudaErrorNotSupported,
          "capturing the launch of a graph is not supported by the CPU device; "
          "add it with cudaGraphAddChildGraphNode"};
    }
    runtime.streams.forbid_in_capture(into);
    launched.launch(runtime);
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned enabled) {
  return call("cudaGraphNodeSetEnabled", [&](Runtime& runtime) {
    GraphExec::Step& step =
        exec_of(runtime, exec).step(reinterpret_cast<GraphNode*>(node));
    require(std::holds_alternative<KernelOperation>(step.operation) ||
            std::holds_alternative<CopyOperation>(step.operation) ||
            std::holds_alternative<FillOperation>(step.operation));
    step.enabled = enabled != 0;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned* enabled) {
  return call("cudaGraphNodeGetEnabled", [&](Runtime& runtime) {
    require(enabled);
    *enabled =
        exec_of(runtime, exec).step(reinterpret_cast<GraphNode*>(node)).enabled;
  });
}

/// Takes over the operations of a graph of the same shape. The executable graph's
/// nodes stay those of the graph that it was made from.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* information) {
  return call("cudaGraphExecUpdate", [&](Runtime& runtime) {
    GraphExec& old = exec_of(runtime, exec);
    GraphExec made(runtime.streams.graphs.graph(graph));
    const cudaGraphExecUpdateResult result = difference(old, made);
    if (information) *information = {result, nullptr, nullptr};
    require(result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
    for (size_t i = 0; i < old.steps.size(); ++i) {
      old.steps[i].operation = std::move(made.steps[i].operation);
    }
  });
}
