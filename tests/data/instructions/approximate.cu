/// \file
/// Approximate functions: compared within the error that the PTX manual allows,
/// with NaN, infinity and zero results still exact.
#include "form.cuh"

#define FAMILY "approximate"

namespace instructions::approximate {

// The manual bounds each implementation against the true value; two implementations
// may lie on either side of it, so the tolerance is twice the bound.
constexpr Tolerance kTwoUlps = {4 * 0x1p-23, 0.0};
constexpr Tolerance kExp2 = {2 * 0x1p-22, 0.0};
constexpr Tolerance kLog2 = {2 * 0x1p-22, 2 * 0x1p-22};
constexpr Tolerance kSine = {0.0, 2 * 0x1p-20};
constexpr Tolerance kTanh = {2 * 0x1p-10, 0.0};
constexpr Tolerance kCoarse64 = {0x1p-18, 0.0};

#define FUNCTION32(OP, TABLE, TOLERANCE)               \
  VALUE_FORM(OP, TABLE, Result::f32, TOLERANCE, reg_r, \
             asm volatile(OP " %0, %1;"                \
                          : "=r"(d)                    \
                          : "r"(static_cast<reg_r>(x.a))))
#define FUNCTION64(OP, TABLE, TOLERANCE)               \
  VALUE_FORM(OP, TABLE, Result::f64, TOLERANCE, reg_l, \
             asm volatile(OP " %0, %1;"                \
                          : "=l"(d)                    \
                          : "l"(x.a)))
#define DIVISION32(OP, TABLE)                  \
  VALUE_FORM(                                  \
      OP, TABLE, Result::f32, kTwoUlps, reg_r, \
      asm volatile(OP " %0, %1, %2;"           \
                   : "=r"(d)                   \
                   : "r"(static_cast<reg_r>(x.a)), "r"(static_cast<reg_r>(x.b))))

FUNCTION32("sqrt.approx.f32", "function32", kTwoUlps)
FUNCTION32("sqrt.approx.ftz.f32", "function32", kTwoUlps)
FUNCTION32("rcp.approx.f32", "function32", kTwoUlps)
FUNCTION32("rcp.approx.ftz.f32", "function32", kTwoUlps)
FUNCTION32("rsqrt.approx.f32", "function32", kTwoUlps)
FUNCTION32("rsqrt.approx.ftz.f32", "function32", kTwoUlps)
FUNCTION32("ex2.approx.f32", "function32", kExp2)
FUNCTION32("ex2.approx.ftz.f32", "function32", kExp2)
FUNCTION32("lg2.approx.f32", "function32", kLog2)
FUNCTION32("lg2.approx.ftz.f32", "function32", kLog2)
FUNCTION32("sin.approx.f32", "sine_arguments", kSine)
FUNCTION32("sin.approx.ftz.f32", "sine_arguments", kSine)
FUNCTION32("cos.approx.f32", "sine_arguments", kSine)
FUNCTION32("cos.approx.ftz.f32", "sine_arguments", kSine)
FUNCTION32("tanh.approx.f32", "function32", kTanh)
DIVISION32("div.approx.f32", "moderate_pairs")
DIVISION32("div.approx.ftz.f32", "moderate_pairs")
DIVISION32("div.full.f32", "moderate_pairs")
DIVISION32("div.full.ftz.f32", "moderate_pairs")

FUNCTION64("rcp.approx.ftz.f64", "function64", kCoarse64)
FUNCTION64("rsqrt.approx.f64", "function64", kCoarse64)
FUNCTION64("rsqrt.approx.ftz.f64", "function64", kCoarse64)

}  // namespace instructions::approximate
