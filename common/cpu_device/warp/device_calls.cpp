#include "cpu_device/warp/device_calls.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "cpu_device/warp/memory_path.hpp"

namespace rungs::cpu_device {
namespace {

// A byte of device memory by generic address; false outside of anything.
bool read_byte(const Warp& warp, uint32_t lane, uint64_t address,
               std::byte* value) {
  if (address - local_window < window_bytes) {
    const uint64_t offset = address - local_window;
    const uint32_t size = warp.block->program->local_bytes;
    if (offset >= size) return false;
    *value = warp.local[size_t{lane} * size + offset];
    return true;
  }
  if (address - shared_window < window_bytes) {
    const uint64_t offset = address - shared_window;
    if (offset >= warp.block->shared.size()) return false;
    *value = warp.block->shared[offset];
    return true;
  }
  const auto allocation = warp.block->memory->find(address);
  if (!allocation) return false;
  *value = *reinterpret_cast<const std::byte*>(
      address + static_cast<uint64_t>(allocation->host_offset));
  return true;
}

std::string read_text(const Warp& warp, uint32_t lane, uint64_t address) {
  std::string text;
  std::byte value;
  while (text.size() < 4096 && read_byte(warp, lane, address++, &value) &&
         value != std::byte{0}) {
    text += static_cast<char>(value);
  }
  return text;
}

/// Takes arguments out of the buffer that the compiler fills: each aligned to its
/// size.
class Arguments {
 public:
  Arguments(const Warp& warp, uint32_t lane, uint64_t address)
      : warp_(warp), lane_(lane), address_(address) {}
  template <class T>
  T next() {
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    std::byte bytes[sizeof(T)] = {};
    for (std::byte& byte : bytes) read_byte(warp_, lane_, address_++, &byte);
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }

 private:
  const Warp& warp_;
  uint32_t lane_;
  uint64_t address_;
};

template <class T>
std::string with_format(const std::string& format, T value) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, format.c_str(), value);
  return std::string(text,
                     length < 0 ? 0 : std::min<size_t>(length, sizeof text - 1));
}

// One conversion, its length modifiers already removed from `flags`.
std::string convert(const Warp& warp, uint32_t lane, const std::string& flags,
                    bool is_long, char conversion, Arguments& arguments) {
  switch (conversion) {
    case 'd':
    case 'i':
      return is_long ? with_format(flags + PRId64, arguments.next<int64_t>())
                     : with_format(flags + "d", arguments.next<int32_t>());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return is_long
                 ? with_format(
                       flags + "ll" + conversion,
                       static_cast<unsigned long long>(arguments.next<uint64_t>()))
                 : with_format(flags + conversion, arguments.next<uint32_t>());
    case 'c':
      return with_format(flags + "c", arguments.next<int32_t>());
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return with_format(flags + conversion, arguments.next<double>());
    case 'p':
      return with_format(flags + "p",
                         reinterpret_cast<void*>(arguments.next<uint64_t>()));
    case 's': {
      const uint64_t address = arguments.next<uint64_t>();
      const std::string text =
          address == 0 ? "(null)" : read_text(warp, lane, address);
      return with_format(flags + "s", text.c_str());
    }
    default:
      return flags + conversion;
  }
}

std::string format_text(const Warp& warp, uint32_t lane, const std::string& format,
                        Arguments arguments, int32_t* count) {
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out += '%';
      ++i;
      continue;
    }
    std::string flags = "%";
    bool is_long = false;
    for (++i; i < format.size(); ++i) {
      const char c = format[i];
      if (c == '*')
        flags += std::to_string(arguments.next<int32_t>());
      else if (c == 'l' || c == 'j' || c == 'z' || c == 't')
        is_long = true;
      else if (c != 'h' && c != 'L' && std::strchr("0123456789.+-# ", c) == nullptr)
        break;
      else if (c != 'h' && c != 'L')
        flags += c;
    }
    if (i >= format.size()) break;
    out += convert(warp, lane, flags, is_long, format[i], arguments);
    ++*count;
  }
  return out;
}

// vprintf(format, arguments) returns the number of arguments.
void print(Warp& warp, const Instruction& in, uint32_t mask) {
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    const std::string format = read_text(warp, lane, warp.doubles(in.a)[lane]);
    int32_t count = 0;
    const std::string text =
        format_text(warp, lane, format,
                    Arguments(warp, lane, warp.doubles(in.b)[lane]), &count);
    if (warp.block->launch->print) warp.block->launch->print(text);
    if (in.d != absent) warp.words(in.d)[lane] = static_cast<uint32_t>(count);
  }
}

// __assertfail(expression, file, line, function, character size)
void fail_assertion(Warp& warp, const Instruction& in, uint32_t mask) {
  const uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
  const std::string file = read_text(warp, lane, warp.doubles(in.b)[lane]);
  const size_t slash = file.find_last_of('/');
  warp.block->fault(
      FaultKind::assertion, warp, in, lane,
      "the assertion '" + read_text(warp, lane, warp.doubles(in.a)[lane]) +
          "' fails at " +
          (slash == std::string::npos ? file : file.substr(slash + 1)) + ":" +
          std::to_string(warp.words(in.c)[lane]));
}

}  // namespace

bool decode_builtin_call(Builder& b, std::string_view name,
                         const std::vector<uint32_t>& arguments, uint32_t result) {
  Instruction in = b.make();
  if (name == "vprintf" && arguments.size() == 2) {
    b.read_value(in, in.a, arguments[0]);
    b.read_value(in, in.b, arguments[1]);
    if (result != absent) b.write_value(in, in.d, result);
    in.full = in.partial = &print;
  } else if (name == "__assertfail" && arguments.size() == 5) {
    b.read_value(in, in.a, arguments[0]);
    b.read_value(in, in.b, arguments[1]);
    b.read_value(in, in.c, arguments[2]);
    in.full = in.partial = &fail_assertion;
  } else {
    return false;
  }
  b.append(in, InstructionClass::control);
  return true;
}

}  // namespace rungs::cpu_device
