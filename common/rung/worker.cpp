#include "rung/worker.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>

#include "measure/cupti.hpp"
#include "measure/machine.hpp"
#include "measure/measure.hpp"
#include "measure/own_stream.hpp"
#include "measure/resources.hpp"
#include "rung/answers.hpp"
#include "rung/cpu_device_calls.hpp"
#include "rung/cuda_error.hpp"
#include "rung/document.hpp"
#include "rung/open_shape.hpp"
#include "rung/peer.hpp"
#include "rung/request.hpp"

namespace rungs {
namespace {

constexpr const char* never_times = "the CPU device counts and never times";

Json checked(const std::vector<ShapeCheck>& checks) {
  const bool passed =
      std::all_of(checks.begin(), checks.end(),
                  [](const auto& check) { return check.comparison.passed; });
  return {{"passed", passed}, {"shapes", shape_checks(checks)}};
}

class Worker {
 public:
  Worker(const Options& options, const Device& device)
      : ladder_(options.rungs.front()->key().ladder),
        operation_(options.rungs.front()->operation()),
        seed_(options.seed),
        device_(device),
        cpu_(device.kind == DeviceKind::cpu),
        variants_(registered_variants(operation_)) {
    for (const Variant& variant : variants_) {
      if (variant.missing) missing_[variant.name] = variant.missing();
    }
  }

  Json answer(const Request& request) {
    using Answer = Json (Worker::*)(const Request&);
    static const std::map<std::string, Answer> answers = {
        {"hello", &Worker::hello},         {"open", &Worker::open},
        {"check", &Worker::check},         {"export", &Worker::write_inputs},
        {"compare", &Worker::compare},     {"resources", &Worker::resources_of},
        {"measure", &Worker::measure_one}, {"state", &Worker::state},
        {"load", &Worker::load},           {"close", &Worker::close}};
    const std::string action = request.action();
    const auto found = answers.find(action);
    if (found == answers.end()) {
      std::string known;
      for (const auto& [name, unused] : answers) {
        known += (known.empty() ? "" : ", ") + name;
      }
      throw Refused("\"do\" is \"" + action + "\"; there is " + known);
    }
    return (this->*found->second)(request);
  }

 private:
  Json hello(const Request&) {
    int runtime = 0;
    require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    const std::string cupti = cpu_ ? "" : cupti_version();
    Json software = {{"cuda_runtime", cuda_version(runtime)},
                     {"cupti", cupti.empty() ? Json(nullptr) : Json(cupti)}};
    for (const auto& [name, version] : registered_software()) {
      software[name] = version;
    }
    Json variants = Json::array();
    for (const Variant& variant : variants_)
      variants.push_back(description(variant));
    return {{"protocol", "rungs-worker/1"},
            {"ladder", ladder_},
            {"build", RUNGS_BUILD_TYPE},
            {"device", device_document(device_)},
            {"machine", machine()},
            {"software", std::move(software)},
            {"environment", measuring_environment()},
            {"variants", std::move(variants)}};
  }

  Json description(const Variant& variant) const {
    const bool rung = variant.kind != Kind::peer && variant.kind != Kind::floor;
    Json object = {
        {"name", variant.name},
        {"kind", name(variant.kind)},
        {"math", name(variant.math)},
        {"order", rung ? Json(variant.order) : Json(nullptr)},
        {"after", variant.after.empty() ? Json(nullptr) : Json(variant.after)}};
    if (variant.kind == Kind::floor) {
      object["source_hash"] = variant.source_hash;
      object["work"] = words(variant.work);
    }
    if (const std::string& why = why_missing(variant); !why.empty()) {
      object["missing"] = why;
    }
    return object;
  }

  /// What of the operation's work counts, by the names that "open" gives the
  /// amounts.
  static Json words(const Work& work) {
    Json list = Json::array();
    if (work.multiply_adds) list.push_back("multiply_adds");
    if (work.input_bytes) list.push_back("input_bytes");
    if (work.output_bytes) list.push_back("output_bytes");
    return list;
  }

