#include "cpu_device/runtime/streams.hpp"

#include <algorithm>

#include "cpu_device/runtime/runtime.hpp"

namespace rungs::cpu_device {
namespace {

void join(std::vector<GraphNode*>& nodes, const std::vector<GraphNode*>& more) {
  for (GraphNode* node : more) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end())
      nodes.push_back(node);
  }
}

[[noreturn]] void spoil(Capture& capture, cudaError_t error) {
  capture.invalid = true;
  throw Failure{error};
}

}  // namespace

Streams::Streams() {
  legacy_.id = 1;
  legacy_.is_legacy = true;
}

Stream& Streams::per_thread() {
  auto& stream = per_thread_[std::this_thread::get_id()];
  if (!stream) {
    stream = std::make_unique<Stream>();
    stream->id = next_id_++;
  }
  return *stream;
}

Stream& Streams::stream(cudaStream_t handle) {
  if (handle == cudaStreamPerThread) return per_thread();
  if (handle == nullptr) return null_is_per_thread ? per_thread() : legacy_;
  if (handle == cudaStreamLegacy) return legacy_;
  const auto found = streams_.find(handle);
  require(found != streams_.end(), cudaErrorInvalidResourceHandle);
  return *found->second;
}

Event& Streams::event(cudaEvent_t handle) {
  const auto found = events_.find(handle);
  require(found != events_.end(), cudaErrorInvalidResourceHandle);
  return *found->second;
}

cudaStream_t Streams::create_stream(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = priority;
  stream->id = next_id_++;
  const auto handle = reinterpret_cast<cudaStream_t>(stream.get());
  streams_[handle] = std::move(stream);
  return handle;
}

void Streams::destroy_stream(cudaStream_t handle) {
  const auto found = streams_.find(handle);
  require(found != streams_.end(), cudaErrorInvalidResourceHandle);
  if (found->second->capture) {
    Capture& capture = *found->second->capture;
    if (capture.origin == found->second.get()) {
      if (capture.owns_graph) graphs.destroy(capture.graph);
      dissolve(capture, {});
    } else {
      capture.invalid = true;
    }
  }
  streams_.erase(found);
}

cudaEvent_t Streams::create_event(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  const auto handle = reinterpret_cast<cudaEvent_t>(event.get());
  events_[handle] = std::move(event);
  return handle;
}

void Streams::destroy_event(cudaEvent_t handle) {
  require(events_.erase(handle) == 1, cudaErrorInvalidResourceHandle);
}

void Streams::forbid_legacy_work(const Stream& stream) {
  if (!stream.is_legacy) return;
  for (const auto& [handle, other] : streams_) {
    // The legacy stream waits for every blocking stream, also for one in a capture.
    if (other->capture && !(other->flags & cudaStreamNonBlocking)) {
      spoil(*other->capture, cudaErrorStreamCaptureImplicit);
    }
  }
}

void Streams::submit(Runtime& runtime, Stream& stream, Operation operation) {
  forbid_legacy_work(stream);
  check(runtime, operation);
  if (!stream.capture) {
    perform(runtime, operation);
    return;
  }
  Capture& capture = *stream.capture;
  require(!capture.invalid, cudaErrorStreamCaptureInvalidated);
  GraphNode* const node = capture.graph->add(std::move(operation), stream.tail);
  stream.tail = {node};
}

void Streams::record(cudaEvent_t handle, Stream& stream) {
  Event& event = this->event(handle);
  forbid_legacy_work(stream);
  if (stream.capture) {
    require(!stream.capture->invalid, cudaErrorStreamCaptureInvalidated);
  }
  event.capture = stream.capture;
  event.nodes = stream.tail;
  event.recorded = true;
}

