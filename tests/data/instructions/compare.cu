/// \file
/// Comparisons with every operator, and selection by predicate or sign.
#include "form.cuh"

#define FAMILY "compare"

namespace instructions::compare {

#define EQUALITY(APPLY, ...) APPLY("eq", __VA_ARGS__) APPLY("ne", __VA_ARGS__)
#define ORDERED(APPLY, ...)    \
  EQUALITY(APPLY, __VA_ARGS__) \
  APPLY("lt", __VA_ARGS__)     \
  APPLY("le", __VA_ARGS__)     \
  APPLY("gt", __VA_ARGS__)     \
  APPLY("ge", __VA_ARGS__)
#define UNSIGNED(APPLY, ...) \
  APPLY("lo", __VA_ARGS__)   \
  APPLY("ls", __VA_ARGS__)   \
  APPLY("hi", __VA_ARGS__)   \
  APPLY("hs", __VA_ARGS__)
#define FLOATING(APPLY, ...)  \
  ORDERED(APPLY, __VA_ARGS__) \
  APPLY("equ", __VA_ARGS__)   \
  APPLY("neu", __VA_ARGS__)   \
  APPLY("ltu", __VA_ARGS__)   \
  APPLY("leu", __VA_ARGS__)   \
  APPLY("gtu", __VA_ARGS__)   \
  APPLY("geu", __VA_ARGS__)   \
  APPLY("num", __VA_ARGS__)   \
  APPLY("nan", __VA_ARGS__)

#define SETP(OP, TYPE, REG, TABLE) PREDICATE2(REG, REG, TABLE, "setp." OP "." TYPE)
EQUALITY(SETP, "b16", h, "int16")
EQUALITY(SETP, "b32", r, "int32")
EQUALITY(SETP, "b64", l, "int64")
ORDERED(SETP, "s16", h, "int16")
ORDERED(SETP, "u16", h, "int16")
ORDERED(SETP, "s32", r, "int32")
ORDERED(SETP, "u32", r, "int32")
ORDERED(SETP, "s64", l, "int64")
ORDERED(SETP, "u64", l, "int64")
UNSIGNED(SETP, "u16", h, "int16")
UNSIGNED(SETP, "u32", r, "int32")
UNSIGNED(SETP, "u64", l, "int64")
FLOATING(SETP, "f32", r, "float32")
FLOATING(SETP, "ftz.f32", r, "float32")
FLOATING(SETP, "f64", l, "float64")
FLOATING(SETP, "f16", h, "half_pairs")

// Combined with a third predicate, c's lowest bit, and with both destinations kept:
// bit 0 is p (comparison op c), bit 1 is q (not comparison op c).
#define SETP_COMBINED(OP, TYPE, REG, TABLE, BOOLOP)        \
  SEQUENCE(r, REG, REG, r, r, TABLE,                       \
           "setp." OP "." BOOLOP "." TYPE " p|q, a, b, c", \
           ".reg .pred p, q, c;\n"                         \
           ".reg .u32 bit, other;\n"                       \
           "and.b32 bit, %3, 1;\n"                         \
           "setp.ne.u32 c, bit, 0;\n"                      \
           "setp." OP "." BOOLOP "." TYPE                  \
           " p|q, %1, %2, c;\n"                            \
           "selp.u32 bit, 1, 0, p;\n"                      \
           "selp.u32 other, 2, 0, q;\n"                    \
           "or.b32 %0, bit, other;")
#define SETP_NEGATED(OP, TYPE, REG, TABLE, BOOLOP)        \
  SEQUENCE(r, REG, REG, r, r, TABLE,                      \
           "setp." OP "." BOOLOP "." TYPE " p, a, b, !c", \
           ".reg .pred p, c;\n"                           \
           ".reg .u32 bit;\n"                             \
           "and.b32 bit, %3, 1;\n"                        \
           "setp.ne.u32 c, bit, 0;\n"                     \
           "setp." OP "." BOOLOP "." TYPE                 \
           " p, %1, %2, !c;\n"                            \
           "selp.u32 %0, 1, 0, p;")
#define COMBINED(OP, TYPE, REG, TABLE)       \
  SETP_COMBINED(OP, TYPE, REG, TABLE, "and") \
  SETP_COMBINED(OP, TYPE, REG, TABLE, "or")  \
  SETP_COMBINED(OP, TYPE, REG, TABLE, "xor") \
  SETP_NEGATED(OP, TYPE, REG, TABLE, "and")
COMBINED("lt", "s32", r, "int32")
COMBINED("ge", "u32", r, "int32")
COMBINED("eq", "b32", r, "int32")
COMBINED("gt", "s64", l, "int64")
COMBINED("lt", "f32", r, "float32")
COMBINED("neu", "f32", r, "float32")
COMBINED("le", "f64", l, "float64")
SEQUENCE(r, r, r, r, r, "int32", "setp.lt.s32 p|q, a, b",
         ".reg .pred p, q;\n"
         ".reg .u32 bit, other;\n"
         "setp.lt.s32 p|q, %1, %2;\n"
         "selp.u32 bit, 1, 0, p;\n"
         "selp.u32 other, 2, 0, q;\n"
         "or.b32 %0, bit, other;")

// set: the answer as all ones, or as 1.0.
#define SET(OP, TYPE, REG, TABLE)                 \
  OP2(r, REG, REG, TABLE, "set." OP ".u32." TYPE) \
  OP2(r, REG, REG, TABLE, "set." OP ".f32." TYPE)
#define SET_SIGNED(OP, TYPE, REG, TABLE) \
  OP2(r, REG, REG, TABLE, "set." OP ".s32." TYPE)
EQUALITY(SET, "b32", r, "int32")
ORDERED(SET, "s32", r, "int32")
UNSIGNED(SET, "u32", r, "int32")
ORDERED(SET, "s64", l, "int64")
FLOATING(SET, "f32", r, "float32")
FLOATING(SET, "f64", l, "float64")
EQUALITY(SET_SIGNED, "f32", r, "float32")
OP2(r, r, r, "float32", "set.lt.ftz.f32.f32")
SEQUENCE(r, r, r, r, r, "int32", "set.lt.and.u32.s32 with predicate c",
         ".reg .pred c;\n"
         ".reg .u32 bit;\n"
         "and.b32 bit, %3, 1;\n"
         "setp.ne.u32 c, bit, 0;\n"
         "set.lt.and.u32.s32 %0, %1, %2, c;")

#define SELP(TYPE, REG, TABLE)                       \
  SEQUENCE(REG, REG, REG, r, r, TABLE, "selp." TYPE, \
           ".reg .pred p;\n"                         \
           ".reg .u32 bit;\n"                        \
           "and.b32 bit, %3, 1;\n"                   \
           "setp.ne.u32 p, bit, 0;\n"                \
           "selp." TYPE " %0, %1, %2, p;")
SELP("b16", h, "int16")
SELP("b32", r, "int32")
SELP("s32", r, "int32")
SELP("f32", r, "float32")
SELP("b64", l, "int64")
SELP("f64", l, "float64")

OP3(r, r, r, r, "int32", "slct.u32.s32")
OP3(r, r, r, r, "int32", "slct.b32.s32")
OP3(l, l, l, r, "int64", "slct.b64.s32")
OP3(r, r, r, r, "float32", "slct.f32.s32")
OP3(r, r, r, r, "float32", "slct.b32.f32")
OP3(r, r, r, r, "float32", "slct.ftz.b32.f32")
OP3(l, l, l, r, "int64", "slct.u64.f32")

}  // namespace instructions::compare
