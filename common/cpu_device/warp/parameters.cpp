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
    in.detail = static_cast<uint16_t>(bytes | (base == 8 ? 64u : 0u) |
                                      (ptx::is_signed(elements.type) ? 128u : 0u));
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      const std::vector<std::byte>& parameters = warp.block->launch->parameters;
      const uint32_t size = i.detail & 15;
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        if (!(mask >> lane & 1)) continue;
        uint64_t address = static_cast<uint64_t>(i.immediate);
        if (i.a != absent) {
          address +=
              i.detail & 64 ? warp.doubles(i.a)[lane] : warp.words(i.a)[lane];
        }
        if (address + size > parameters.size()) {
          warp.block->fault(FaultKind::out_of_bounds, warp, i, lane,
                            "reads past the end of the kernel's parameters");
        }
        uint64_t value = 0;
        std::memcpy(&value, parameters.data() + address, size);
        if (size == 8) {
          warp.doubles(i.d)[lane] = value;
        } else {
          const int unused = 32 - 8 * static_cast<int>(size);
          const uint32_t word = static_cast<uint32_t>(value) << unused;
          warp.words(i.d)[lane] =
              i.detail & 128
                  ? static_cast<uint32_t>(static_cast<int32_t>(word) >> unused)
                  : word >> unused;
        }
      }
    });
    append_part(b, in, first);
    first = false;
    offset += bytes;
  }
}

}  // namespace rungs::cpu_device
