#include "cpu_device/warp/parameters.hpp"

#include <cstring>

#include "cpu_device/warp/lanewise.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Operand;
using ptx::Type;

uint32_t word_of(Builder& b, const ParameterWords& words, int64_t offset) {
  const uint64_t index = static_cast<uint64_t>(offset) / 4;
  if (offset < 0 || index >= words.size())
    b.unsupported("a parameter's end is passed");
  return words[index];
}

void join(Instruction& in) {
  bind<uint64_t, uint32_t, uint32_t>(
      in, [](uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; });
}

// Elements below 4 bytes share a word: `immediate` is the shift, `detail` the
// bytes.
void bind_extract(Instruction& in, bool is_signed) {
  if (is_signed) {
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      const int unused = 32 - 8 * i.detail;
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (!(mask >> lane & 1)) continue;
        const uint32_t field = warp.words(i.a)[lane] >> i.immediate << unused;
        warp.words(i.d)[lane] =
            static_cast<uint32_t>(static_cast<int32_t>(field) >> unused);
      }
    });
  } else {
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      const uint32_t low = (1u << 8 * i.detail) - 1;
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (mask >> lane & 1)
          warp.words(i.d)[lane] = warp.words(i.a)[lane] >> i.immediate & low;
      }
    });
  }
}

void bind_insert(Instruction& in) {
  bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
    const uint32_t field = ((1u << 8 * i.detail) - 1) << i.immediate;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      uint32_t& word = warp.words(i.d)[lane];
      word = (word & ~field) | (warp.words(i.a)[lane] << i.immediate & field);
    }
  });
}

struct Elements {
  std::vector<const Operand*> list;
  Type type;
};

Elements elements_of(Builder& b, const Operand& value) {
  b.take("param");
  b.take("param::func");
  b.take("v2");
  b.take("v4");
  Elements elements;
  elements.type = b.take_type();
  if (value.kind == Operand::Kind::vector) {
    for (const Operand& element : value.elements) elements.list.push_back(&element);
  } else {
    elements.list.push_back(&value);
  }
  if (!b.rest().empty()) b.unsupported();
  return elements;
}

// The first instruction of a ld or st.param counts, the others are its parts.
void append_part(Builder& b, Instruction& in, bool first) {
  if (first)
    b.append(in, InstructionClass::param);
  else
    b.append_hidden(in);
}

// Instruction::detail of a load of a kernel's parameter: its bytes, and these.
constexpr uint16_t wide_address = 64, extends_sign = 128;

/// The bytes at this place of the kernel's parameters, as a register holds them.
uint64_t kernel_parameter(const Warp& warp, const Instruction& in, uint32_t lane,
                          uint64_t address) {
  const std::vector<std::byte>& parameters = warp.block->launch->parameters;
  const uint32_t size = in.detail & 15;
  if (address + size > parameters.size()) {
    warp.block->fault(FaultKind::out_of_bounds, warp, in, lane,
                      "reads past the end of the kernel's parameters");
  }
  uint64_t value = 0;
  std::memcpy(&value, parameters.data() + address, size);
  if (size == 8 || !(in.detail & extends_sign)) return value;
  const int unused = 32 - 8 * static_cast<int>(size);
  const uint32_t word = static_cast<uint32_t>(value) << unused;
  return static_cast<uint32_t>(static_cast<int32_t>(word) >> unused);
}

template <class T>
void fill_lanes(T* d, T value, uint32_t mask) {
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    d[lane] = mask >> lane & 1 ? value : d[lane];
  }
}

// A parameter at a fixed place: one value for all lanes.
void load_same(Warp& warp, const Instruction& in, uint32_t mask) {
  const uint64_t value = kernel_parameter(warp, in, first_lane(mask),
                                          static_cast<uint64_t>(in.immediate));
  if ((in.detail & 15) == 8)
    fill_lanes(warp.doubles(in.d), value, mask);
  else
    fill_lanes(warp.words(in.d), static_cast<uint32_t>(value), mask);
}