void Streams::wait(Stream& stream, cudaEvent_t handle) {
  Event& event = this->event(handle);
  forbid_legacy_work(stream);
  if (event.capture) {
    Capture& capture = *event.capture;
    require(!capture.invalid, cudaErrorStreamCaptureInvalidated);
    if (stream.capture && stream.capture != event.capture) {
      spoil(*stream.capture, cudaErrorStreamCaptureMerge);
    }
    if (stream.is_legacy) spoil(capture, cudaErrorStreamCaptureImplicit);
    // The stream joins the capture.
    stream.capture = event.capture;
    join(stream.tail, event.nodes);
  } else if (stream.capture) {
    // Work of before the capture is no part of the graph.
    require(!event.recorded, cudaErrorStreamCaptureIsolation);
  }
}

void Streams::begin_capture(Stream& stream, cudaStreamCaptureMode mode, Graph* into,
                            std::vector<GraphNode*> dependencies) {
  require(!stream.is_legacy, cudaErrorStreamCaptureUnsupported);
  require(!stream.capture, cudaErrorIllegalState);
  require(mode == cudaStreamCaptureModeGlobal ||
          mode == cudaStreamCaptureModeThreadLocal ||
          mode == cudaStreamCaptureModeRelaxed);
  captures_.push_back({.mode = mode,
                       .thread = std::this_thread::get_id(),
                       .origin = &stream,
                       .graph = into ? into : graphs.create(),
                       .owns_graph = into == nullptr,
                       .id = next_id_++});
  stream.capture = &captures_.back();
  stream.tail = std::move(dependencies);
}

bool Streams::dissolve(Capture& capture, const std::set<const GraphNode*>& joined) {
  bool unjoined = false;
  const auto leave = [&](Stream& stream) {
    if (stream.capture != &capture) return;
    for (const GraphNode* node : stream.tail) unjoined |= !joined.contains(node);
    stream.capture = nullptr;
    stream.tail.clear();
  };
  for (const auto& [handle, stream] : streams_) leave(*stream);
  for (const auto& [thread, stream] : per_thread_) leave(*stream);
  for (const auto& [handle, event] : events_) {
    if (event->capture != &capture) continue;
    event->capture = nullptr;
    event->nodes.clear();
    event->recorded = false;
  }
  captures_.remove_if([&](const Capture& entry) { return &entry == &capture; });
  return unjoined;
}

Graph* Streams::end_capture(Stream& stream) {
  require(stream.capture, cudaErrorIllegalState);
  Capture& capture = *stream.capture;
  require(capture.origin == &stream, cudaErrorStreamCaptureUnmatched);
  require(capture.mode == cudaStreamCaptureModeRelaxed ||
              capture.thread == std::this_thread::get_id(),
          cudaErrorStreamCaptureWrongThread);

  // A branch has joined when the origin stream waits for the last of its nodes.
  std::set<const GraphNode*> joined;
  std::vector<const GraphNode*> open(stream.tail.begin(), stream.tail.end());
  while (!open.empty()) {
    const GraphNode* const node = open.back();
    open.pop_back();
    if (!joined.insert(node).second) continue;
    open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  const bool invalid = capture.invalid;
  Graph* const graph = capture.graph;
  const bool owns_graph = capture.owns_graph;
  const bool unjoined = dissolve(capture, joined);
  if (invalid || unjoined) {
    if (owns_graph) graphs.destroy(graph);
    throw Failure{invalid ? cudaErrorStreamCaptureInvalidated
                          : cudaErrorStreamCaptureUnjoined};
  }
  return graph;
}

cudaStreamCaptureMode& Streams::thread_mode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

void Streams::forbid_during_capture() {
  const cudaStreamCaptureMode caller = thread_mode();
  if (caller == cudaStreamCaptureModeRelaxed) return;
  for (Capture& capture : captures_) {
    if (capture.mode == cudaStreamCaptureModeRelaxed) continue;
    const bool own = capture.thread == std::this_thread::get_id();
    const bool global = capture.mode == cudaStreamCaptureModeGlobal &&
                        caller == cudaStreamCaptureModeGlobal;
    if (own || global) spoil(capture, cudaErrorStreamCaptureUnsupported);
  }
}

void Streams::forbid_in_capture(Stream& stream) {
  forbid_legacy_work(stream);
  if (stream.capture) spoil(*stream.capture, cudaErrorStreamCaptureUnsupported);
}

}  // namespace rungs::cpu_device
