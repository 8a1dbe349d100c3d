/// \file
/// Logic, shifts, byte permutation, and moves that pack and unpack.
#include "form.cuh"

#define FAMILY "logic"

namespace instructions::logic {

#define BITWISE(NAME)                \
  OP2(h, h, h, "int16", NAME ".b16") \
  OP2(r, r, r, "int32", NAME ".b32") \
  OP2(l, l, l, "int64", NAME ".b64")
BITWISE("and")
BITWISE("or")
BITWISE("xor")

#define NEGATION(NAME)             \
  OP1(h, h, "int16", NAME ".b16")  \
  OP1(r, r, "bits32", NAME ".b32") \
  OP1(l, l, "bits64", NAME ".b64")
NEGATION("not")
NEGATION("cnot")

// A spread of truth tables: all of a, b, c; and-or; majority; parity; select; none.
#define LOP3(TABLE)                                    \
  SEQUENCE(r, r, r, r, r, "int32", "lop3.b32 " #TABLE, \
           "lop3.b32 %0, %1, %2, %3, " #TABLE ";")
LOP3(0x80)
LOP3(0xf8)
LOP3(0xe8)
LOP3(0x96)
LOP3(0xca)
LOP3(0x1b)
LOP3(0x00)
LOP3(0xff)
LOP3(0x6a)

// Shifts clamp at the width: the table goes past it.
#define SHIFT(OP, SUFFIX_16, SUFFIX_32, SUFFIX_64) \
  OP2(h, h, r, "shift", OP SUFFIX_16)              \
  OP2(r, r, r, "shift", OP SUFFIX_32)              \
  OP2(l, l, r, "shift", OP SUFFIX_64)
SHIFT("shl", ".b16", ".b32", ".b64")
SHIFT("shr", ".u16", ".u32", ".u64")
SHIFT("shr", ".s16", ".s32", ".s64")
SHIFT("shr", ".b16", ".b32", ".b64")

// Funnel shifts: b of the row is the amount here, so it goes last.
#define FUNNEL(OP)                                                                 \
  SEQUENCE(r, r, r, r, r, "shift", OP ".b32, amount b", OP ".b32 %0, %1, %4, %2;") \
  SEQUENCE(r, r, r, r, r, "shift", OP ".b32, amount c", OP ".b32 %0, %4, %1, %3;")
FUNNEL("shf.l.wrap")
FUNNEL("shf.l.clamp")
FUNNEL("shf.r.wrap")
FUNNEL("shf.r.clamp")

OP3(r, r, r, r, "int32", "prmt.b32")
#define PERMUTE(MODE) OP3(r, r, r, r, "int32", "prmt.b32." MODE)
PERMUTE("f4e")
PERMUTE("b4e")
PERMUTE("rc8")
PERMUTE("ecl")
PERMUTE("ecr")
PERMUTE("rc16")

// Predicates: logic on them, with the row's low bits as predicates.
#define PREDICATE_LOGIC(OP)                    \
  SEQUENCE(r, r, r, r, r, "int32", OP ".pred", \
           ".reg .pred p, q, s;\n"             \
           "setp.gt.s32 p, %1, 1;\n"           \
           "setp.ne.u32 q, %2, 7;\n" OP        \
           ".pred s, p, q;\n"                  \
           "selp.u32 %0, 1, 0, s;")
PREDICATE_LOGIC("and")
PREDICATE_LOGIC("or")
PREDICATE_LOGIC("xor")
SEQUENCE(r, r, r, r, r, "int32", "not.pred; mov.pred; @!p mov",
         ".reg .pred p, q;\n"
         "setp.gt.s32 p, %1, %2;\n"
         "not.pred q, p;\n"
         "mov.pred p, q;\n"
         "mov.u32 %0, %3;\n"
         "@p mov.u32 %0, %1;\n"
         "@!p add.u32 %0, %0, 1;")

// Packing and unpacking.
SEQUENCE(l, r, r, r, r, "int32", "mov.b64 {32, 32}", "mov.b64 %0, {%1, %2};")
SEQUENCE(r, l, l, l, l, "int64", "mov.b64 to {32, 32}",
         ".reg .b32 lo, hi;\nmov.b64 {lo, hi}, %1;\nsub.u32 %0, hi, lo;")
SEQUENCE(r, h, h, h, h, "int16", "mov.b32 {16, 16}", "mov.b32 %0, {%1, %2};")
SEQUENCE(h, r, r, r, r, "int32", "mov.b32 to {16, 16}",
         ".reg .b16 lo, hi;\nmov.b32 {lo, hi}, %1;\nsub.u16 %0, hi, lo;")
SEQUENCE(l, h, h, h, h, "int16", "mov.b64 {16, 16, 16, 16}",
         "mov.b64 %0, {%1, %2, %2, %1};")
SEQUENCE(h, l, l, l, l, "int64", "mov.b64 to {16, 16, 16, 16}",
         ".reg .b16 w, x, y, z;\n"
         "mov.b64 {w, x, y, z}, %1;\n"
         "sub.u16 w, w, x;\n"
         "sub.u16 y, y, z;\n"
         "xor.b16 %0, w, y;")
SEQUENCE(h, h, h, h, h, "int16", "mov.b16 {8, 8}",
         ".reg .b8 lo, hi;\n"
         "cvt.u8.u16 lo, %1;\n"
         "cvt.u8.u16 hi, %2;\n"
         "mov.b16 %0, {lo, hi};")
OP1(r, r, "bits32", "mov.b32")
OP1(r, r, "bits32", "mov.u32")
OP1(l, l, "bits64", "mov.b64")
OP1(h, h, "int16", "mov.u16")
SEQUENCE(r, r, r, r, r, "int32", "mov.f32 and mov.b32 between f32 and b32",
         ".reg .f32 x, y;\nmov.b32 x, %1;\nmov.f32 y, x;\nmov.b32 %0, y;")

}  // namespace instructions::logic
