/// \file
/// f32 arithmetic with roundings, flush to zero and saturation; exact, bit for bit.
#include "form.cuh"

#define FAMILY "float32"

namespace instructions::float32 {

// Modifiers come in this order in PTX: rounding, .ftz, .sat.
#define MODIFIED_2(OP, ROUND)                  \
  OP2(r, r, r, "float32", OP ROUND ".f32")     \
  OP2(r, r, r, "float32", OP ROUND ".ftz.f32") \
  OP2(r, r, r, "float32", OP ROUND ".sat.f32") \
  OP2(r, r, r, "float32", OP ROUND ".ftz.sat.f32")
#define ROUNDED_2(OP)   \
  MODIFIED_2(OP, "")    \
  MODIFIED_2(OP, ".rn") \
  MODIFIED_2(OP, ".rz") \
  MODIFIED_2(OP, ".rm") \
  MODIFIED_2(OP, ".rp")
ROUNDED_2("add")
ROUNDED_2("sub")
ROUNDED_2("mul")

#define FUSED(OP, ROUND)                          \
  OP3(r, r, r, r, "float32", OP ROUND ".f32")     \
  OP3(r, r, r, r, "float32", OP ROUND ".ftz.f32") \
  OP3(r, r, r, r, "float32", OP ROUND ".sat.f32") \
  OP3(r, r, r, r, "float32", OP ROUND ".ftz.sat.f32")
FUSED("fma", ".rn")
FUSED("fma", ".rz")
FUSED("fma", ".rm")
FUSED("fma", ".rp")
FUSED("mad", ".rn")
FUSED("mad", ".rz")

#define ROUNDED_DIVISION(ROUND)                      \
  OP2(r, r, r, "float32", "div" ROUND ".f32")        \
  OP2(r, r, r, "float32", "div" ROUND ".ftz.f32")    \
  OP1(r, r, "float32_unary", "rcp" ROUND ".f32")     \
  OP1(r, r, "float32_unary", "rcp" ROUND ".ftz.f32") \
  OP1(r, r, "float32_unary", "sqrt" ROUND ".f32")    \
  OP1(r, r, "float32_unary", "sqrt" ROUND ".ftz.f32")
ROUNDED_DIVISION(".rn")
ROUNDED_DIVISION(".rz")
ROUNDED_DIVISION(".rm")
ROUNDED_DIVISION(".rp")

#define MINIMUM(OP)                                  \
  OP2(r, r, r, "float32", OP ".f32")                 \
  OP2(r, r, r, "float32", OP ".ftz.f32")             \
  OP2(r, r, r, "float32", OP ".NaN.f32")             \
  OP2(r, r, r, "float32", OP ".ftz.NaN.f32")         \
  OP2(r, r, r, "float32", OP ".xorsign.abs.f32")     \
  OP2(r, r, r, "float32", OP ".ftz.xorsign.abs.f32") \
  OP2(r, r, r, "float32", OP ".NaN.xorsign.abs.f32") \
  OP2(r, r, r, "float32", OP ".ftz.NaN.xorsign.abs.f32")
MINIMUM("min")
MINIMUM("max")

OP1(r, r, "float32_unary", "abs.f32")
OP1(r, r, "float32_unary", "abs.ftz.f32")
OP1(r, r, "float32_unary", "neg.f32")
OP1(r, r, "float32_unary", "neg.ftz.f32")
OP2(r, r, r, "float32", "copysign.f32")

PREDICATE1(r, "float32_unary", "testp.finite.f32")
PREDICATE1(r, "float32_unary", "testp.infinite.f32")
PREDICATE1(r, "float32_unary", "testp.number.f32")
PREDICATE1(r, "float32_unary", "testp.notanumber.f32")
PREDICATE1(r, "float32_unary", "testp.normal.f32")
PREDICATE1(r, "float32_unary", "testp.subnormal.f32")

}  // namespace instructions::float32
