#include "measure/graph.hpp"

#include "measure/missing.hpp"
#include "measure/span.hpp"

namespace rungs {
namespace {

struct ExecDestroyed {
  void operator()(cudaGraphExec_t exec) const {
    // Nothing is left to do about an error here.
    static_cast<void>(cudaGraphExecDestroy(exec));
  }
};
using GraphExec = std::unique_ptr<CUgraphExec_st, ExecDestroyed>;

GraphExec instantiate(const Graph& graph) {
  cudaGraphExec_t exec = nullptr;
  require(cudaGraphInstantiate(&exec, graph.get(), 0), "cudaGraphInstantiate");
  return GraphExec(exec);
}

}  // namespace

void Graph::Destroyed::operator()(cudaGraph_t graph) const {
  static_cast<void>(cudaGraphDestroy(graph));
}

Graph::Graph(Launches& launches, int operations) {
  const cudaStream_t stream = launches.stream();
  if (stream == nullptr) {
    throw Missing("the default stream cannot be captured into a graph");
  }
  // Other threads of the process, a Python interpreter's, may do as they like.
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    for (int i = 0; i < operations; ++i) launches.next();
    require(cudaGetLastError(), "the launch into a graph");
  } catch (...) {
    // Out of the capture, whatever became of it: the launch's error is the one to
    // tell.
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    graph_.reset(graph);
    static_cast<void>(cudaGetLastError());
    throw;
  }
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  graph_.reset(graph);
  require(ended, "cudaStreamEndCapture");
}

Samples measure_graph(Launches& launches, int samples, int batch) {
  const Graph graph(launches, batch);
  const GraphExec exec = instantiate(graph);
  const cudaStream_t stream = launches.stream();
  require(cudaGraphUpload(exec.get(), stream), "cudaGraphUpload");
  require(cudaGraphLaunch(exec.get(), stream), "cudaGraphLaunch");
  launches.wait();

  Span span;
  Samples times;
  for (int i = 0; i < samples; ++i) {
    span.start(stream);
    require(cudaGraphLaunch(exec.get(), stream), "cudaGraphLaunch");
    span.stop(stream);
    times.push_back(span.nanoseconds());
  }
  launches.wait();
  return times;
}

}  // namespace rungs
