/// \file
/// Graphs of operations, and the executable form that a launch runs.
#pragma once

#include <driver_types.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "cpu_device/runtime/operation.hpp"

namespace rungs::cpu_device {

struct GraphNode {
  Graph* graph = nullptr;
  Operation operation;
  std::vector<GraphNode*>
      dependencies;             ///< in the order they were added, none twice
  GraphNode* origin = nullptr;  ///< in a clone: the node it was cloned from
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  ///< in the order they were added

  /// \throws Failure for a dependency that is no node of this graph
  GraphNode* add(Operation operation, const std::vector<GraphNode*>& dependencies);
  bool has(const GraphNode* node) const;
  /// The nodes that depend on this one.
  std::vector<GraphNode*> dependents(const GraphNode* node) const;
  /// All nodes, each after its dependencies; among those that could come next, the
  /// one that was added first. \throws Failure with cudaErrorInvalidValue when they
  /// form a cycle
  std::vector<GraphNode*> ordered() const;
  std::unique_ptr<Graph> clone() const;
};

/// A graph that can be launched: a copy, in the order in which it runs.
struct GraphExec {
  struct Step {
    const GraphNode* node;  ///< of the graph it was made from; may be gone
    Operation operation;
    bool enabled = true;
    std::vector<size_t> dependencies;  ///< indices of steps
  };
  std::vector<Step> steps;
  unsigned long long flags = 0;

  explicit GraphExec(const Graph& graph);
  /// The step made from this node.
  /// \throws Failure with cudaErrorInvalidValue when there is none
  Step& step(const GraphNode* node);
  void launch(Runtime& runtime) const;
};

/// All graphs of the process.
class Graphs {
 public:
  Graph* create();
  Graph* adopt(std::unique_ptr<Graph> graph);
  void destroy(Graph* graph);
  GraphExec* instantiate(const Graph& graph, unsigned long long flags);
  void destroy(GraphExec* exec);

  /// \throws Failure with cudaErrorInvalidValue for what is no such thing (any
  /// more)
  Graph& graph(cudaGraph_t handle);
  GraphExec& exec(cudaGraphExec_t handle);
  GraphNode& node(cudaGraphNode_t handle);

 private:
  std::map<Graph*, std::unique_ptr<Graph>> graphs_;
  std::map<GraphExec*, std::unique_ptr<GraphExec>> execs_;
};

}  // namespace rungs::cpu_device
