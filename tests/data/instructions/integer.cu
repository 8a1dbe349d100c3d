/// \file
/// Integer arithmetic, carries and bit fields.
#include "form.cuh"

#define FAMILY "integer"

namespace instructions::integer {

#define FOR_SIGNS(OP, SUFFIX) OP(s##SUFFIX) OP(u##SUFFIX)

#define ARITHMETIC_16(T)                   \
  OP2(h, h, h, "int16", "add." #T)         \
  OP2(h, h, h, "int16", "sub." #T)         \
  OP2(h, h, h, "int16", "mul.lo." #T)      \
  OP2(h, h, h, "int16", "mul.hi." #T)      \
  OP2(r, h, h, "int16", "mul.wide." #T)    \
  OP3(h, h, h, h, "int16", "mad.lo." #T)   \
  OP3(h, h, h, h, "int16", "mad.hi." #T)   \
  OP3(r, h, h, r, "int16", "mad.wide." #T) \
  OP3(h, h, h, h, "int16", "sad." #T)      \
  OP2(h, h, h, "divide16", "div." #T)      \
  OP2(h, h, h, "divide16", "rem." #T)      \
  OP2(h, h, h, "int16", "min." #T)         \
  OP2(h, h, h, "int16", "max." #T)
FOR_SIGNS(ARITHMETIC_16, 16)

#define ARITHMETIC_32(T)                    \
  OP2(r, r, r, "int32", "add." #T)          \
  OP2(r, r, r, "int32", "sub." #T)          \
  OP2(r, r, r, "int32", "mul.lo." #T)       \
  OP2(r, r, r, "int32", "mul.hi." #T)       \
  OP2(l, r, r, "int32", "mul.wide." #T)     \
  OP3(r, r, r, r, "int32", "mad.lo." #T)    \
  OP3(r, r, r, r, "int32", "mad.hi." #T)    \
  OP3(l, r, r, l, "int32", "mad.wide." #T)  \
  OP2(r, r, r, "int32", "mul24.lo." #T)     \
  OP2(r, r, r, "int32", "mul24.hi." #T)     \
  OP3(r, r, r, r, "int32", "mad24.lo." #T)  \
  OP3(r, r, r, r, "int32", "mad24.hi." #T)  \
  OP3(r, r, r, r, "int32", "sad." #T)       \
  OP2(r, r, r, "divide32", "div." #T)       \
  OP2(r, r, r, "divide32", "rem." #T)       \
  OP2(r, r, r, "int32", "min." #T)          \
  OP2(r, r, r, "int32", "max." #T)          \
  OP1(r, r, "bits32", "bfind." #T)          \
  OP1(r, r, "bits32", "bfind.shiftamt." #T) \
  OP3(r, r, r, r, "field", "bfe." #T)       \
  OP2(r, r, r, "field", "szext.wrap." #T)   \
  OP2(r, r, r, "field", "szext.clamp." #T)
FOR_SIGNS(ARITHMETIC_32, 32)

#define ARITHMETIC_64(T)                    \
  OP2(l, l, l, "int64", "add." #T)          \
  OP2(l, l, l, "int64", "sub." #T)          \
  OP2(l, l, l, "int64", "mul.lo." #T)       \
  OP2(l, l, l, "int64", "mul.hi." #T)       \
  OP3(l, l, l, l, "int64", "mad.lo." #T)    \
  OP3(l, l, l, l, "int64", "mad.hi." #T)    \
  OP3(l, l, l, l, "int64", "sad." #T)       \
  OP2(l, l, l, "divide64", "div." #T)       \
  OP2(l, l, l, "divide64", "rem." #T)       \
  OP2(l, l, l, "int64", "min." #T)          \
  OP2(l, l, l, "int64", "max." #T)          \
  OP1(r, l, "bits64", "bfind." #T)          \
  OP1(r, l, "bits64", "bfind.shiftamt." #T) \
  OP3(l, l, r, r, "field", "bfe." #T)
FOR_SIGNS(ARITHMETIC_64, 64)

// Forms for one signedness only.
OP2(r, r, r, "int32", "add.sat.s32")
OP2(r, r, r, "int32", "sub.sat.s32")
OP3(r, r, r, r, "int32", "mad.hi.sat.s32")
OP3(r, r, r, r, "int32", "mad24.hi.sat.s32")
OP1(h, h, "int16", "abs.s16")
OP1(r, r, "bits32", "abs.s32")
OP1(l, l, "bits64", "abs.s64")
OP1(h, h, "int16", "neg.s16")
OP1(r, r, "bits32", "neg.s32")
OP1(l, l, "bits64", "neg.s64")
OP2(r, r, r, "int32", "min.relu.s32")
OP2(r, r, r, "int32", "max.relu.s32")
OP2(r, r, r, "int32", "add.u16x2")
OP2(r, r, r, "int32", "add.s16x2")
OP2(r, r, r, "int32", "min.u16x2")
OP2(r, r, r, "int32", "max.s16x2")

// Counting, searching and moving bits.
OP1(r, r, "bits32", "popc.b32")
OP1(r, l, "bits64", "popc.b64")
OP1(r, r, "bits32", "clz.b32")
OP1(r, l, "bits64", "clz.b64")
OP1(r, r, "bits32", "brev.b32")
OP1(l, l, "bits64", "brev.b64")
OP4(r, r, r, r, r, "insert", "bfi.b32")
OP4(l, l, l, r, r, "insert", "bfi.b64")
OP2(r, r, r, "shift", "bmsk.wrap.b32")
OP2(r, r, r, "shift", "bmsk.clamp.b32")

// fns: base below 32 and a small offset, as the manual asks; rows give any bits.
SEQUENCE(r, r, r, r, r, "int32", "fns.b32, base = b & 31, offset = (c & 7) - 3",
         ".reg .u32 base, off;\n"
         "and.b32 base, %2, 31;\n"
         "and.b32 off, %3, 7;\n"
         "sub.s32 off, off, 3;\n"
         "fns.b32 %0, %1, base, off;")

// Dot products of bytes; dp2a takes halves of a and two of b's bytes.
#define DOT(A, B)                                \
  OP3(r, r, r, r, "int32", "dp4a." #A "." #B)    \
  OP3(r, r, r, r, "int32", "dp2a.lo." #A "." #B) \
  OP3(r, r, r, r, "int32", "dp2a.hi." #A "." #B)
DOT(u32, u32)
DOT(u32, s32)
DOT(s32, u32)
DOT(s32, s32)

// Carry chains: the flag lives between instructions, so a chain is one form.
SEQUENCE(l, r, r, r, r, "int32", "add.cc.u32; addc.u32",
         ".reg .u32 lo, hi;\n"
         "add.cc.u32 lo, %1, %2;\n"
         "addc.u32 hi, %3, %4;\n"
         "mov.b64 %0, {lo, hi};")
SEQUENCE(l, r, r, r, r, "int32", "add.cc.s32; addc.cc.s32; addc.u32",
         ".reg .u32 x, y, z;\n"
         "add.cc.s32 x, %1, %2;\n"
         "addc.cc.s32 y, %3, %4;\n"
         "addc.u32 z, 0, 0;\n"
         "xor.b32 x, x, y;\n"
         "mov.b64 %0, {x, z};")
SEQUENCE(l, r, r, r, r, "int32", "sub.cc.u32; subc.u32",
         ".reg .u32 lo, hi;\n"
         "sub.cc.u32 lo, %1, %2;\n"
         "subc.u32 hi, %3, %4;\n"
         "mov.b64 %0, {lo, hi};")
SEQUENCE(l, r, r, r, r, "int32", "sub.cc.s32; subc.cc.s32; subc.u32",
         ".reg .u32 x, y, z;\n"
         "sub.cc.s32 x, %1, %2;\n"
         "subc.cc.s32 y, %3, %4;\n"
         "subc.u32 z, 0, 0;\n"
         "xor.b32 x, x, y;\n"
         "mov.b64 %0, {x, z};")
SEQUENCE(l, l, l, l, l, "int64", "add.cc.u64; addc.u64, xor of both halves",
         ".reg .u64 lo, hi;\n"
         "add.cc.u64 lo, %1, %2;\n"
         "addc.u64 hi, %3, %4;\n"
         "xor.b64 %0, lo, hi;")
SEQUENCE(l, l, l, l, l, "int64", "sub.cc.u64; subc.u64, xor of both halves",
         ".reg .u64 lo, hi;\n"
         "sub.cc.u64 lo, %1, %2;\n"
         "subc.u64 hi, %3, %4;\n"
         "xor.b64 %0, lo, hi;")
SEQUENCE(l, r, r, r, r, "int32", "mad.lo.cc.u32; madc.hi.u32",
         ".reg .u32 lo, hi;\n"
         "mad.lo.cc.u32 lo, %1, %2, %3;\n"
         "madc.hi.u32 hi, %1, %2, %4;\n"
         "mov.b64 %0, {lo, hi};")
SEQUENCE(l, r, r, r, r, "int32", "mad.hi.cc.u32; madc.lo.cc.u32; addc.u32",
         ".reg .u32 x, y, z;\n"
         "mad.hi.cc.u32 x, %1, %2, %3;\n"
         "madc.lo.cc.u32 y, %1, %4, %2;\n"
         "addc.u32 z, 0, 0;\n"
         "xor.b32 x, x, y;\n"
         "mov.b64 %0, {x, z};")
SEQUENCE(l, r, r, r, r, "int32", "mad.lo.cc.s32; madc.hi.s32",
         ".reg .u32 lo, hi;\n"
         "mad.lo.cc.s32 lo, %1, %2, %3;\n"
         "madc.hi.s32 hi, %1, %2, %4;\n"
         "mov.b64 %0, {lo, hi};")
SEQUENCE(l, l, l, l, l, "int64", "mad.lo.cc.u64; madc.hi.u64, xor of both halves",
         ".reg .u64 lo, hi;\n"
         "mad.lo.cc.u64 lo, %1, %2, %3;\n"
         "madc.hi.u64 hi, %1, %2, %4;\n"
         "xor.b64 %0, lo, hi;")

}  // namespace instructions::integer
