/// \file
/// Building graphs: nodes, dependencies, and queries about them.
#include <algorithm>

#include "cpu_device/runtime/entry.hpp"
#include "cpu_device/runtime/node_parameters.hpp"

using namespace rungs::cpu_device;

namespace {

cudaGraphNode_t handle_of(GraphNode* node) {
  return reinterpret_cast<cudaGraphNode_t>(node);
}

/// Adds the operation that `make` describes.
template <typename Make>
cudaError_t add(const char* name, cudaGraphNode_t* node, cudaGraph_t graph,
                const cudaGraphNode_t* dependencies, size_t count, Make&& make) {
  return call(name, [&](Runtime& runtime) {
    require(node && (dependencies || count == 0));
    Graph& into = runtime.streams.graphs.graph(graph);
    std::vector<GraphNode*> before;
    for (size_t i = 0; i < count; ++i) {
      before.push_back(&runtime.streams.graphs.node(dependencies[i]));
    }
    *node = handle_of(into.add(make(runtime), before));
  });
}

/// Writes up to *count handles, or only tells how many there are.
void give(const std::vector<GraphNode*>& nodes, cudaGraphNode_t* handles,
          size_t* count) {
  require(count);
  if (handles) {
    for (size_t i = 0; i < *count; ++i) {
      handles[i] = i < nodes.size() ? handle_of(nodes[i]) : nullptr;
    }
    *count = std::min(*count, nodes.size());
  } else {
    *count = nodes.size();
  }
}

void clear(cudaGraphEdgeData* edges, size_t count) {
  if (edges) std::fill(edges, edges + count, cudaGraphEdgeData{});
}

std::vector<GraphNode*> nodes_of(const Graph& graph) {
  std::vector<GraphNode*> nodes;
  for (const auto& node : graph.nodes) nodes.push_back(node.get());
  return nodes;
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return call("cudaGraphCreate", [&](Runtime& runtime) {
    require(graph && flags == 0);
    *graph = reinterpret_cast<cudaGraph_t>(runtime.streams.graphs.create());
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call("cudaGraphDestroy", [&](Runtime& runtime) {
    runtime.streams.graphs.destroy(&runtime.streams.graphs.graph(graph));
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return call("cudaGraphClone", [&](Runtime& runtime) {
    require(clone);
    Graphs& graphs = runtime.streams.graphs;
    *clone =
        reinterpret_cast<cudaGraph_t>(graphs.adopt(graphs.graph(original).clone()));
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node,
                                     cudaGraphNode_t original, cudaGraph_t clone) {
  return call("cudaGraphNodeFindInClone", [&](Runtime& runtime) {
    require(node);
    for (const auto& candidate : runtime.streams.graphs.graph(clone).nodes) {
      if (handle_of(candidate->origin) == original) {
        *node = handle_of(candidate.get());
        return;
      }
    }
    throw Failure{cudaErrorInvalidValue};
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies,
                                   size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return add("cudaGraphAddKernelNode", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               require(parameters);
               return operation_of(runtime, *parameters);
             });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies,
                                   size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return add("cudaGraphAddMemcpyNode", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               require(parameters);
               return operation_of(runtime, *parameters);
             });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies,
                                     size_t count, void* to, const void* from,
                                     size_t bytes, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNode1D", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               const CopyOperation copy = linear_copy(to, from, bytes, kind);
               check_copy(runtime, copy);
               return copy;
             });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies,
                                           size_t count, const void* symbol,
                                           const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNodeToSymbol", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               return copy_to_symbol(runtime, symbol, from, bytes, offset, kind);
             });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node,
                                             cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies,
                                             size_t count, void* to,
                                             const void* symbol, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNodeFromSymbol", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               return copy_from_symbol(runtime, to, symbol, bytes, offset, kind);
             });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies,
                                   size_t count,
                                   const cudaMemsetParams* parameters) {
  return add("cudaGraphAddMemsetNode", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               require(parameters);
               return operation_of(runtime, *parameters);
             });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add("cudaGraphAddHostNode", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               require(parameters);
               return operation_of(runtime, *parameters);
             });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies,
                                  size_t count) {
  return add("cudaGraphAddEmptyNode", node, graph, dependencies, count,
             [](Runtime&) { return EmptyOperation{}; });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies,
                                       size_t count, cudaGraph_t child) {
  return add("cudaGraphAddChildGraphNode", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               return ChildOperation{runtime.streams.graphs.graph(child).clone()};
             });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies,
                                        size_t count, cudaEvent_t event) {
  return add("cudaGraphAddEventRecordNode", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               runtime.streams.event(event);
               return RecordOperation{event};
             });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies,
                                      size_t count, cudaEvent_t event) {
  return add("cudaGraphAddEventWaitNode", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               runtime.streams.event(event);
               return WaitOperation{event};
             });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData*, size_t count,
                             cudaGraphNodeParams* parameters) {
  return add("cudaGraphAddNode", node, graph, dependencies, count,
             [&](Runtime& runtime) {
               require(parameters);
               return operation_of(runtime, *parameters);
             });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return call("cudaGraphDestroyNode", [&](Runtime& runtime) {
    GraphNode& gone = runtime.streams.graphs.node(node);
    Graph& graph = *gone.graph;
    for (GraphNode* dependent : graph.dependents(&gone)) {
      std::erase(dependent->dependencies, &gone);
    }
    std::erase_if(graph.nodes,
                  [&](const auto& entry) { return entry.get() == &gone; });
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData*, size_t count) {
  return call("cudaGraphAddDependencies", [&](Runtime& runtime) {
    Graphs& graphs = runtime.streams.graphs;
    Graph& owner = graphs.graph(graph);
    require((from && to) || count == 0);
    for (size_t i = 0; i < count; ++i) {
      GraphNode &before = graphs.node(from[i]), &after = graphs.node(to[i]);
      require(owner.has(&before) && owner.has(&after) && &before != &after);
      auto& dependencies = after.dependencies;
      // An edge that is there already is an error, in CUDA too.
      require(std::find(dependencies.begin(), dependencies.end(), &before) ==
              dependencies.end());
      dependencies.push_back(&before);
    }
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                        const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, size_t count) {
  return call("cudaGraphRemoveDependencies", [&](Runtime& runtime) {
    Graphs& graphs = runtime.streams.graphs;
    graphs.graph(graph);
    require((from && to) || count == 0);
    for (size_t i = 0; i < count; ++i) {
      require(std::erase(graphs.node(to[i]).dependencies, &graphs.node(from[i])) ==
              1);
    }
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                              size_t* count) {
  return call("cudaGraphGetNodes", [&](Runtime& runtime) {
    give(nodes_of(runtime.streams.graphs.graph(graph)), nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                  size_t* count) {
  return call("cudaGraphGetRootNodes", [&](Runtime& runtime) {
    std::vector<GraphNode*> roots = nodes_of(runtime.streams.graphs.graph(graph));
    std::erase_if(
        roots, [](const GraphNode* node) { return !node->dependencies.empty(); });
    give(roots, nodes, count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                              cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                              size_t* count) {
  return call("cudaGraphGetEdges", [&](Runtime& runtime) {
    require(count && (from == nullptr) == (to == nullptr));
    std::vector<GraphNode*> before, after;
    for (const auto& node : runtime.streams.graphs.graph(graph).nodes) {
      for (GraphNode* dependency : node->dependencies) {
        before.push_back(dependency);
        after.push_back(node.get());
      }
    }
    size_t given = *count;
    give(before, from, &given);
    give(after, to, count);
    if (from) clear(edges, *count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                         cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* edges, size_t* count) {
  return call("cudaGraphNodeGetDependencies", [&](Runtime& runtime) {
    give(runtime.streams.graphs.node(node).dependencies, nodes, count);
    if (nodes) clear(edges, *count);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                           cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* edges,
                                           size_t* count) {
  return call("cudaGraphNodeGetDependentNodes", [&](Runtime& runtime) {
    const GraphNode& asked = runtime.streams.graphs.node(node);
    give(asked.graph->dependents(&asked), nodes, count);
    if (nodes) clear(edges, *count);
  });
}
