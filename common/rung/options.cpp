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
  for (const std::string& word : words) {
    text += (text.empty() ? "" : separator) + word;
  }
  return text;
}

/// Sizes as --shape takes them: 1024,1024,1024.
std::string join(const std::vector<int>& sizes) {
  std::vector<std::string> words;
  for (const int size : sizes) words.push_back(std::to_string(size));
  return join(words, ",");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
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

int parse_size(const std::string& text, const std::string& name, int least) {
  const int size =
      parse_whole("--shape: " + name, text, std::numeric_limits<int>::max());
  if (size < least) {
    throw Stop(Exit::wrong_use, "--shape: " + name + " = " + text +
                                    " is not a size; give at least " +
                                    std::to_string(least));
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
  for (const Rung* rung : options.rungs) {
    rules = combine(rules, rung->description().sizes);
  }
  why = refuse(who, rules, options.shape);
  if (!why.empty()) throw Stop(Exit::wrong_use, why);
}

/// A number with or without a point and an exponent, whatever the locale.
float parse_number(const std::string& text, const std::string& range) {
  float value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) {
    throw Stop(Exit::wrong_use, "--range: \"" + range +
                                    "\" is not INPUT=LOW:HIGH, such as X=9.5:10.5");
  }
  return value;
}

Ranges parse_ranges(const std::vector<std::string>& words,
                    const Operation& operation) {
  Ranges ranges;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::vector<std::string> ends =
        split(equals == std::string::npos ? "" : word.substr(equals + 1), ':');
    const Range range = {parse_number(ends[0], word),
                         parse_number(ends.size() == 2 ? ends[1] : "", word)};
    if (!ranges.emplace(name, range).second) {
      throw Stop(Exit::wrong_use, "--range: " + name + " stands twice");
    }
  }
  if (const std::string why = wrong_ranges(operation, ranges); !why.empty()) {
    throw Stop(Exit::wrong_use, "--range: " + why);
  }
  return ranges;
}

/// What has no inputs, or writes a document that does not say them, takes no range.
void refuse_idle_ranges(const Options& options) {
  if (options.ranges.empty()) return;
  const bool checks = options.action == Action::check_and_count ||
                      options.action == Action::count ||
                      options.action == Action::check;
  if (!checks || !options.json.empty()) {
    throw Stop(Exit::wrong_use,
               "--range is for a check that is printed; leave out what else is "
               "asked for");
  }
}

/// Adds the flags that say what to do, of which at most one is given.
void add_actions(CLI::App& app, Options& options) {
  struct Flag {
    const char* name;
    Action action;
    const char* description;
  };
  constexpr Flag flags[] = {
      {"--counts", Action::count,
       "Check, then count: on the CPU device, even where there is a GPU"},
      {"--check", Action::check, "Check, and do not count"},
      {"--profile", Action::profile,
       "Launch once at the full shape, without a check, for a profiler"},
      {"--list", Action::list, "Name the rungs and exit"},
      {"--describe", Action::describe,
       "Print what is known of the rungs as JSON and exit"},
      {"--worker", Action::worker, "Answer requests on stdin, for ./course bench"},
  };
  std::vector<CLI::Option*> added;
  for (const Flag& flag : flags) {
    CLI::Option* const option = app.add_flag_callback(
        flag.name, [&options, action = flag.action] { options.action = action; },
        flag.description);
    for (CLI::Option* other : added) option->excludes(other);
    added.push_back(option);
  }
}

void parse(CLI::App& app, int argc, const char* const argv[]) {
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
}

/// The device that the words and the action together ask for.
DeviceKind chosen_device(const std::string& word, Action action) {
  if (word == "gpu" && action == Action::count) {
    throw Stop(
        Exit::wrong_use,
        "--counts: a GPU does not count; leave out --device gpu, or --counts");
  }
  if (word == "gpu") return DeviceKind::gpu;
  if (word == "cpu" || action == Action::count) return DeviceKind::cpu;
  return DeviceKind::automatic;
}

}  // namespace

Shape parse_shape(const std::string& text, const Operation& operation) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != operation.sizes.size()) {
    throw Stop(Exit::wrong_use, "--shape: \"" + text + "\" is not " +
                                    join(operation.sizes, ",") + ", such as " +
                                    join(operation.full));
  }
  std::vector<int> sizes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sizes.push_back(
        parse_size(parts[i], operation.sizes[i], operation.least_of(i)));
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
  std::string device = "auto";
  std::string seed = "1";
  std::string shape = join(operation.full);
  std::vector<std::string> names;
  std::vector<std::string> ranges;

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
  app.add_option("--shape", shape,
                 "Sizes " + join(operation.sizes, ",") + " (" + shape + ")");
  app.add_option("--seed", seed, "Seed of the inputs (" + seed + ")");
  app.add_option("--range", ranges,
                 "Fill an input evenly over LOW to HIGH, and check the full shape "
                 "alone; can be given again")
      ->type_name("INPUT=LOW:HIGH");
  app.add_option("--threads", options.threads, "Host threads of the CPU device")
      ->check(CLI::Range(1, 1024));
  app.add_option("--json", options.json, "Write the results to FILE, - for stdout")
      ->type_name("FILE");
  if (ladder) {
    app.add_option("--rung", names, "Only this rung; can be given again")
        ->type_name("NAME");
  }
  add_actions(app, options);
  parse(app, argc, argv);

  options.device = chosen_device(device, options.action);
  options.seed =
      parse_whole("--seed", seed, std::numeric_limits<std::uint64_t>::max());
  options.rungs = choose(names, rungs);
  options.ranges = parse_ranges(ranges, operation);
  refuse_idle_ranges(options);
  options.shape = parse_shape(shape, operation);
  if (options.action == Action::profile && !options.json.empty()) {
    throw Stop(Exit::wrong_use,
               "--profile has no results to write; leave out --json");
  }
  if (options.action == Action::worker) {
    for (const char* name : {"--json", "--rung", "--shape"}) {
      const CLI::Option* const option = app.get_option_no_throw(name);
      if (option != nullptr && !option->empty()) {
        throw Stop(Exit::wrong_use,
                   "--worker is told shapes and rungs by its "
                   "requests; leave out " +
                       std::string(name));
      }
    }
    return options;
  }
  refuse_what_cannot_be(options);
  return options;
}

}  // namespace rungs
