/// \file
/// f64 arithmetic with roundings; exact, bit for bit.
#include "form.cuh"

#define FAMILY "float64"

namespace instructions::float64 {

#define ROUNDED(ROUND)                        \
  OP2(l, l, l, "float64", "add" ROUND ".f64") \
  OP2(l, l, l, "float64", "sub" ROUND ".f64") \
  OP2(l, l, l, "float64", "mul" ROUND ".f64")
ROUNDED("")
ROUNDED(".rn")
ROUNDED(".rz")
ROUNDED(".rm")
ROUNDED(".rp")

#define ROUNDED_ONLY(ROUND)                      \
  OP3(l, l, l, l, "float64", "fma" ROUND ".f64") \
  OP2(l, l, l, "float64", "div" ROUND ".f64")    \
  OP1(l, l, "float64_unary", "rcp" ROUND ".f64") \
  OP1(l, l, "float64_unary", "sqrt" ROUND ".f64")
ROUNDED_ONLY(".rn")
ROUNDED_ONLY(".rz")
ROUNDED_ONLY(".rm")
ROUNDED_ONLY(".rp")
OP3(l, l, l, l, "float64", "mad.rn.f64")

OP2(l, l, l, "float64", "min.f64")
OP2(l, l, l, "float64", "max.f64")
OP1(l, l, "float64_unary", "abs.f64")
OP1(l, l, "float64_unary", "neg.f64")
OP2(l, l, l, "float64", "copysign.f64")

PREDICATE1(l, "float64_unary", "testp.finite.f64")
PREDICATE1(l, "float64_unary", "testp.infinite.f64")
PREDICATE1(l, "float64_unary", "testp.number.f64")
PREDICATE1(l, "float64_unary", "testp.notanumber.f64")
PREDICATE1(l, "float64_unary", "testp.normal.f64")
PREDICATE1(l, "float64_unary", "testp.subnormal.f64")

}  // namespace instructions::float64
