/// \file
/// cvt between integers and floats and between floats, in every rounding.
#include "form.cuh"

#define FAMILY "convert_float"

namespace instructions::convert_float {

#define INTEGER_TO_FLOAT(ROUND, SOURCE, S, TABLE) \
  OP1(h, S, TABLE, "cvt." ROUND ".f16." SOURCE)   \
  OP1(r, S, TABLE, "cvt." ROUND ".f32." SOURCE)   \
  OP1(l, S, TABLE, "cvt." ROUND ".f64." SOURCE)
#define INTEGERS_TO_FLOAT(ROUND)                   \
  INTEGER_TO_FLOAT(ROUND, "u8", r, "bits32")       \
  INTEGER_TO_FLOAT(ROUND, "s8", r, "bits32")       \
  INTEGER_TO_FLOAT(ROUND, "u16", h, "int16_unary") \
  INTEGER_TO_FLOAT(ROUND, "s16", h, "int16_unary") \
  INTEGER_TO_FLOAT(ROUND, "u32", r, "bits32")      \
  INTEGER_TO_FLOAT(ROUND, "s32", r, "bits32")      \
  INTEGER_TO_FLOAT(ROUND, "u64", l, "bits64")      \
  INTEGER_TO_FLOAT(ROUND, "s64", l, "bits64")
INTEGERS_TO_FLOAT("rn")
INTEGERS_TO_FLOAT("rz")
INTEGERS_TO_FLOAT("rm")
INTEGERS_TO_FLOAT("rp")

#define FLOAT_TO_INTEGERS(ROUND, SOURCE, S, TABLE) \
  OP1(r, S, TABLE, "cvt." ROUND ".u8." SOURCE)     \
  OP1(r, S, TABLE, "cvt." ROUND ".s8." SOURCE)     \
  OP1(h, S, TABLE, "cvt." ROUND ".u16." SOURCE)    \
  OP1(h, S, TABLE, "cvt." ROUND ".s16." SOURCE)    \
  OP1(r, S, TABLE, "cvt." ROUND ".u32." SOURCE)    \
  OP1(r, S, TABLE, "cvt." ROUND ".s32." SOURCE)    \
  OP1(l, S, TABLE, "cvt." ROUND ".u64." SOURCE)    \
  OP1(l, S, TABLE, "cvt." ROUND ".s64." SOURCE)
#define FLOATS_TO_INTEGERS(ROUND)                     \
  FLOAT_TO_INTEGERS(ROUND, "f16", h, "half")          \
  FLOAT_TO_INTEGERS(ROUND, "f32", r, "float32_unary") \
  FLOAT_TO_INTEGERS(ROUND, "f64", l, "float64_unary")
FLOATS_TO_INTEGERS("rni")
FLOATS_TO_INTEGERS("rzi")
FLOATS_TO_INTEGERS("rmi")
FLOATS_TO_INTEGERS("rpi")
FLOAT_TO_INTEGERS("rzi.ftz", "f32", r, "float32_unary")
FLOAT_TO_INTEGERS("rpi.ftz", "f32", r, "float32_unary")
FLOAT_TO_INTEGERS("rni.sat", "f32", r, "float32_unary")

// f64 to f32 and down to halves.
#define NARROW(ROUND)                                     \
  OP1(r, l, "float64_unary", "cvt." ROUND ".f32.f64")     \
  OP1(r, l, "float64_unary", "cvt." ROUND ".ftz.f32.f64") \
  OP1(r, l, "float64_unary", "cvt." ROUND ".sat.f32.f64") \
  OP1(h, l, "float64_unary", "cvt." ROUND ".f16.f64")     \
  OP1(h, r, "float32_unary", "cvt." ROUND ".f16.f32")
NARROW("rn")
NARROW("rz")
NARROW("rm")
NARROW("rp")
OP1(h, r, "float32_unary", "cvt.rn.ftz.f16.f32")
OP1(h, r, "float32_unary", "cvt.rn.sat.f16.f32")

// And up: always exact.
OP1(l, r, "float32_unary", "cvt.f64.f32")
OP1(l, r, "float32_unary", "cvt.ftz.f64.f32")
OP1(l, r, "float32_unary", "cvt.sat.f64.f32")
OP1(r, h, "half", "cvt.f32.f16")
OP1(r, h, "half", "cvt.sat.f32.f16")
OP1(l, h, "half", "cvt.f64.f16")
OP1(r, h, "half", "cvt.f32.bf16")

// To whole numbers within one type, and saturation alone.
#define INTEGRAL(ROUND)                                   \
  OP1(r, r, "float32_unary", "cvt." ROUND ".f32.f32")     \
  OP1(r, r, "float32_unary", "cvt." ROUND ".ftz.f32.f32") \
  OP1(r, r, "float32_unary", "cvt." ROUND ".sat.f32.f32") \
  OP1(l, l, "float64_unary", "cvt." ROUND ".f64.f64")     \
  OP1(h, h, "half", "cvt." ROUND ".f16.f16")
INTEGRAL("rni")
INTEGRAL("rzi")
INTEGRAL("rmi")
INTEGRAL("rpi")
OP1(r, r, "float32_unary", "cvt.f32.f32")
OP1(r, r, "float32_unary", "cvt.sat.f32.f32")
OP1(r, r, "float32_unary", "cvt.ftz.f32.f32")
OP1(l, l, "float64_unary", "cvt.sat.f64.f64")

// bf16 and the packed pairs that the toolkit's headers use.
OP1(h, r, "float32_unary", "cvt.rn.bf16.f32")
OP1(h, r, "float32_unary", "cvt.rz.bf16.f32")
OP1(h, r, "float32_unary", "cvt.rn.relu.bf16.f32")
OP1(h, r, "float32_unary", "cvt.rn.relu.f16.f32")
OP2(r, r, r, "float32", "cvt.rn.bf16x2.f32")
OP2(r, r, r, "float32", "cvt.rz.bf16x2.f32")
OP2(r, r, r, "float32", "cvt.rn.f16x2.f32")
OP2(r, r, r, "float32", "cvt.rz.f16x2.f32")
OP1(r, r, "float32_unary", "cvt.rna.tf32.f32")
OP1(r, r, "float32_unary", "cvt.rn.tf32.f32")

}  // namespace instructions::convert_float
