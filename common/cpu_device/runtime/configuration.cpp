#include "cpu_device/runtime/configuration.hpp"

#include <charconv>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "cpu_device/runtime/failure.hpp"
#include "cpu_device/runtime/refusal.hpp"

namespace rungs::cpu_device {
namespace {

constexpr unsigned most_threads = 1024;

/// The whole of the text as a number, or 0.
uint64_t positive_number(const std::string& text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? value : 0;
}

/// \return false for a word that is no check
bool parse_checks(const std::string& text, Checks& checks) {
  Checks result;
  std::istringstream words(text);
  std::string word;
  bool any = false;
  while (std::getline(words, word, ',')) {
    any = true;
    if (word == "all") {
      result = {.races = true, .uninitialised = true};
    } else if (word == "race") {
      result.races = true;
    } else if (word == "uninitialised") {
      result.uninitialised = true;
    } else if (word != "none") {
      return false;
    }
  }
  if (any) checks = result;
  return any;
}

}  // namespace

std::string Configuration::set(const std::string& key, const std::string& value) {
  if (key == "threads") {
    const uint64_t number = positive_number(value);
    if (number == 0 || number > most_threads) {
      return "threads = '" + value + "' is not a number from 1 to " +
             std::to_string(most_threads);
    }
    threads = static_cast<unsigned>(number);
  } else if (key == "checks") {
    if (!parse_checks(value, checks)) {
      return "checks = '" + value +
             "' is neither none nor all nor a list of race and uninitialised";
    }
  } else if (key == "budget") {
    const uint64_t number = positive_number(value);
    if (number == 0) return "budget = '" + value + "' is not a positive number";
    budget = number;
  } else {
    return "there is no option '" + key + "'; there are threads, checks and budget";
  }
  return "";
}

Configuration Configuration::from_environment() {
  Configuration result;
  result.threads = std::thread::hardware_concurrency();
  if (result.threads == 0) result.threads = 1;
  if (result.threads > most_threads) result.threads = most_threads;
  constexpr struct {
    const char *variable, *key;
  } options[] = {{"RUNGS_CPU_DEVICE_THREADS", "threads"},
                 {"RUNGS_CPU_DEVICE_CHECKS", "checks"},
                 {"RUNGS_CPU_DEVICE_BUDGET", "budget"}};
  for (const auto& option : options) {
    const char* const value = std::getenv(option.variable);
    if (!value) continue;
    const std::string error = result.set(option.key, value);
    if (!error.empty()) {
      write_note(std::string(option.variable) + ": " + error);
      end_process(2);
    }
  }
  if (const char* const file = std::getenv("RUNGS_CPU_DEVICE_REPORT")) {
    result.report = file;
  }
  return result;
}

}  // namespace rungs::cpu_device
