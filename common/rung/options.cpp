#include "rung/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>

#include "rung/stop.hpp"

namespace rungs {
namespace {

std::string join(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : separator) + word;
  return text;
}

/// A whole number, in digits and nothing else, whatever the locale.
template <class Number>
Number parse_whole(const std::string& option, const std::string& text,
                   Number most) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    throw Stop(Exit::wrong_use, option + " = " + text +
                                    " is out of range; at most " +
                                    std::to_string(most) + " is possible");
  }
  if (error != std::errc() || rest != end) {
    throw Stop(Exit::wrong_use,
               option + " = \"" + text +
                   "\" is not a whole number in digits, such as 1024");
  }
  return value;
}

int parse_size(const std::string& text, const std::string& name) {
  const int size =
      parse_whole("--shape: " + name, text, std::numeric_limits<int>::max());
  if (size <= 0) {
    throw Stop(Exit::wrong_use, "--shape: " + name + " = " + text +
                                    " is not a size; give at least 1");
  }
  return size;
}

std::vector<const Rung*> choose(const std::vector<std::string>& names,
                                const std::vector<const Rung*>& rungs) {
  if (names.empty()) return rungs;
  std::vector<std::string> known;
  for (const Rung* rung : rungs) known.push_back(rung->key().rung);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Stop(Exit::wrong_use, "--rung: no rung is called \"" + name +
                                      "\"; there is " + join(known, ", "));
    }
  }
  std::vector<const Rung*> chosen;
  std::copy_if(rungs.begin(), rungs.end(), std::back_inserter(chosen),
               [&names](const Rung* rung) {
                 return std::find(names.begin(), names.end(), rung->key().rung) !=
                        names.end();
               });
  return chosen;
}

void refuse_what_cannot_be(const Options& options) {
  const Rung& first = *options.rungs.front();
  const bool several = options.rungs.size() > 1;
  const std::string who = several ? first.key().ladder : first.key().text();
  std::string why = refuse(first.operation(), options.shape, available_memory());
  if (!why.empty()) throw Stop(Exit::wrong_use, who + ": " + why);

  std::vector<SizeRule> rules;
  for (const Rung* rung : options.rungs)
    rules = combine(rules, rung->description().sizes);
  why = refuse(who, rules, options.shape);
  if (!why.empty()) throw Stop(Exit::wrong_use, why);
}

}  // namespace

Shape parse_shape(const std::string& text, const Operation& operation) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() != operation.sizes.size()) {
    throw Stop(
        Exit::wrong_use, "--shape: \"" + text + "\" is not " +
                             join(operation.sizes, ",") + ", such as " +
                             [&operation] {
                               std::vector<std::string> full;
                               for (const int size : operation.full) {
                                 full.push_back(std::to_string(size));
                               }
                               return join(full, ",");
                             }());
  }
  std::vector<int> sizes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sizes.push_back(parse_size(parts[i], operation.sizes[i]));
  }
  return operation.shape(sizes);
}

Options parse_options(int argc, const char* const argv[],
                      const std::vector<const Rung*>& rungs) {
  const Operation& operation = rungs.front()->operation();
  const bool ladder = rungs.size() > 1;
  const std::string what =
      ladder ? rungs.front()->key().ladder : rungs.front()->key().text();

  Options options;
  std::string device;
  std::string seed = "1";
  std::string shape;
  std::vector<std::string> names;
  bool count = false;

  CLI::App app{"Runs " + what +
               ": checks it against a float64 reference, and counts."};
  app.set_version_flag("--version", "rungs " RUNGS_VERSION ", " + what,
                       "Print the version and exit");
  app.get_help_ptr()->description("Print this and exit");
  app.add_option(
         "--device", device,
         "auto: a GPU if there is one that this build has code for, else the CPU "
         "device; gpu; cpu")
      ->check(CLI::IsMember({"auto", "gpu", "cpu"}));
  app.add_option("--shape", shape, "Sizes " + join(operation.sizes, ","));
  app.add_option("--seed", seed, "Seed of the inputs (1)");
  app.add_option("--threads", options.threads, "Host threads of the CPU device")
      ->check(CLI::Range(1, 1024));
  app.add_option("--json", options.json, "Write the results to FILE, - for stdout")
      ->type_name("FILE");
  if (ladder) {
    app.add_option("--rung", names, "Only this rung; can be given again")
        ->type_name("NAME");
  }
  std::vector<CLI::Option*> actions;  // at most one of them
  const auto exclusive = [&actions](CLI::Option* option) {
    for (CLI::Option* other : actions) option->excludes(other);
    actions.push_back(option);
  };
  exclusive(app.add_flag(
      "--counts", count,
      "Check, then count: on the CPU device, even where there is a GPU"));
  const auto add_action = [&](const char* flag, Action action,
                              const char* description) {
    exclusive(app.add_flag_callback(
        flag, [&options, action] { options.action = action; }, description));
  };
  add_action("--check", Action::check, "Check, and do not count");
  add_action("--profile", Action::profile,
             "Launch once at the full shape, without a check, for a profiler");
  add_action("--list", Action::list, "Name the rungs and exit");
  add_action("--describe", Action::describe,
             "Print what is known of the rungs as JSON and exit");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    app.exit(request);
    throw Stop(Exit::good, "");
  } catch (const CLI::ParseError& error) {
    std::string sentence = error.what();
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    throw Stop(Exit::wrong_use, sentence + "; --help lists what there is");
  }
  if (device == "gpu") options.device = DeviceKind::gpu;
  if (device == "cpu") options.device = DeviceKind::cpu;
  if (count) {
    if (options.device == DeviceKind::gpu) {
      throw Stop(
          Exit::wrong_use,
          "--counts: a GPU does not count; leave out --device gpu, or --counts");
    }
    options.device = DeviceKind::cpu;
  }
  options.seed =
      parse_whole("--seed", seed, std::numeric_limits<std::uint64_t>::max());
  options.rungs = choose(names, rungs);
  options.shape = shape.empty() ? operation.shape(operation.full)
                                : parse_shape(shape, operation);
  refuse_what_cannot_be(options);
  return options;
}

}  // namespace rungs
