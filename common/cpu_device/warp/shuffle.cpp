/// \file
/// shfl.sync (PTX ISA, "Data Movement and Conversion Instructions: shfl.sync").
#include <cstring>

#include "cpu_device/warp/lanewise.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

enum class Mode : uint8_t { up, down, butterfly, index };

// The source lane follows from the lane, operand b and the clamp and segment mask
// in c; outside of the segment a lane keeps its own value and its predicate is
// false.
template <Mode M>
void shuffle(Warp& warp, const Instruction& in, uint32_t mask) {
  const uint32_t* const words_b = warp.words(in.b);
  const uint32_t* const words_c = warp.words(in.c);
  uint32_t values[lanes], sources[lanes], bits[lanes];
  std::memcpy(values, warp.words(in.a), sizeof values);
  // No branches, so that the compiler does eight lanes at a time.
  for (uint32_t i = 0; i < lanes; ++i) {
    const int32_t b = static_cast<int32_t>(words_b[i] & 31);
    const uint32_t c = words_c[i];
    const uint32_t clamp = c & 31, segment = c >> 8 & 31;
    const int32_t lane = static_cast<int32_t>(i);
    const int32_t highest =
        static_cast<int32_t>((i & segment) | (clamp & ~segment));
    const int32_t lowest = static_cast<int32_t>(i & segment);
    int32_t source = lane;
    bool inside = false;
    if constexpr (M == Mode::up) {
      source = lane - b;
      inside = source >= highest;
    } else if constexpr (M == Mode::down) {
      source = lane + b;
      inside = source <= highest;
    } else if constexpr (M == Mode::butterfly) {
      source = lane ^ b;
      inside = source <= highest;
    } else {
      source = lowest | (b & static_cast<int32_t>(~segment));
      inside = source <= highest;
    }
    sources[i] = static_cast<uint32_t>(inside ? source : lane) & 31;
    bits[i] = inside ? 1u << i : 0;
  }
  uint32_t* const d = warp.words(in.d);
  for (uint32_t i = 0; i < lanes; ++i) {
    const uint32_t value = values[sources[i]];
    d[i] = mask >> i & 1 ? value : d[i];
  }
  if (in.e != absent) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < lanes; ++i) found |= bits[i];
    found &= mask;
    uint32_t& predicate = warp.predicate(in.e);
    predicate = (predicate & ~mask) | found;
  }
}

}  // namespace

bool decode_shuffle(Builder& b) {
  if (b.opcode() != "shfl" || !b.take("sync")) return false;
  Handler handler = b.take("up")     ? &shuffle<Mode::up>
                    : b.take("down") ? &shuffle<Mode::down>
                    : b.take("bfly") ? &shuffle<Mode::butterfly>
                    : b.take("idx")  ? &shuffle<Mode::index>
                                     : nullptr;
  if (!b.take("b32") || handler == nullptr) b.unsupported();
  Instruction in = b.make();
  const ptx::Operand& destination = b.operand(0);
  if (destination.pair) {
    b.write(in, in.d, destination.elements[0], Type::b32);
    b.write(in, in.e, destination.elements[1], Type::pred);
  } else {
    b.write(in, in.d, destination, Type::b32);
  }
  b.read(in, in.a, b.operand(1), Type::b32);
  b.read(in, in.b, b.operand(2), Type::b32);
  b.read(in, in.c, b.operand(3), Type::b32);
  b.read(in, in.f, b.operand(4), Type::b32);
  bind_handler(in, handler);
  const uint32_t members = in.f;
  b.begin_synchronous(
      finish(b, in, InstructionClass::shuffle, Origin::Tally::shuffle), members);
  return true;
}

}  // namespace rungs::cpu_device
