/// \file
/// mov, cvta, isspacep and the moves that decoding adds (PTX ISA, "Data Movement
/// and Conversion Instructions").
#include "cpu_device/warp/lanewise.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Operand;
using ptx::Type;

void copy_predicate(Warp& warp, const Instruction& in, uint32_t mask) {
  uint32_t& d = warp.predicate(in.d);
  d = (d & ~mask) | (warp.predicate(in.a) & mask);
}

template <class T>
void bind_copy(Instruction& in) {
  bind<T, T>(in, [](T x) { return x; });
}

// The type of a vector element of so many bytes.
Type element_type(uint32_t bytes) {
  return bytes == 4   ? Type::b32
         : bytes == 2 ? Type::b16
         : bytes == 1 ? Type::b8
                      : Type::none;
}

// mov.b64 d, {lo, hi} and the like: elements from the least significant up.
void pack(Builder& b, Type type, const Operand& vector) {
  const size_t count = vector.elements.size();
  const uint32_t element =
      count == 0 ? 0 : ptx::bytes_of(type) / static_cast<uint32_t>(count);
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0), type);
  const Type type_of_part = element_type(element);
  if (type_of_part == Type::none) b.unsupported();
  if (count > 4) b.unsupported();
  uint32_t* fields[] = {&in.a, &in.b, &in.c, &in.e};
  for (size_t i = 0; i < count; ++i)
    b.read(in, *fields[i], vector.elements[i], type_of_part);
  in.detail = static_cast<uint16_t>(element);
  bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
    const uint32_t sources[] = {i.a, i.b, i.c, i.e};
    const uint32_t bits = 8u * i.detail;
    const uint64_t low = bits == 32 ? 0xFFFFFFFFull : (1ull << bits) - 1;
    const bool is_wide = i.immediate != 0;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      uint64_t value = 0;
      for (uint32_t part = 0; part < 4 && sources[part] != absent; ++part) {
        value |= (warp.words(sources[part])[lane] & low) << part * bits;
      }
      if (is_wide)
        warp.doubles(i.d)[lane] = value;
      else
        warp.words(i.d)[lane] = static_cast<uint32_t>(value);
    }
  });
  in.immediate = ptx::bytes_of(type) == 8;
  finish(b, in, InstructionClass::move);
}

void unpack(Builder& b, Type type, const Operand& vector) {
  const size_t count = vector.elements.size();
  const uint32_t element =
      count == 0 ? 0 : ptx::bytes_of(type) / static_cast<uint32_t>(count);
  const Type type_of_part = element_type(element);
  if (type_of_part == Type::none || count > 4) b.unsupported();
  Instruction in = b.make();
  uint32_t* fields[] = {&in.d, &in.b, &in.c, &in.e};
  b.read(in, in.a, b.operand(1), type);
  for (size_t i = 0; i < count; ++i)
    b.write(in, *fields[i], vector.elements[i], type_of_part);
  in.detail = static_cast<uint16_t>(element);
  in.immediate = ptx::bytes_of(type) == 8;
  bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
    const uint32_t results[] = {i.d, i.b, i.c, i.e};
    const uint32_t bits = 8u * i.detail;
    const uint64_t low = bits == 32 ? 0xFFFFFFFFull : (1ull << bits) - 1;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const uint64_t value =
          i.immediate ? warp.doubles(i.a)[lane] : uint64_t{warp.words(i.a)[lane]};
      for (uint32_t p = 0; p < 4 && results[p] != absent; ++p) {
        warp.words(results[p])[lane] =
            static_cast<uint32_t>(value >> p * bits & low);
      }
    }
  });
  finish(b, in, InstructionClass::move);
}

// clock, clock64, globaltimer: there is no time here that means anything. The
// counter only grows, so that loops which wait for time to pass do end.
void read_clock(Builder& b, Type type) {
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0), type);
  in.immediate = ptx::bytes_of(type) == 8;
  bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
    warp.ticks += 64;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      if (i.immediate)
        warp.doubles(i.d)[lane] = warp.ticks;
      else
        warp.words(i.d)[lane] = static_cast<uint32_t>(warp.ticks);
    }
  });
  finish(b, in, InstructionClass::move);
}