  Json open(const Request& request) {
    const std::vector<int> sizes = request.wholes("shape");
    if (const std::string wrong = wrong_sizes(operation_, sizes); !wrong.empty()) {
      throw Refused("\"shape\" " + wrong);
    }
    const Shape shape = operation_.shape(sizes);
    const Ranges ranges = request.ranges("ranges");
    if (const std::string wrong = wrong_ranges(operation_, ranges);
        !wrong.empty()) {
      throw Refused("\"ranges\": " + wrong);
    }
    open_.reset();
    refused_.clear();
    if (const std::string why = refuse(operation_, shape, available_memory());
        !why.empty()) {
      throw Refused(why);
    }

    const std::int64_t read = input_bytes(operation_, shape);
    const std::int64_t bytes = read + output_bytes(operation_, shape);
    in_turn_ = request.whole("buffers", 1);
    if (in_turn_ < 1) throw Refused("\"buffers\" is no positive whole number");
    const int sets = std::max(in_turn_, request.flag("cold", false)
                                            ? cold_sets(bytes, l2_cache_bytes())
                                            : 1);
    refused_ = refusals(shape);
    filled_ = with_ranges(operation_, ranges);
    open_.emplace(filled_, shape, seed_, scratch_bytes(shape), sets);
    const Json prepared = prepare_all();
    return {{"sets", sets},
            {"multiply_adds", operation_.multiply_adds == nullptr
                                  ? Json(nullptr)
                                  : Json(operation_.multiply_adds(shape))},
            {"bytes", bytes},
            {"input_bytes", read},
            {"refused", refused_},
            {"prepared", prepared}};
  }

  /// The variants that are here and cannot do `shape`, and why.
  std::map<std::string, std::string> refusals(const Shape& shape) const {
    std::map<std::string, std::string> refusals;
    for (const Variant& variant : variants_) {
      if (!why_missing(variant).empty()) continue;
      const std::string why = variant.refuse(shape);
      if (!why.empty()) refusals[variant.name] = why;
    }
    return refusals;
  }

  /// The most that a variant needs at `shape`, of those that can do it.
  std::size_t scratch_bytes(const Shape& shape) const {
    std::size_t most = 0;
    for (const Variant& variant : variants_) {
      if (variant.scratch_bytes && why_not(variant).empty()) {
        most = std::max(most, variant.scratch_bytes(shape));
      }
    }
    return most;
  }

  /// Prepares what can do the open shape. What cannot after all is refused.
  Json prepare_all() {
    Json prepared = Json::object();
    for (const Variant& variant : variants_) {
      if (!variant.prepare || !why_not(variant).empty()) continue;
      try {
        const std::string said = variant.prepare(open_->buffers(), open_->shape());
        if (!said.empty()) prepared[variant.name] = said;
      } catch (const std::exception& error) {
        if (device_is_lost()) throw;
        refused_[variant.name] = variant.name + ": " + error.what();
      }
    }
    return prepared;
  }

  Json check(const Request& request) {
    const Variant& variant = usable(request);
    std::vector<ShapeCheck> checks;
    if (request.flag("small", false)) {
      for (const std::vector<int>& sizes : operation_.small) {
        const Shape shape = operation_.shape(sizes);
        if (!variant.refuse(shape).empty()) continue;
        if (cpu_) configure_cpu_device("checks", "race,uninitialised");
        OpenShape small(operation_, shape, seed_,
                        variant.scratch_bytes ? variant.scratch_bytes(shape) : 0,
                        1);
        if (variant.prepare) variant.prepare(small.buffers(), shape);
        checks.push_back({shape, small.check(variant, stream_)});
      }
    }
    if (cpu_) configure_cpu_device("checks", "none");
    checks.push_back({open_->shape(), open_->check(variant, stream_)});
    return checked(checks);
  }

  Json write_inputs(const Request& request) {
    Json inputs = opened().write_inputs(request.text("folder"));
    return {{"inputs", std::move(inputs)}, {"outputs", open_->output_files()}};
  }

  Json compare(const Request& request) {
    return checked({{opened().shape(), opened().compare(request.text("folder"))}});
  }

  Json resources_of(const Request& request) {
    const Variant& variant = known(request);
    opened();
    if (const std::string why = why_not(variant); !why.empty()) {
      return {{"missing", why}};
    }
    Launches launches = launches_of(variant, false);
    try {
      if (!cpu_) {
        // A library may load its kernels at its first launch, and not in a capture.
        launches.next();
        launches.wait();
      }
      return resources(launches);
    } catch (const std::exception& error) {
      if (device_is_lost()) throw;
      return {{"missing", error.what()}};
    }
  }

  Json measure_one(const Request& request) {
    const Measurement asked{.instrument = request.text("instrument"),
                            .samples = request.whole("samples", 100),
                            .batch = request.whole("batch", 1)};
    if (const std::string why = refuse(asked); !why.empty()) throw Refused(why);
    const std::string cache = request.text("cache", "warm");
    if (cache != "warm" && cache != "cold") {
      throw Refused("\"cache\" is \"" + cache + "\"; there is warm and cold");
    }
    const Variant& variant = known(request);
    opened();
    if (cpu_) return {{"missing", never_times}};
    if (const std::string why = why_not(variant); !why.empty()) {
      return {{"missing", why}};
    }
    const bool cold = cache == "cold";
    if (cold && open_->sets() < 2) {
      throw Refused("the shape was opened for a warm cache alone");
    }
    const int sets = sets_of(cold);
    if (asked.instrument == "graph" && asked.batch < sets) {
      return {{"missing", "a graph of " + std::to_string(asked.batch) +
                              (asked.batch == 1 ? " launch" : " launches") +
                              " replays on as many of " + std::to_string(sets) +
                              " buffer sets, which the cache may hold"}};
    }
    return measure(asked, launches_of(variant, cold));
  }

