#include "measure/measure.hpp"

#include "measure/graph.hpp"
#include "measure/host_clock.hpp"
#include "measure/kernel.hpp"
#include "measure/missing.hpp"
#include "measure/span.hpp"

namespace rungs {
namespace {

Json answer(const Samples& samples, int operations = 1) {
  return {{"unit", "us"}, {"samples", microseconds(samples, operations)}};
}

Json answer(const KernelTimes& times) {
  Json kernels = Json::array();
  for (const KernelTimes::Part& part : times.parts) {
    kernels.push_back({
        {"name", part.launch.name},
        {"launches_per_operation", part.launches_per_operation},
        {"grid", part.launch.grid},
        {"block", part.launch.block},
        {"registers", part.launch.registers},
        {"static_shared_bytes", part.launch.static_shared_bytes},
        {"dynamic_shared_bytes", part.launch.dynamic_shared_bytes},
        {"samples", microseconds(part.samples)},
    });
  }
  Json all = answer(times.samples);
  all["kernels"] = std::move(kernels);
  return all;
}

using Instrument = Json (*)(Launches& launches, const Measurement& asked);

struct Named {
  const char* name;
  Instrument measure;
};

constexpr Named instruments[] = {
    {"span",
     [](Launches& launches, const Measurement& asked) {
       return answer(measure_span(launches, asked.samples));
     }},
    {"kernel",
     [](Launches& launches, const Measurement& asked) {
       return answer(measure_kernel(launches, asked.samples));
     }},
    {"awaited",
     [](Launches& launches, const Measurement& asked) {
       return answer(measure_awaited(launches, asked.samples));
     }},
    {"queued",
     [](Launches& launches, const Measurement& asked) {
       return answer(measure_queued(launches, asked.samples, asked.batch),
                     asked.batch);
     }},
    {"graph",
     [](Launches& launches, const Measurement& asked) {
       return answer(measure_graph(launches, asked.samples, asked.batch),
                     asked.batch);
     }},
    {"submit",
     [](Launches& launches, const Measurement& asked) {
       return answer(measure_submit(launches, asked.samples));
     }},
};

const Named* find(const std::string& name) {
  for (const Named& instrument : instruments) {
    if (instrument.name == name) return &instrument;
  }
  return nullptr;
}

}  // namespace

std::string refuse(const Measurement& asked) {
  constexpr int most = 1'000'000;
  const std::string& name = asked.instrument;
  if (find(name) == nullptr) {
    return "no instrument is called \"" + name +
           "\"; there is span, kernel, awaited, queued, graph and submit";
  }
  if (asked.samples < 1 || asked.samples > most) {
    return std::to_string(asked.samples) + " samples cannot be taken; give 1 to " +
           std::to_string(most);
  }
  if (asked.batch < 1 || asked.batch > most) {
    return std::to_string(asked.batch) + " operations are no batch; give 1 to " +
           std::to_string(most);
  }
  if (asked.batch != 1 && name != "queued" && name != "graph") {
    return name +
           " times one operation a sample; only queued and graph take a batch";
  }
  return "";
}

Json measure(const Measurement& asked, Launches launches) {
  if (const std::string why = refuse(asked); !why.empty()) return {{"error", why}};
  try {
    launches.warm_up();
    return find(asked.instrument)->measure(launches, asked);
  } catch (const std::exception& error) {
    if (device_is_lost()) {
      return {{"error", std::string(error.what()) +
                            "; nothing more can run on the GPU in this process"}};
    }
    return {{"missing", error.what()}};
  }
}

bool device_is_lost() {
  static_cast<void>(cudaGetLastError());
  return cudaDeviceSynchronize() != cudaSuccess;
}

}  // namespace rungs