void move(Builder& b) {
  const Type type = b.take_type();
  if (type == Type::none || ptx::bytes_of(type) > 8) b.unsupported();
  const Operand& source = b.operand(1);
  if (source.kind == Operand::Kind::vector) return pack(b, type, source);
  if (b.operand(0).kind == Operand::Kind::vector)
    return unpack(b, type, b.operand(0));
  if (source.kind == Operand::Kind::special &&
      (source.text.starts_with("%clock") ||
       source.text.starts_with("%globaltimer"))) {
    return read_clock(b, type);
  }
  Instruction in = operands_of(b, type, 1);
  if (type == Type::pred)
    bind_handler(in, &copy_predicate);
  else if (ptx::bytes_of(type) == 8)
    bind_copy<uint64_t>(in);
  else
    bind_copy<uint32_t>(in);
  finish(b, in, InstructionClass::move);
}

// cvta: between generic addresses and those of one space. Global and constant
// addresses are generic already.
uint64_t window_of(std::string_view space) {
  return space == "shared" || space == "shared::cta" ? shared_window
         : space == "local"                          ? local_window
                                                     : 0;
}

void convert_address(Builder& b) {
  const bool to_space = b.take("to");
  const Type type = b.take_type();
  if (b.rest().size() != 1) b.unsupported();
  const std::string_view space = b.rest()[0];
  if (!b.take("global") && !b.take("shared") && !b.take("shared::cta") &&
      !b.take("local") && !b.take("const")) {
    b.unsupported();
  }
  const uint64_t window = window_of(space);
  Instruction in = operands_of(b, type, 1);
  if (ptx::bytes_of(type) != 8) b.unsupported();
  b.read_value(in, in.b, b.constant(to_space ? 0 - window : window, true));
  bind<uint64_t, uint64_t, uint64_t>(in,
                                     [](uint64_t x, uint64_t y) { return x + y; });
  finish(b, in, InstructionClass::move);
}

enum class Window : uint16_t { global, shared, local, constant };

Window window_at(const Warp& warp, uint64_t address) {
  if (address - shared_window < window_bytes) return Window::shared;
  if (address - local_window < window_bytes) return Window::local;
  const auto allocation = warp.block->memory->find(address);
  return allocation && allocation->read_only ? Window::constant : Window::global;
}

// isspacep.space p, a: which window a generic address lies in.
void is_space(Builder& b) {
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0), Type::pred);
  b.read(in, in.a, b.operand(1), Type::b64);
  Window window = Window::global;
  if (b.take("shared") || b.take("shared::cta"))
    window = Window::shared;
  else if (b.take("local"))
    window = Window::local;
  else if (b.take("const"))
    window = Window::constant;
  else if (!b.take("global"))
    b.unsupported();
  in.detail = static_cast<uint16_t>(window);
  bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
    uint32_t result = 0;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const Window found = window_at(warp, warp.doubles(i.a)[lane]);
      result |= found == static_cast<Window>(i.detail) ? 1u << lane : 0;
    }
    uint32_t& d = warp.predicate(i.d);
    d = (d & ~mask) | result;
  });
  finish(b, in, InstructionClass::compare);
}

}  // namespace

void bind_narrow(Instruction& in) {
  bind<uint32_t, uint64_t>(in, [](uint64_t x) { return static_cast<uint32_t>(x); });
}

void bind_widen(Instruction& in, bool is_signed) {
  if (is_signed)
    bind<int64_t, int32_t>(in, [](int32_t x) { return int64_t{x}; });
  else
    bind<uint64_t, uint32_t>(in, [](uint32_t x) { return uint64_t{x}; });
}

bool decode_move(Builder& b) {
  const std::string_view op = b.opcode();
  if (op == "mov")
    move(b);
  else if (op == "cvta")
    convert_address(b);
  else if (op == "isspacep")
    is_space(b);
  else
    return false;
  return true;
}

}  // namespace rungs::cpu_device
