/// \file
/// atom and red (PTX ISA, "Parallel Synchronization and Communication
/// Instructions"). Lanes go in ascending order. Global memory is shared with the
/// blocks of other host threads, so the host's atomics do the work; a block's
/// shared memory belongs to one host thread.
#include <atomic>
#include <cmath>
#include <cstring>

#include "cpu_device/warp/floating.hpp"
#include "cpu_device/warp/memory_path.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

enum class Where : uint8_t { shared, global, generic };

// Applies f to the value in memory and returns the old one. Bits is an unsigned
// type.
template <class B, class F>
B update(std::byte* p, F f) {
  std::atomic_ref<B> reference(*reinterpret_cast<B*>(p));
  B old = reference.load(std::memory_order_relaxed);
  while (!reference.compare_exchange_weak(old, f(old), std::memory_order_acq_rel,
                                          std::memory_order_relaxed)) {
  }
  return old;
}

template <class T, class F>
void run_route(Warp& warp, const Instruction& in, uint32_t mask,
               const Route& route) {
  using B = Bits<T>;
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    const T operand = from_slot<T>(slots<T>(warp, in.b)[i]);
    const T third = in.c == absent ? T{} : from_slot<T>(slots<T>(warp, in.c)[i]);
    const B old = update<B>(route.at(i), [&](B bits) {
      return std::bit_cast<B>(
          static_cast<T>(F{}(std::bit_cast<T>(bits), operand, third)));
    });
    if (in.d != absent)
      reinterpret_cast<Slot<T>*>(warp.frame + in.d)[i] = static_cast<Slot<T>>(old);
  }
}

// A floating-point sum differs between shared and global memory: two functions.
template <class T, class InShared, class InGlobal, Where W>
void run(Warp& warp, const Instruction& in, uint32_t mask) {
  constexpr uint32_t bytes = sizeof(T);
  const LaneAddresses address = lane_addresses(warp, in, mask);
  const auto shared = [&](uint32_t m, const LaneAddresses& a) {
    run_route<T, InShared>(warp, in, m,
                           route_shared(warp, in, m, bytes, Direction::atomic, a));
  };
  const auto global = [&](uint32_t m, const LaneAddresses& a) {
    run_route<T, InGlobal>(
        warp, in, m,
        route_global(warp, in, m, bytes, Direction::atomic, a, Path::global));
  };
  if constexpr (W == Where::shared) {
    shared(mask, address);
  } else if constexpr (W == Where::global) {
    global(mask, address);
  } else {
    split_generic(
        address, mask, shared,
        [&](uint32_t m, const LaneAddresses& a) {
          run_route<T, InShared>(
              warp, in, m, route_local(warp, in, m, bytes, Direction::atomic, a));
        },
        global);
  }
}

template <class T, class InShared, class InGlobal>
void bind_spaces(Instruction& in, Where where, InShared, InGlobal) {
  if (where == Where::shared)
    bind_handler(in, &run<T, InShared, InGlobal, Where::shared>);
  if (where == Where::global)
    bind_handler(in, &run<T, InShared, InGlobal, Where::global>);
  if (where == Where::generic)
    bind_handler(in, &run<T, InShared, InGlobal, Where::generic>);
}

template <class T, class F>
void bind_space(Instruction& in, Where where, F f) {
  bind_spaces<T>(in, where, f, f);
}

template <class T>
void bind_integer(Instruction& in, Where where, std::string_view op) {
  using U = Bits<T>;
  if (op == "add")
    bind_space<T>(in, where, [](T x, T y, T) { return U(x) + U(y); });
  else if (op == "and")
    bind_space<T>(in, where, [](T x, T y, T) { return x & y; });
  else if (op == "or")
    bind_space<T>(in, where, [](T x, T y, T) { return x | y; });
  else if (op == "xor")
    bind_space<T>(in, where, [](T x, T y, T) { return x ^ y; });
  else if (op == "exch")
    bind_space<T>(in, where, [](T, T y, T) { return y; });
  else if (op == "min")
    bind_space<T>(in, where, [](T x, T y, T) { return x < y ? x : y; });
  else if (op == "max")
    bind_space<T>(in, where, [](T x, T y, T) { return x > y ? x : y; });
  else if (op == "cas")
    bind_space<T>(in, where, [](T x, T y, T z) { return x == y ? z : x; });
  else if (op == "inc")
    bind_space<T>(in, where, [](T x, T y, T) { return x >= y ? T{0} : T(x + 1); });
  else if (op == "dec")
    bind_space<T>(in, where,
                  [](T x, T y, T) { return x == 0 || x > y ? y : T(x - 1); });
}

}  // namespace

bool decode_atomic(Builder& b) {
  const bool reduction = b.opcode() == "red";
  if (!reduction && b.opcode() != "atom") return false;
  Where where = Where::generic;
  if (b.take("shared") || b.take("shared::cta"))
    where = Where::shared;
  else if (b.take("global"))
    where = Where::global;
  for (const char* word : {"relaxed", "acquire", "release", "acq_rel", "cta",
                           "cluster", "gpu", "sys"}) {
    b.take(word);
  }
  const bool hinted = b.take("L2::cache_hint");  // and a policy, the last operand
  const Type type = b.take_type();
  if (b.rest().size() != 1 && !(b.rest().size() == 2 && b.rest()[1] == "noftz"))
    b.unsupported();
  const std::string op(b.rest()[0]);
  b.take(op);
  b.take("noftz");
  Instruction in = b.make();
  const size_t first = reduction ? 0 : 1;
  if (!reduction) b.write(in, in.d, b.operand(0), type);
  if (b.read_address(in, in.a, b.operand(first)) == 8) in.detail |= 1;
  b.read(in, in.b, b.operand(first + 1), type);
  if (op == "cas") b.read(in, in.c, b.operand(first + 2), type);
  const size_t expected = first + (op == "cas" ? 3 : 2) + (hinted ? 1 : 0);
  if (b.operands().size() != expected) b.unsupported();
  const bool counts = op == "inc" || op == "dec";
  if (type == Type::f32 && op == "add") {
    // The units beside the L2 cache flush subnormals; shared memory's loop of
    // ordinary additions does not.
    bind_spaces<float>(
        in, where, [](float x, float y, float) { return canonical(x + y); },
        [](float x, float y, float) {
          return flush(canonical(flush(x) + flush(y)));
        });
  } else if (type == Type::f64 && op == "add") {
    // Those units also hand on a NaN as it is, the operand's before the memory's.
    bind_spaces<double>(
        in, where,
        [](double x, double y, double) { return hand_on_nan(x + y, x, y); },
        [](double x, double y, double) { return y != y   ? y
                                                : x != x ? x
                                                         : x + y; });
  } else if (ptx::bytes_of(type) >= 4 && !ptx::is_float(type) &&
             (!counts || type == Type::u32)) {
    with_integer(type, [&](auto t) {
      using T = decltype(t);
      if constexpr (sizeof(T) >= 4) bind_integer<T>(in, where, op);
    });
  }
  b.count_access(in, MemoryAccess::Kind::atomic, ptx::bytes_of(type));
  finish(b, in, InstructionClass::atomic);
  return true;
}

}  // namespace rungs::cpu_device
