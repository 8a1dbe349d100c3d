/// \file
/// Streams, events and captures. The CPU device performs work when it is submitted,
/// so a stream has nothing to wait for; what remains is the bookkeeping that CUDA
/// specifies, and the capture of a stream's work into a graph.
#pragma once

#include <driver_types.h>

#include <list>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "cpu_device/runtime/graph.hpp"
#include "cpu_device/runtime/operation.hpp"

namespace rungs::cpu_device {

struct Capture;

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  bool is_legacy = false;
  std::map<int, cudaStreamAttrValue>
      attributes;                ///< set by the program, by attribute
  Capture* capture = nullptr;    ///< the capture that its work goes to
  std::vector<GraphNode*> tail;  ///< in a capture: what the next node depends on
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  Capture* capture = nullptr;     ///< the capture it was recorded in
  std::vector<GraphNode*> nodes;  ///< what was before it there
};

/// A capture from cudaStreamBeginCapture to cudaStreamEndCapture.
struct Capture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  Stream* origin = nullptr;
  Graph* graph = nullptr;
  bool owns_graph = true;
  bool invalid = false;  ///< a call spoilt it; cudaStreamEndCapture says so
  unsigned long long id = 0;
};

class Streams {
 public:
  Streams();

  /// \throws Failure with cudaErrorInvalidResourceHandle for a stream that does not
  /// exist
  Stream& stream(cudaStream_t handle);
  Event& event(cudaEvent_t handle);

  cudaStream_t create_stream(unsigned flags, int priority);
  void destroy_stream(cudaStream_t handle);
  cudaEvent_t create_event(unsigned flags);
  void destroy_event(cudaEvent_t handle);

  /// Performs the operation, or captures it when the stream is in a capture.
  /// \throws Failure
  void submit(Runtime& runtime, Stream& stream, Operation operation);

  /// Records an event in a stream, or marks the place in the stream's capture.
  void record(cudaEvent_t event, Stream& stream);
  /// Lets a stream wait for an event: it joins the capture that the event was
  /// recorded in.
  void wait(Stream& stream, cudaEvent_t event);

  void begin_capture(Stream& stream, cudaStreamCaptureMode mode, Graph* into,
                     std::vector<GraphNode*> dependencies);
  /// \throws Failure when the capture is spoilt, of another stream, or has unjoined
  /// branches
  Graph* end_capture(Stream& stream);

  /// Refuses a call that a capture does not allow (memory management,
  /// synchronisation), and spoils the capture, as CUDA does.
  void forbid_during_capture();
  /// Refuses a query or a wait on a stream in a capture, and spoils the capture.
  void forbid_in_capture(Stream& stream);

  cudaStreamCaptureMode& thread_mode();

  /// cudaStreamBeginCapture_ptsz(0) means the calling thread's own stream.
  bool null_is_per_thread = false;

  Graphs graphs;

 private:
  Stream& per_thread();
  void forbid_legacy_work(const Stream& stream);
  /// Takes all streams and events out of the capture and forgets it.
  /// \return whether a stream's last node is not among `joined`
  bool dissolve(Capture& capture, const std::set<const GraphNode*>& joined);

  Stream legacy_;
  unsigned long long next_id_ = 10;
  std::map<std::thread::id, std::unique_ptr<Stream>> per_thread_;
  std::map<cudaStream_t, std::unique_ptr<Stream>> streams_;
  std::map<cudaEvent_t, std::unique_ptr<Event>> events_;
  std::list<Capture> captures_;
};

}  // namespace rungs::cpu_device
