#include "cpu_device/runtime/operation.hpp"

#include "cpu_device/runtime/runtime.hpp"

namespace rungs::cpu_device {
namespace {

struct Checker {
  Runtime& runtime;
  void operator()(const CopyOperation& copy) const { check_copy(runtime, copy); }
  void operator()(const FillOperation& fill) const { check_fill(runtime, fill); }
  void operator()(const HostOperation& host) const { require(host.function); }
  template <typename Other>
  void operator()(const Other&) const {}
};

struct Performer {
  Runtime& runtime;
  void operator()(const EmptyOperation&) const {}
  void operator()(const KernelOperation& kernel) const {
    run_kernel(runtime, kernel);
  }
  void operator()(const CopyOperation& copy) const { run_copy(runtime, copy); }
  void operator()(const FillOperation& fill) const { run_fill(runtime, fill); }
  void operator()(const HostOperation& host) const {
    runtime.unlocked([&] { host.function(host.data); });
  }
  void operator()(const RecordOperation& record) const {
    runtime.streams.event(record.event).recorded = true;
  }
  void operator()(const WaitOperation& wait) const {
    runtime.streams.event(wait.event);
  }
  void operator()(const ChildOperation& child) const {
    GraphExec(*child.graph).launch(runtime);
  }
};

}  // namespace

void check(Runtime& runtime, const Operation& operation) {
  std::visit(Checker{runtime}, operation);
}

void perform(Runtime& runtime, const Operation& operation) {
  std::visit(Performer{runtime}, operation);
}

}  // namespace rungs::cpu_device
