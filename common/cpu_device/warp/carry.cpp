/// \file
/// Extended-precision integer arithmetic: the carry flag (PTX ISA,
/// "Extended-Precision Integer Arithmetic Instructions").
#include "cpu_device/warp/lanewise.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

enum Detail : uint16_t {
  uses_carry = 1,
  sets_carry = 2,
  subtracts = 4,
  high_half = 8,
  multiplies = 16,
};

template <class T>
void run(Warp& warp, const Instruction& in, uint32_t mask) {
  using U = Bits<T>;
  using W = typename Twice<U>::type;
  constexpr int bits = 8 * sizeof(T);
  auto* d = reinterpret_cast<Slot<T>*>(warp.frame + in.d);
  uint32_t& carry = warp.predicate(in.e);
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!(mask >> i & 1)) continue;
    const T x = from_slot<T>(slots<T>(warp, in.a)[i]);
    const T y = from_slot<T>(slots<T>(warp, in.b)[i]);
    const W flag = in.detail & uses_carry ? carry >> i & 1 : 0;
    W result;
    if (in.detail & multiplies) {
      const auto product = typename Twice<T>::type{x} * y;
      const U half =
          static_cast<U>(in.detail & high_half ? product >> bits : product);
      result = W{half} + slots<T>(warp, in.c)[i] + flag;
    } else if (in.detail & subtracts) {
      result = W{U(x)} - U(y) - flag;  // the borrow shows in the upper half
    } else {
      result = W{U(x)} + U(y) + flag;
    }
    d[i] = static_cast<U>(result);
    if (in.detail & sets_carry) {
      carry = (carry & ~(1u << i)) | (result >> bits != 0 ? 1u << i : 0);
    }
  }
}

}  // namespace

bool decode_carry(Builder& b) {
  const std::string_view op = b.opcode();
  const bool with_carry = op == "addc" || op == "subc" || op == "madc";
  if (!with_carry && op != "add" && op != "sub" && op != "mad") return false;
  const bool sets = b.take("cc");
  if (!with_carry && !sets) return false;
  const bool multiply = op.starts_with("mad");
  uint16_t detail = static_cast<uint16_t>(
      (with_carry ? uses_carry : 0) | (sets ? sets_carry : 0) |
      (op.starts_with("sub") ? subtracts : 0) | (multiply ? multiplies : 0));
  if (multiply) {
    const bool low = b.take("lo"), high = b.take("hi");
    if (low == high) b.unsupported();
    if (high) detail |= high_half;
  }
  const Type type = b.take_type();
  Instruction in = operands_of(b, type, multiply ? 3 : 2);
  in.detail = detail;
  const uint32_t flag = b.carry_flag();
  b.read_value(in, in.e, flag);
  if (sets) b.write_value(in, in.e, flag);
  with_integer(type, [&](auto t) {
    // Signed and unsigned differ only in the upper half of a product.
    if constexpr (sizeof(t) >= 4) bind_handler(in, &run<decltype(t)>);
  });
  finish(b, in, InstructionClass::integer);
  return true;
}

}  // namespace rungs::cpu_device
