#include "rung/request.hpp"

#include <algorithm>
#include <limits>

namespace rungs {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& what) {
  throw Refused("\"" + std::string(name) + "\" " + what);
}

bool is_int(const Json& value) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>() <=
           static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  }
  return value.get<std::int64_t>() >= std::numeric_limits<int>::min();
}

}  // namespace

Request::Request(const std::string& line) {
  object_ = Json::parse(line, nullptr, false);
  if (object_.is_discarded()) throw Refused("the request is not one line of JSON");
  if (!object_.is_object()) throw Refused("the request is not a JSON object");
}

const Json* Request::find(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

std::string Request::text(const char* name) const {
  const Json* const value = find(name);
  if (value == nullptr) refuse(name, "is missing in the request");
  if (!value->is_string()) refuse(name, "is not a string");
  return value->get<std::string>();
}

std::string Request::text(const char* name, const std::string& otherwise) const {
  return find(name) == nullptr ? otherwise : text(name);
}

int Request::whole(const char* name, int otherwise) const {
  const Json* const value = find(name);
  if (value == nullptr) return otherwise;
  if (!is_int(*value)) refuse(name, "is not a whole number");
  return value->get<int>();
}

double Request::number(const char* name, double otherwise) const {
  const Json* const value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_number()) refuse(name, "is not a number");
  return value->get<double>();
}

bool Request::flag(const char* name, bool otherwise) const {
  const Json* const value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) refuse(name, "is neither true nor false");
  return value->get<bool>();
}

std::vector<int> Request::wholes(const char* name) const {
  const Json* const value = find(name);
  if (value == nullptr) refuse(name, "is missing in the request");
  if (!value->is_array()) refuse(name, "is not a list of whole numbers");
  std::vector<int> list;
  for (const Json& one : *value) {
    if (!is_int(one)) refuse(name, "is not a list of whole numbers");
    list.push_back(one.get<int>());
  }
  return list;
}

Ranges Request::ranges(const char* name) const {
  const Json* const value = find(name);
  if (value == nullptr) return {};
  const auto is_range = [](const Json& one) {
    return one.is_array() && one.size() == 2 && one[0].is_number() &&
           one[1].is_number();
  };
  if (!value->is_object() || !std::all_of(value->begin(), value->end(), is_range)) {
    refuse(name, "is not ranges such as {\"X\": [0, 1]}");
  }
  Ranges found;
  for (const auto& [input, range] : value->items()) {
    found[input] = {range[0].get<float>(), range[1].get<float>()};
  }
  return found;
}

}  // namespace rungs
