#include "cpu_device/runtime/graph.hpp"

#include <algorithm>

#include "cpu_device/runtime/runtime.hpp"

namespace rungs::cpu_device {
namespace {

template <typename T, typename Container>
bool contains(const Container& container, const T& value) {
  return std::find(container.begin(), container.end(), value) != container.end();
}

}  // namespace

GraphNode* Graph::add(Operation operation,
                      const std::vector<GraphNode*>& dependencies) {
  for (const GraphNode* node : dependencies) require(has(node));
  auto node = std::make_unique<GraphNode>();
  node->graph = this;
  node->operation = std::move(operation);
  for (GraphNode* dependency : dependencies) {
    if (!contains(node->dependencies, dependency)) {
      node->dependencies.push_back(dependency);
    }
  }
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

bool Graph::has(const GraphNode* node) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto& entry) { return entry.get() == node; });
}

std::vector<GraphNode*> Graph::dependents(const GraphNode* node) const {
  std::vector<GraphNode*> result;
  for (const auto& entry : nodes) {
    if (contains(entry->dependencies, node)) result.push_back(entry.get());
  }
  return result;
}

std::vector<GraphNode*> Graph::ordered() const {
  std::vector<GraphNode*> result;
  std::map<const GraphNode*, size_t> waiting;
  for (const auto& node : nodes) waiting[node.get()] = node->dependencies.size();
  while (result.size() < nodes.size()) {
    const auto next =
        std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) {
          const auto entry = waiting.find(node.get());
          return entry != waiting.end() && entry->second == 0;
        });
    require(next != nodes.end());  // a cycle
    result.push_back(next->get());
    waiting.erase(next->get());
    for (const GraphNode* dependent : dependents(next->get())) --waiting[dependent];
  }
  return result;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  std::map<const GraphNode*, GraphNode*> twins;
  for (const auto& node : nodes) {
    GraphNode* const twin = copy->add(node->operation, {});
    twin->origin = node.get();
    if (auto* const child = std::get_if<ChildOperation>(&twin->operation)) {
      child->graph = child->graph->clone();
    }
    twins[node.get()] = twin;
  }
  for (const auto& node : nodes) {
    for (const GraphNode* dependency : node->dependencies) {
      twins[node.get()]->dependencies.push_back(twins[dependency]);
    }
  }
  return copy;
}

GraphExec::GraphExec(const Graph& graph) {
  std::map<const GraphNode*, size_t> index;
  for (const GraphNode* node : graph.ordered()) {
    Step step{node, node->operation, true, {}};
    if (auto* const child = std::get_if<ChildOperation>(&step.operation)) {
      child->graph = child->graph->clone();
    }
    for (const GraphNode* dependency : node->dependencies) {
      step.dependencies.push_back(index.at(dependency));
    }
    index[node] = steps.size();
    steps.push_back(std::move(step));
  }
}

GraphExec::Step& GraphExec::step(const GraphNode* node) {
  for (Step& step : steps) {
    if (step.node == node) return step;
  }
  throw Failure{cudaErrorInvalidValue};
}

void GraphExec::launch(Runtime& runtime) const {
  for (const Step& step : steps) {
    if (runtime.sticky_error() != cudaSuccess) return;
    if (step.enabled) perform(runtime, step.operation);
  }
}

Graph* Graphs::create() { return adopt(std::make_unique<Graph>()); }

Graph* Graphs::adopt(std::unique_ptr<Graph> graph) {
  Graph* const handle = graph.get();
  graphs_[handle] = std::move(graph);
  return handle;
}

void Graphs::destroy(Graph* graph) { require(graphs_.erase(graph) == 1); }

GraphExec* Graphs::instantiate(const Graph& graph, unsigned long long flags) {
  auto exec = std::make_unique<GraphExec>(graph);
  exec->flags = flags;
  GraphExec* const handle = exec.get();
  execs_[handle] = std::move(exec);
  return handle;
}

void Graphs::destroy(GraphExec* exec) { require(execs_.erase(exec) == 1); }

Graph& Graphs::graph(cudaGraph_t handle) {
  auto* const graph = reinterpret_cast<Graph*>(handle);
  if (graphs_.contains(graph)) return *graph;
  // A child node's own graph is no entry of the table.
  for (const auto& [parent, owner] : graphs_) {
    for (const auto& node : parent->nodes) {
      const auto* const child = std::get_if<ChildOperation>(&node->operation);
      if (child && child->graph.get() == graph) return *graph;
    }
  }
  throw Failure{cudaErrorInvalidValue};
}

GraphExec& Graphs::exec(cudaGraphExec_t handle) {
  auto* const exec = reinterpret_cast<GraphExec*>(handle);
  require(execs_.contains(exec));
  return *exec;
}

GraphNode& Graphs::node(cudaGraphNode_t handle) {
  auto* const node = reinterpret_cast<GraphNode*>(handle);
  for (const auto& [graph, owner] : graphs_) {
    if (graph->has(node)) return *node;
    for (const auto& entry : graph->nodes) {
      const auto* const child = std::get_if<ChildOperation>(&entry->operation);
      if (child && child->graph->has(node)) return *node;
    }
  }
  throw Failure{cudaErrorInvalidValue};
}

}  // namespace rungs::cpu_device
