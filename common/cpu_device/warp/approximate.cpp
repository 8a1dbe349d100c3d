/// \file
/// The `.approx` functions and testp. The machine's approximate functions are
/// table-driven and differ from the true value in the last bits; here they are the
/// true value rounded to f32, so results agree within the error bound that the PTX
/// manual states, not bit for bit.
#include <cmath>

#include "cpu_device/warp/floating.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

template <class F>
void approximate(Builder& b, F) {
  const bool ftz = b.take("ftz");
  if (!b.take("f32")) b.unsupported();
  Instruction in = operands_of(b, Type::f32, 1);
  if (ftz) {
    bind<float, float>(in, [](float x) {
      return flush(
          canonical(static_cast<float>(F{}(static_cast<double>(flush(x))))));
    });
  } else {
    bind<float, float>(in, [](float x) {
      return canonical(static_cast<float>(F{}(static_cast<double>(x))));
    });
  }
  finish(b, in, InstructionClass::float32);
}

double upper_word(double x) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0xFFFFFFFF00000000ull);
}

double flush_subnormal(double x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x;
}

// rcp.approx.ftz.f64 sees only the upper word of its source, and both functions
// give only the upper word of the result.
void reciprocal64(Builder& b) {
  if (!b.take("ftz")) b.unsupported();
  Instruction in = operands_of(b, Type::f64, 1);
  bind<double, double>(in, [](double x) {
    return upper_word(flush_subnormal(1.0 / flush_subnormal(upper_word(x))));
  });
  finish(b, in, InstructionClass::float64);
}

void reciprocal_root64(Builder& b) {
  const bool ftz = b.take("ftz");
  Instruction in = operands_of(b, Type::f64, 1);
  if (ftz) {
    bind<double, double>(in, [](double x) {
      return upper_word(1.0 / std::sqrt(flush_subnormal(x)));
    });
  } else {
    bind<double, double>(in,
                         [](double x) { return upper_word(1.0 / std::sqrt(x)); });
  }
  finish(b, in, InstructionClass::float64);
}

// testp: classifies one number.
template <class T, class F>
void test(Builder& b, F) {
  Instruction in = b.make();
  b.write(in, in.d, b.operand(0), Type::pred);
  b.read(in, in.a, b.operand(1), sizeof(T) == 4 ? Type::f32 : Type::f64);
  bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
    uint32_t result = 0;
    const auto* a = slots<T>(warp, i.a);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      result |= F{}(from_slot<T>(a[lane])) ? 1u << lane : 0;
    }
    uint32_t& d = warp.predicate(i.d);
    d = (d & ~mask) | (result & mask);
  });
  finish(b, in, InstructionClass::compare);
}

template <class T>
void test_property(Builder& b) {
  if (b.take("finite"))
    test<T>(b, [](T x) { return std::isfinite(x); });
  else if (b.take("infinite"))
    test<T>(b, [](T x) { return std::isinf(x); });
  else if (b.take("number"))
    test<T>(b, [](T x) { return !std::isnan(x); });
  else if (b.take("notanumber"))
    test<T>(b, [](T x) { return std::isnan(x); });
  else if (b.take("normal"))
    test<T>(b, [](T x) { return std::isnormal(x) || x == T{0}; });
  else if (b.take("subnormal"))
    test<T>(b, [](T x) { return std::fpclassify(x) == FP_SUBNORMAL; });
  else
    b.unsupported();
}

}  // namespace

bool decode_approximate(Builder& b) {
  const std::string_view op = b.opcode();
  if (op == "testp") {
    if (b.take("f32"))
      test_property<float>(b);
    else if (b.take("f64"))
      test_property<double>(b);
    else
      b.unsupported();
    return true;
  }
  const bool known = op == "rcp" || op == "sqrt" || op == "rsqrt" || op == "ex2" ||
                     op == "lg2" || op == "sin" || op == "cos" || op == "tanh";
  if (!known) return false;
  if (!b.take("approx")) return false;
  if (op == "rcp") {
    if (b.take("f64"))
      reciprocal64(b);
    else
      approximate(b, [](double x) { return 1.0 / x; });
  } else if (op == "rsqrt") {
    if (b.take("f64"))
      reciprocal_root64(b);
    else
      approximate(b, [](double x) { return 1.0 / std::sqrt(x); });
  } else if (op == "sqrt") {
    approximate(b, [](double x) { return std::sqrt(x); });
  } else if (op == "ex2") {
    approximate(b, [](double x) { return std::exp2(x); });
  } else if (op == "lg2") {
    approximate(b, [](double x) { return std::log2(x); });
  } else if (op == "sin") {
    approximate(b, [](double x) { return std::sin(x); });
  } else if (op == "cos") {
    approximate(b, [](double x) { return std::cos(x); });
  } else {
    approximate(b, [](double x) { return std::tanh(x); });
  }
  return true;
}

}  // namespace rungs::cpu_device