  Json state(const Request&) {
    if (cpu_) return {{"missing", never_times}};
    return machine_state();
  }

  Json load(const Request& request) {
    using Clock = std::chrono::steady_clock;
    const double seconds = request.number("seconds", 0.5);
    if (!(seconds >= 0 && seconds <= 60)) {
      throw Refused("\"seconds\" is not between 0 and 60");
    }
    opened();
    // A floor, the last of the variants, if there is one; else a rung, the first.
    const auto can = [this](const Variant& variant) {
      return variant.kind != Kind::peer && why_not(variant).empty();
    };
    const auto last = std::find_if(variants_.rbegin(), variants_.rend(), can);
    if (last == variants_.rend()) throw Refused("no variant can run at this shape");
    const Variant& busy =
        last->kind == Kind::floor
            ? *last
            : *std::find_if(variants_.begin(), variants_.end(), can);
    Launches launches = launches_of(busy, false);
    const Clock::time_point start = Clock::now();
    do {
      for (int i = 0; i < (cpu_ ? 1 : 200); ++i) launches.next();
      launches.wait();
    } while (std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    return Json::object();
  }

  Json close(const Request&) {
    open_.reset();
    refused_.clear();
    return Json::object();
  }

  /// Buffer sets that launches take in turn.
  int sets_of(bool cold) const { return cold ? open_->sets() : in_turn_; }

  Launches launches_of(const Variant& variant, bool cold) {
    return {[this, &variant, sets = sets_of(cold)](int index, cudaStream_t stream) {
              open_->launch(variant, index % sets, stream);
            },
            stream_};
  }

  OpenShape& opened() {
    if (!open_) throw Refused("no shape is open");
    return *open_;
  }

  const Variant& known(const Request& request) const {
    const std::string asked = request.text("variant");
    std::string names;
    for (const Variant& variant : variants_) {
      if (variant.name == asked) return variant;
      names += (names.empty() ? "" : ", ") + variant.name;
    }
    throw Refused("no variant is called \"" + asked + "\"; there is " + names);
  }

  /// The variant asked for, if it can run at the open shape.
  const Variant& usable(const Request& request) {
    const Variant& variant = known(request);
    opened();
    if (const std::string why = why_not(variant); !why.empty()) throw Refused(why);
    return variant;
  }

  std::string why_missing(const Variant& variant) const {
    const auto found = missing_.find(variant.name);
    return found == missing_.end() ? "" : found->second;
  }

  /// Why it cannot run at the open shape; empty if it can.
  std::string why_not(const Variant& variant) const {
    const auto found = refused_.find(variant.name);
    return found == refused_.end() ? why_missing(variant) : found->second;
  }

  static std::int64_t l2_cache_bytes() {
    int bytes = 0;
    require(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0),
            "cudaDeviceGetAttribute");
    return bytes;
  }

  std::string ladder_;
  const Operation& operation_;
  std::uint64_t seed_;
  Device device_;
  bool cpu_;
  std::vector<Variant> variants_;
  std::map<std::string, std::string> missing_ = {};  // by variant
  std::map<std::string, std::string> refused_ = {};  // at the open shape
  Operation filled_ = {};  // with the ranges that the open shape was asked for
  std::optional<OpenShape> open_ = {};
  int in_turn_ =
      1;  // buffer sets that warm launches at the open shape take in turn
  // Not the default stream, which cannot be captured and waits for others.
  OwnStream stream_ = {};
};

Json error_answer(std::string sentence) {
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  return {{"error", std::move(sentence)}};
}

Json answer(Worker& worker, const std::string& line) {
  try {
    return worker.answer(Request(line));
  } catch (const CudaError& error) {
    const std::string fault = last_fault();
    return error_answer(error.what() + (fault.empty() ? "" : ": " + fault));
  } catch (const std::bad_alloc&) {
    return error_answer("there is not enough memory");
  } catch (const std::exception& error) {
    return error_answer(error.what());
  }
}

}  // namespace

Exit run_worker(const Options& options, const Device& device) {
  const Answers answers;
  Worker worker(options, device);
  for (std::string line; std::getline(std::cin, line);) {
    const Json said = answer(worker, line);
    answers.write(said);
    if (said.contains("error") && device_is_lost()) return Exit::check_failed;
  }
  return Exit::good;
}

}  // namespace rungs