// An element of an array of parameters: each lane may read another.
void load_by_lane(Warp& warp, const Instruction& in, uint32_t mask) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const uint64_t base = in.detail & wide_address ? warp.doubles(in.a)[lane]
                                                   : warp.words(in.a)[lane];
    const uint64_t value = kernel_parameter(
        warp, in, lane, base + static_cast<uint64_t>(in.immediate));
    if ((in.detail & 15) == 8)
      warp.doubles(in.d)[lane] = value;
    else
      warp.words(in.d)[lane] = static_cast<uint32_t>(value);
  }
}

}  // namespace

void load_parameter(Builder& b, const ParameterWords& words, int64_t offset) {
  const Elements elements = elements_of(b, b.operand(0));
  const uint32_t bytes = ptx::bytes_of(elements.type);
  bool first = true;
  for (const Operand* element : elements.list) {
    Instruction in = b.make();
    b.write(in, in.d, *element, elements.type);
    b.read_value(in, in.a, word_of(b, words, offset));
    if (bytes == 8) {
      b.read_value(in, in.b, word_of(b, words, offset + 4));
      join(in);
    } else if (bytes == 4) {
      bind<uint32_t, uint32_t>(in, [](uint32_t x) { return x; });
    } else {
      in.immediate = offset % 4 * 8;
      in.detail = static_cast<uint16_t>(bytes);
      bind_extract(in, ptx::is_signed(elements.type));
    }
    append_part(b, in, first);
    first = false;
    offset += bytes;
  }
}

void store_parameter(Builder& b, const ParameterWords& words, int64_t offset) {
  const Elements elements = elements_of(b, b.operand(1));
  const uint32_t bytes = ptx::bytes_of(elements.type);
  bool first = true;
  for (const Operand* element : elements.list) {
    for (uint32_t part = 0; part < (bytes == 8 ? 2u : 1u); ++part) {
      Instruction in = b.make();
      b.write_value(in, in.d, word_of(b, words, offset + 4 * part));
      b.read(in, in.a, *element, elements.type);
      if (bytes == 8) {
        if (part == 0)
          bind<uint32_t, uint64_t>(
              in, [](uint64_t x) { return static_cast<uint32_t>(x); });
        else
          bind<uint32_t, uint64_t>(
              in, [](uint64_t x) { return static_cast<uint32_t>(x >> 32); });
      } else if (bytes == 4) {
        bind<uint32_t, uint32_t>(in, [](uint32_t x) { return x; });
      } else {
        in.immediate = offset % 4 * 8;
        in.detail = static_cast<uint16_t>(bytes);
        b.read_value(in, in.d, in.d);
        bind_insert(in);
      }
      append_part(b, in, first);
      first = false;
    }
    offset += bytes;
  }
}

uint32_t joined(Builder& b, const ParameterWords& words) {
  if (words.size() == 1) return words[0];
  Instruction in = b.make();
  b.write_value(in, in.d, b.temporary(true));
  b.read_value(in, in.a, words[0]);
  b.read_value(in, in.b, words[1]);
  join(in);
  const uint32_t value = in.d;
  b.append_hidden(in);
  return value;
}

void load_kernel_parameter(Builder& b) {
  const Elements elements = elements_of(b, b.operand(0));
  const uint32_t bytes = ptx::bytes_of(elements.type);
  bool first = true;
  int64_t offset = 0;
  for (const Operand* element : elements.list) {
    Instruction in = b.make();
    b.write(in, in.d, *element, elements.type);
    const uint32_t base = b.read_address(in, in.a, b.operand(1));
    in.immediate += offset;
    in.detail =
        static_cast<uint16_t>(bytes | (base == 8 ? wide_address : 0u) |
                              (ptx::is_signed(elements.type) ? extends_sign : 0u));
    bind_handler(in, in.a == absent ? &load_same : &load_by_lane);
    append_part(b, in, first);
    first = false;
    offset += bytes;
  }
}

}  // namespace rungs::cpu_device
