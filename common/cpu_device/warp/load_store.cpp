/// \file
/// ld and st in every space (PTX ISA, "Data Movement and Conversion Instructions").
#include <cstring>

#include "cpu_device/warp/memory_path.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

enum class Where : uint8_t { shared, global, constant, local, generic };

/// A vector's registers in field order.
struct Fields {
  uint32_t field[4];
};
Fields value_fields(const Instruction& in) { return {{in.d, in.b, in.c, in.e}}; }

// E is an unsigned type of the element's size; Signed elements extend their sign.
template <class E, bool Signed>
Slot<E> extended(E element) {
  if constexpr (sizeof(E) >= 4)
    return element;
  else if constexpr (Signed)
    return static_cast<uint32_t>(
        static_cast<int32_t>(static_cast<std::make_signed_t<E>>(element)));
  else
    return element;
}

template <class E>
E element_at(const std::byte* p) {
  E element;
  std::memcpy(&element, p, sizeof element);
  return element;
}

// All lanes, by the pattern's chunks of eight.
template <class E, uint32_t V, bool Signed>
void load_pattern(Warp& warp, const Instruction& in, const Route& route) {
  const Fields fields = value_fields(in);
  Slot<E>* d[V];
  for (uint32_t v = 0; v < V; ++v) {
    d[v] = reinterpret_cast<Slot<E>*>(warp.frame + fields.field[v]);
  }
  const Pattern& pattern = *route.pattern;
  for (uint32_t chunk = 0; chunk < 4; ++chunk) {
    const uint32_t first = 8 * chunk;
    const std::byte* p = route.base + pattern.delta[first];
    if (pattern.chunks[chunk] == Chunk::same) {
      for (uint32_t v = 0; v < V; ++v) {
        const Slot<E> value = extended<E, Signed>(element_at<E>(p + v * sizeof(E)));
        for (uint32_t i = 0; i < 8; ++i) d[v][first + i] = value;
      }
    } else if (V == 1 && sizeof(E) >= 4 &&
               pattern.chunks[chunk] == Chunk::contiguous) {
      std::memcpy(d[0] + first, p, 8 * sizeof(E));
    } else {
      for (uint32_t i = first; i < first + 8; ++i) {
        const std::byte* q = route.base + pattern.delta[i];
        for (uint32_t v = 0; v < V; ++v) {
          d[v][i] = extended<E, Signed>(element_at<E>(q + v * sizeof(E)));
        }
      }
    }
  }
}

template <bool Full, class E, uint32_t V, bool Signed>
void load_lanes(Warp& warp, const Instruction& in, uint32_t mask,
                const Route& route) {
  if (Full && route.pattern) return load_pattern<E, V, Signed>(warp, in, route);
  const Fields fields = value_fields(in);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint32_t i = first_lane(left);
    const std::byte* p = route.at(i);
    for (uint32_t v = 0; v < V; ++v) {
      reinterpret_cast<Slot<E>*>(warp.frame + fields.field[v])[i] =
          extended<E, Signed>(element_at<E>(p + v * sizeof(E)));
    }
  }
}

// Lanes in ascending order: of lanes that write the same address the last one wins.
template <bool Full, class E, uint32_t V>
void store_lanes(Warp& warp, const Instruction& in, uint32_t mask,
                 const Route& route) {
  const Fields fields = value_fields(in);
  const auto store = [&](uint32_t i) {
    std::byte* p = route.at(i);
    for (uint32_t v = 0; v < V; ++v) {
      const E element = static_cast<E>(
          reinterpret_cast<const Slot<E>*>(warp.frame + fields.field[v])[i]);
      std::memcpy(p + v * sizeof(E), &element, sizeof element);
    }
  };
  if (!Full) {
    for (uint32_t left = mask; left != 0; left &= left - 1) store(first_lane(left));
    return;
  }
  for (uint32_t chunk = 0; chunk < 4; ++chunk) {
    const uint32_t first = 8 * chunk;
    if (V == 1 && sizeof(E) >= 4 && route.pattern &&
        route.pattern->chunks[chunk] == Chunk::contiguous) {
      std::memcpy(
          route.base + route.pattern->delta[first],
          reinterpret_cast<const Slot<E>*>(warp.frame + fields.field[0]) + first,
          8 * sizeof(E));
      continue;
    }
    for (uint32_t i = first; i < first + 8; ++i) store(i);
  }
}

