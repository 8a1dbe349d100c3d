/// \file
/// Events. Work is done when it is submitted, so a recorded event has always
/// happened; there are no GPU times to give.
#include <limits>

#include "cpu_device/runtime/entry.hpp"

using namespace rungs::cpu_device;

namespace {

void forbid_captured(const Event& event) {
  if (!event.capture) return;
  event.capture->invalid = true;
  throw Failure{cudaErrorCapturedEvent};
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call("cudaEventCreateWithFlags", [&](Runtime& runtime) {
    constexpr unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    require(event && (flags & ~known) == 0);
    *event = runtime.streams.create_event(flags);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy",
              [&](Runtime& runtime) { runtime.streams.destroy_event(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned flags) {
  return call("cudaEventRecord", [&](Runtime& runtime) {
    require(flags == cudaEventRecordDefault || flags == cudaEventRecordExternal);
    Stream& recording = runtime.streams.stream(stream);
    if (flags == cudaEventRecordExternal) {
      require(recording.capture, cudaErrorIllegalState);
      runtime.streams.event(event);
      runtime.streams.submit(runtime, recording, RecordOperation{event});
    } else {
      runtime.streams.record(event, recording);
    }
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", [&](Runtime& runtime) {
    forbid_captured(runtime.streams.event(event));
    runtime.streams.forbid_during_capture();
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", [&](Runtime& runtime) {
    forbid_captured(runtime.streams.event(event));
    runtime.streams.forbid_during_capture();
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start,
                                 cudaEvent_t end) {
  return call("cudaEventElapsedTime", [&](Runtime& runtime) {
    require(milliseconds);
    for (const cudaEvent_t handle : {start, end}) {
      const Event& event = runtime.streams.event(handle);
      require(event.recorded && !event.capture &&
                  !(event.flags & cudaEventDisableTiming),
              cudaErrorInvalidResourceHandle);
    }
    *milliseconds = std::numeric_limits<float>::quiet_NaN();
    write_note_once(
        "cudaEventElapsedTime gives NaN: there is no GPU here, so there are no times");
  });
}
