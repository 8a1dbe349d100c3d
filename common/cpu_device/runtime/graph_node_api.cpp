/// \file
/// What is in a graph's nodes, before and after instantiation.
#include "cpu_device/runtime/entry.hpp"
#include "cpu_device/runtime/node_parameters.hpp"

using namespace rungs::cpu_device;

namespace {

/// The node's operation, which must be of this kind.
template <typename T>
T& operation(Runtime& runtime, cudaGraphNode_t node) {
  T* const found = std::get_if<T>(&runtime.streams.graphs.node(node).operation);
  require(found);
  return *found;
}

/// Replaces a node's operation by one of the same kind.
template <typename Make>
cudaError_t set(const char* name, cudaGraphNode_t node, Make&& make) {
  return call(name, [&](Runtime& runtime) {
    Operation& old = runtime.streams.graphs.node(node).operation;
    Operation made = make(runtime);
    require(made.index() == old.index());
    old = std::move(made);
  });
}

/// Replaces the operation of the step that an executable graph made from a node.
template <typename Make>
cudaError_t set_step(const char* name, cudaGraphExec_t exec, cudaGraphNode_t node,
                     Make&& make) {
  return call(name, [&](Runtime& runtime) {
    GraphExec& graph = runtime.streams.graphs.exec(exec);
    Operation& old = graph.step(reinterpret_cast<GraphNode*>(node)).operation;
    Operation made = make(runtime);
    require(made.index() == old.index());
    old = std::move(made);
  });
}

/// For parameters that CUDA hands over by pointer.
template <typename Parameters>
auto described_by(const Parameters* parameters) {
  return [parameters](Runtime& runtime) -> Operation {
    require(parameters);
    return operation_of(runtime, *parameters);
  };
}

auto copy_1d(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return [=](Runtime& runtime) -> Operation {
    const CopyOperation copy = linear_copy(to, from, bytes, kind);
    check_copy(runtime, copy);
    return copy;
  };
}

}  // namespace

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call("cudaGraphNodeGetType", [&](Runtime& runtime) {
    require(type);
    // In the order of the alternatives of Operation.
    constexpr cudaGraphNodeType types[] = {
        cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel,
        cudaGraphNodeTypeMemcpy,    cudaGraphNodeTypeMemset,
        cudaGraphNodeTypeHost,      cudaGraphNodeTypeEventRecord,
        cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeGraph};
    static_assert(std::size(types) == std::variant_size_v<Operation>);
    *type = types[runtime.streams.graphs.node(node).operation.index()];
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         cudaKernelNodeParams* parameters) {
  return call("cudaGraphKernelNodeGetParams", [&](Runtime& runtime) {
    require(parameters);
    *parameters = parameters_of(runtime, operation<KernelOperation>(runtime, node));
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         cudaMemcpy3DParms* parameters) {
  return call("cudaGraphMemcpyNodeGetParams", [&](Runtime& runtime) {
    require(parameters);
    *parameters = parameters_of(operation<CopyOperation>(runtime, node));
  });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         cudaMemsetParams* parameters) {
  return call("cudaGraphMemsetNodeGetParams", [&](Runtime& runtime) {
    require(parameters);
    *parameters = parameters_of(operation<FillOperation>(runtime, node));
  });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       cudaHostNodeParams* parameters) {
  return call("cudaGraphHostNodeGetParams", [&](Runtime& runtime) {
    require(parameters);
    const HostOperation& host = operation<HostOperation>(runtime, node);
    *parameters = {host.function, host.data};
  });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
                                            cudaGraph_t* graph) {
  return call("cudaGraphChildGraphNodeGetGraph", [&](Runtime& runtime) {
    require(graph);
    *graph = reinterpret_cast<cudaGraph_t>(
        operation<ChildOperation>(runtime, node).graph.get());
  });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                             cudaEvent_t* event) {
  return call("cudaGraphEventRecordNodeGetEvent", [&](Runtime& runtime) {
    require(event);
    *event = operation<RecordOperation>(runtime, node).event;
  });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node,
                                           cudaEvent_t* event) {
  return call("cudaGraphEventWaitNodeGetEvent", [&](Runtime& runtime) {
    require(event);
    *event = operation<WaitOperation>(runtime, node).event;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams* parameters) {
  return set("cudaGraphKernelNodeSetParams", node, described_by(parameters));
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
  return set("cudaGraphMemcpyNodeSetParams", node, described_by(parameters));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to,
                                           const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return set("cudaGraphMemcpyNodeSetParams1D", node,
             copy_1d(to, from, bytes, kind));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemsetParams* parameters) {
  return set("cudaGraphMemsetNodeSetParams", node, described_by(parameters));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const cudaHostNodeParams* parameters) {
  return set("cudaGraphHostNodeSetParams", node, described_by(parameters));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                   cudaGraphNodeParams* parameters) {
  return set("cudaGraphNodeSetParams", node,
             described_by<cudaGraphNodeParams>(parameters));
}

cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node,
    const cudaKernelNodeParams* parameters) {
  return set_step("cudaGraphExecKernelNodeSetParams", exec, node,
                  described_by(parameters));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return set_step("cudaGraphExecMemcpyNodeSetParams", exec, node,
                  described_by(parameters));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec,
                                               cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return set_step("cudaGraphExecMemcpyNodeSetParams1D", exec, node,
                  copy_1d(to, from, bytes, kind));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return set_step("cudaGraphExecMemsetNodeSetParams", exec, node,
                  described_by(parameters));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec,
                                           cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return set_step("cudaGraphExecHostNodeSetParams", exec, node,
                  described_by(parameters));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
  return set_step("cudaGraphExecNodeSetParams", exec, node,
                  described_by<cudaGraphNodeParams>(parameters));
}
