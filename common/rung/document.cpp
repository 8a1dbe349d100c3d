#include "rung/document.hpp"

#include <cmath>

namespace rungs {
namespace {

Json because(const Rung& rung) {
  Json list = Json::array();
  for (const Because& one : rung.description().because) {
    list.push_back({{"model", one.model}, {"why", one.why}});
  }
  return list;
}

Json argued(const Rung& rung) {
  Json object = Json::object();
  for (const Argued& one : rung.description().argued) {
    const auto whole = static_cast<std::int64_t>(one.value);
    const bool is_whole = static_cast<double>(whole) == one.value;
    object[one.quantity] = is_whole ? Json(whole) : Json(one.value);
  }
  return object;
}

/// What is known of a rung before it runs, without its counts.
Json description(const Rung& rung, const MachineCode& code) {
  const std::string& after = rung.description().after;
  Json object = {
      {"name", rung.key().rung},
      {"key", rung.key().text()},
      {"order", rung.key().order},
      {"after", after.empty() ? Json(nullptr) : Json(after)},
      {"kind", name(rung.description().kind)},
      {"because", because(rung)},
      {"source_hash", code.source_hash},
      {"compiler", code.compiler},
  };
  if (!code.missing.empty()) object["machine_code_missing"] = code.missing;
  return object;
}

Json check(const Result& result) {
  Json object = {{"passed", result.passed()},
                 {"shapes", shape_checks(result.checks)}};
  if (!result.error.empty()) {
    object["error"] = result.error;
    object["cannot_run"] = result.cannot_run;
    if (!result.stopped_by.empty()) object["stopped_by"] = result.stopped_by;
  }
  return object;
}

Json head(const Options& options) {
  return {{"schema", "rungs-run/1"},
          {"ladder", options.rungs.front()->key().ladder},
          {"shape", sizes(options.shape)},
          {"seed", options.seed}};
}

}  // namespace

Json sizes(const Shape& shape) {
  Json object = Json::object();
  for (std::size_t i = 0; i < shape.names().size(); ++i) {
    object[shape.names()[i]] = shape.sizes()[i];
  }
  return object;
}

Json device_document(const Device& device) {
  return {{"kind", device.kind == DeviceKind::gpu ? "gpu" : "cpu"},
          {"name", device.name},
          {"reason", device.reason}};
}

Json shape_checks(const std::vector<ShapeCheck>& checks) {
  Json shapes = Json::array();
  for (const ShapeCheck& check : checks) {
    const Comparison& found = check.comparison;
    const double error = found.max_relative_error;
    shapes.push_back({
        {"shape", sizes(check.shape)},
        {"passed", found.passed},
        {"max_relative_error", std::isfinite(error) ? Json(error) : Json(nullptr)},
        {"tolerance", found.tolerance},
        {"message", found.message},
    });
  }
  return shapes;
}

Json run_document(const Options& options, const Device& device,
                  const std::vector<Result>& results) {
  Json document = head(options);
  document["device"] = device_document(device);
  Json rungs = Json::array();
  for (const Result& result : results) {
    const MachineCode code =
        read_machine_code(program_folder(), result.rung->key());
    Json rung = description(*result.rung, code);
    rung["check"] = check(result);
    rung["counts"] = {
        {"argued", argued(*result.rung)},
        {"ptx", result.counts.empty() ? Json(nullptr) : ptx_counts(result.counts)},
        {"sass", code.counts}};
    rungs.push_back(std::move(rung));
  }
  document["rungs"] = std::move(rungs);
  return document;
}

Json describe_document(const Options& options) {
  Json document = head(options);
  Json rungs = Json::array();
  for (const Rung* known : options.rungs) {
    const MachineCode code = read_machine_code(program_folder(), known->key());
    Json rung = description(*known, code);
    rung["counts"] = {{"argued", argued(*known)}, {"sass", code.counts}};
    rungs.push_back(std::move(rung));
  }
  document["rungs"] = std::move(rungs);
  return document;
}

}  // namespace rungs
