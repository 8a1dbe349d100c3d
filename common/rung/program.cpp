#include "rung/program.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "rung/cuda_error.hpp"
#include "rung/document.hpp"
#include "rung/output_file.hpp"
#include "rung/report.hpp"
#include "rung/stop.hpp"
#include "rung/worker.hpp"

namespace rungs {
namespace {

/// A check that failed outranks a rung that could not run.
Exit worst(Exit so_far, const Result& result) {
  if (result.passed() || so_far == Exit::check_failed) return so_far;
  return result.cannot_run ? Exit::cannot_run : Exit::check_failed;
}

void write_document(const std::string& path, const Json& document) {
  if (path.empty() || path == "-") {
    Report output(stdout);
    output.line(document.dump(1));
    output.finish();
  } else {
    write_whole(path, document.dump(1) + "\n");
  }
}

void list(const Options& options) {
  Report output(stdout);
  for (const Rung* rung : options.rungs) {
    const std::string& after = rung->description().after;
    output.line(rung->key().text() + "  " +
                std::string(name(rung->description().kind)) +
                (after.empty() ? "" : ", after " + after));
  }
  output.finish();
}

Exit run(const Options& options, char* argv[]) {
  if (!options.json.empty() && options.json != "-") require_writable(options.json);
  const Device device = choose_device(options.device, options.threads, argv);

  Report report(options.json == "-" ? stderr : stdout);
  report.device(device);
  Runner runner(options, device);
  Exit code = Exit::good;
  std::vector<Result> results;
  for (const Rung* rung : options.rungs) {
    if (options.action == Action::profile) {
      runner.profile(*rung);
      report.line(rung->key().text() + "\n  launched once at " +
                  options.shape.text());
    } else {
      results.push_back(runner.check(*rung));
      report.check(results.back());
      if (results.back().passed() && options.action != Action::check) {
        report.counts(results.back(),
                      read_machine_code(program_folder(), rung->key()));
      }
      code = worst(code, results.back());
    }
  }
  const bool any_stopped =
      std::any_of(results.begin(), results.end(),
                  [](const Result& result) { return !result.stopped_by.empty(); });
  if (any_stopped)
    report.line("Each rung that was not run runs alone: --rung NAME");
  if (!options.json.empty()) {
    write_document(options.json, run_document(options, device, results));
  }
  report.finish();
  return code;
}

Exit act(const Options& options, char* argv[]) {
  switch (options.action) {
    case Action::list:
      list(options);
      return Exit::good;
    case Action::describe:
      write_document(options.json, describe_document(options));
      return Exit::good;
    case Action::worker:
      return run_worker(options,
                        choose_device(options.device, options.threads, argv));
    default:
      return run(options, argv);
  }
}

}  // namespace

int run_program(int argc, char* argv[]) {
  restore_environment();
  // A parent may have chosen otherwise, Python does: end quietly when a reader goes
  // away.
  std::signal(SIGPIPE, SIG_DFL);
  try {
    return static_cast<int>(
        act(parse_options(argc, argv, registered_rungs()), argv));
  } catch (const Stop& stop) {
    if (*stop.what() != '\0') std::fprintf(stderr, "%s\n", stop.what());
    return static_cast<int>(stop.code());
  } catch (const CudaError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(Exit::cannot_run);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "not enough memory; give smaller sizes by --shape\n");
    return static_cast<int>(Exit::cannot_run);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(Exit::check_failed);
  }
}

}  // namespace rungs