template <bool Full, class E, uint32_t V, bool Signed, bool Load>
void move_lanes(Warp& warp, const Instruction& in, uint32_t mask,
                const Route& route) {
  if constexpr (Load)
    load_lanes<Full, E, V, Signed>(warp, in, mask, route);
  else
    store_lanes<Full, E, V>(warp, in, mask, route);
}

template <bool Full, class E, uint32_t V, bool Signed, bool Load, Where W>
void access(Warp& warp, const Instruction& in, uint32_t mask) {
  constexpr uint32_t bytes = sizeof(E) * V;
  constexpr Direction direction = Load ? Direction::load : Direction::store;
  if constexpr (W == Where::generic) {
    split_generic(
        lane_addresses(warp, in, mask), mask,
        [&](uint32_t m, const LaneAddresses& a) {
          move_lanes<false, E, V, Signed, Load>(
              warp, in, m, route_shared(warp, in, m, bytes, direction, a));
        },
        [&](uint32_t m, const LaneAddresses& a) {
          move_lanes<false, E, V, Signed, Load>(
              warp, in, m, route_local(warp, in, m, bytes, direction, a));
        },
        [&](uint32_t m, const LaneAddresses& a) {
          if (m == mask && in.a != absent && (in.detail & 1)) {
            move_lanes<Full, E, V, Signed, Load>(
                warp, in, m,
                route_global_doubles<Full>(warp, in, m, bytes, direction,
                                           Path::global));
          } else {
            move_lanes<false, E, V, Signed, Load>(
                warp, in, m,
                route_global(warp, in, m, bytes, direction, a, Path::global));
          }
        });
  } else if constexpr (W == Where::local) {
    move_lanes<false, E, V, Signed, Load>(
        warp, in, mask,
        route_local(warp, in, mask, bytes, direction,
                    lane_addresses(warp, in, mask)));
  } else if constexpr (W == Where::shared) {
    if (Full && Load && !(in.detail & 1)) {
      const Route again = route_shared_again(warp, in);
      if (again.base) return load_pattern<E, V, Signed>(warp, in, again);
    }
    if (in.detail & 1) {
      move_lanes<Full, E, V, Signed, Load>(
          warp, in, mask,
          route_shared(warp, in, mask, bytes, direction,
                       lane_addresses(warp, in, mask)));
    } else {
      move_lanes<Full, E, V, Signed, Load>(
          warp, in, mask,
          route_shared_words<Full>(warp, in, mask, bytes, direction));
    }
  } else {
    constexpr Path path = W == Where::constant ? Path::constant : Path::global;
    if (in.detail & 1) {
      move_lanes<Full, E, V, Signed, Load>(
          warp, in, mask,
          route_global_doubles<Full>(warp, in, mask, bytes, direction, path));
    } else {
      move_lanes<false, E, V, Signed, Load>(
          warp, in, mask,
          route_global(warp, in, mask, bytes, direction,
                       lane_addresses(warp, in, mask), path));
    }
  }
}

template <class E, uint32_t V, bool Signed, bool Load, Where W>
void bind_access(Instruction& in) {
  in.full = &access<true, E, V, Signed, Load, W>;
  in.partial = &access<false, E, V, Signed, Load, W>;
}

template <class E, uint32_t V, bool Signed, bool Load>
void choose_space(Instruction& in, Where where) {
  switch (where) {
    case Where::shared:
      return bind_access<E, V, Signed, Load, Where::shared>(in);
    case Where::global:
      return bind_access<E, V, Signed, Load, Where::global>(in);
    case Where::constant:
      return bind_access<E, V, Signed, Load, Where::constant>(in);
    case Where::local:
      return bind_access<E, V, Signed, Load, Where::local>(in);
    case Where::generic:
      return bind_access<E, V, Signed, Load, Where::generic>(in);
  }
}

template <class E, bool Signed, bool Load>
void choose_vector(Instruction& in, Where where, uint32_t count) {
  if (count == 1) choose_space<E, 1, Signed, Load>(in, where);
  if (count == 2) choose_space<E, 2, Signed, Load>(in, where);
  if constexpr (sizeof(E) <= 4) {
    if (count == 4) choose_space<E, 4, Signed, Load>(in, where);
  }
}

