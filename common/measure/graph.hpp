#pragma once

#include <memory>

#include "measure/launches.hpp"
#include "measure/samples.hpp"

namespace rungs {

/// What a stream was given, as a graph.
class Graph {
 public:
  /// The next `operations` launches, not run. Throws CudaError if one of them
  /// cannot be captured; the stream is then as it was.
  Graph(Launches& launches, int operations);

  cudaGraph_t get() const { return graph_.get(); }

 private:
  struct Destroyed {
    void operator()(cudaGraph_t graph) const;
  };
  std::unique_ptr<CUgraph_st, Destroyed> graph_;
};

/// Replays of a graph of `batch` launches, by CUDA events around each; each sample
/// is of the batch. Throws Missing for the default stream, which cannot be
/// captured.
Samples measure_graph(Launches& launches, int samples, int batch);

}  // namespace rungs
