#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace rungs {

/// A kernel's name as its source has it, with namespaces, template arguments and
/// parameters; what is not a mangled name stays as it is.
inline std::string kernel_name(const char* mangled) {
  if (mangled == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable{
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free};
  return status == 0 ? readable.get() : mangled;
}

}  // namespace rungs