template <bool Load>
void choose_element(Instruction& in, Where where, Type type, uint32_t count) {
  const bool is_signed = Load && ptx::is_signed(type);
  switch (ptx::bytes_of(type)) {
    case 1:
      return is_signed ? choose_vector<uint8_t, Load, Load>(in, where, count)
                       : choose_vector<uint8_t, false, Load>(in, where, count);
    case 2:
      return is_signed ? choose_vector<uint16_t, Load, Load>(in, where, count)
                       : choose_vector<uint16_t, false, Load>(in, where, count);
    case 4:
      return choose_vector<uint32_t, false, Load>(in, where, count);
    case 8:
      return choose_vector<uint64_t, false, Load>(in, where, count);
    default:
      return;
  }
}

// Order, scope and cache hints change nothing that can be seen here: a launch's
// blocks run one after another on each host thread, and atomics are atomic on the
// host.
void take_hints(Builder& b) {
  for (const char* word : {"volatile",
                           "relaxed",
                           "acquire",
                           "release",
                           "weak",
                           "cta",
                           "cluster",
                           "gpu",
                           "sys",
                           "ca",
                           "cg",
                           "cs",
                           "cv",
                           "lu",
                           "wb",
                           "wt",
                           "nc",
                           "L1::evict_normal",
                           "L1::evict_unchanged",
                           "L1::evict_first",
                           "L1::evict_last",
                           "L1::no_allocate",
                           "L2::64B",
                           "L2::128B",
                           "L2::256B",
                           "L2::cache_hint",
                           "L2::evict_first",
                           "L2::evict_last",
                           "L2::evict_normal"}) {
    b.take(word);
  }
}

}  // namespace

bool decode_load_store(Builder& b) {
  const std::string_view op = b.opcode();
  if (op == "prefetch" || op == "prefetchu" || op == "applypriority" ||
      op == "discard") {
    Instruction in = b.make();
    bind_handler(in, [](Warp&, const Instruction&, uint32_t) {});
    b.append(in, InstructionClass::other);
    return true;
  }
  if (op == "createpolicy") {
    // What a cache keeps changes nothing here, so every policy is the same one.
    Instruction in = b.make();
    b.write(in, in.d, b.operand(0), Type::b64);
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      uint64_t* const d = warp.doubles(i.d);
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        d[lane] = mask >> lane & 1 ? 0 : d[lane];
      }
    });
    b.append(in, InstructionClass::other);
    return true;
  }
  const bool load = op == "ld" || op == "ldu";
  if (!load && op != "st") return false;
  Where where = Where::generic;
  InstructionClass instruction_class = InstructionClass::global;
  if (b.take("shared") || b.take("shared::cta")) {
    where = Where::shared;
    instruction_class = InstructionClass::shared;
  } else if (b.take("local")) {
    where = Where::local;
    instruction_class = InstructionClass::local;
  } else if (b.take("const")) {
    where = Where::constant;
    instruction_class = InstructionClass::constant;
  } else if (b.take("global")) {
    where = Where::global;
  }
  take_hints(b);
  const uint32_t count = b.take("v2") ? 2 : b.take("v4") ? 4 : 1;
  const Type type = b.take_type();
  Instruction in = b.make();
  const ptx::Operand& value = b.operand(load ? 0 : 1);
  const uint32_t width = b.read_address(in, in.a, b.operand(load ? 1 : 0));
  if (width == 8) in.detail |= 1;
  uint32_t* fields[] = {&in.d, &in.b, &in.c, &in.e};
  const bool vector = value.kind == ptx::Operand::Kind::vector;
  if ((vector ? value.elements.size() : 1) != count) b.unsupported();
  for (uint32_t v = 0; v < count; ++v) {
    const ptx::Operand& element = vector ? value.elements[v] : value;
    if (load)
      b.write(in, *fields[v], element, type);
    else
      b.read(in, *fields[v], element, type);
  }
  if (load)
    choose_element<true>(in, where, type, count);
  else
    choose_element<false>(in, where, type, count);
  b.count_access(in, load ? MemoryAccess::Kind::load : MemoryAccess::Kind::store,
                 ptx::bytes_of(type) * count);
  finish(b, in, instruction_class);
  return true;
}

}  // namespace rungs::cpu_device
