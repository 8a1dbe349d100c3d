/// \file
/// cvt between integers of every width, with and without saturation, and addresses.
#include "form.cuh"

#define FAMILY "convert_integer"

namespace instructions::convert_integer {

// The register that holds a type: bytes live in 32-bit registers here, since an
// inline assembly operand has at least 16 bits.
#define TO_TYPES(APPLY, SOURCE, REG, TABLE) \
  APPLY("u8", r, SOURCE, REG, TABLE)        \
  APPLY("s8", r, SOURCE, REG, TABLE)        \
  APPLY("u16", h, SOURCE, REG, TABLE)       \
  APPLY("s16", h, SOURCE, REG, TABLE)       \
  APPLY("u32", r, SOURCE, REG, TABLE)       \
  APPLY("s32", r, SOURCE, REG, TABLE)       \
  APPLY("u64", l, SOURCE, REG, TABLE)       \
  APPLY("s64", l, SOURCE, REG, TABLE)
#define FROM_TYPES(APPLY)                  \
  TO_TYPES(APPLY, "u8", r, "bits32")       \
  TO_TYPES(APPLY, "s8", r, "bits32")       \
  TO_TYPES(APPLY, "u16", h, "int16_unary") \
  TO_TYPES(APPLY, "s16", h, "int16_unary") \
  TO_TYPES(APPLY, "u32", r, "bits32")      \
  TO_TYPES(APPLY, "s32", r, "bits32")      \
  TO_TYPES(APPLY, "u64", l, "bits64")      \
  TO_TYPES(APPLY, "s64", l, "bits64")

#define CONVERT(DESTINATION, D, SOURCE, S, TABLE) \
  OP1(D, S, TABLE, "cvt." DESTINATION "." SOURCE)
FROM_TYPES(CONVERT)

// ptxas takes .sat only where a value can fall outside the destination.
#define SATURATE(DESTINATION, D, SOURCE, S, TABLE) \
  OP1(D, S, TABLE, "cvt.sat." DESTINATION "." SOURCE)
#define SATURATE_BYTES(...)      \
  SATURATE("u8", r, __VA_ARGS__) \
  SATURATE("s8", r, __VA_ARGS__)
#define SATURATE_SHORTS(...)      \
  SATURATE("u16", h, __VA_ARGS__) \
  SATURATE("s16", h, __VA_ARGS__)
#define SATURATE_WIDE_UNSIGNED(...) \
  SATURATE("u32", r, __VA_ARGS__)   \
  SATURATE("u64", l, __VA_ARGS__)

SATURATE("s8", r, "u8", r, "bits32")
SATURATE("u8", r, "s8", r, "bits32")
SATURATE("u16", h, "s8", r, "bits32")
SATURATE_WIDE_UNSIGNED("s8", r, "bits32")
SATURATE_BYTES("u16", h, "int16_unary")
SATURATE("s16", h, "u16", h, "int16_unary")
SATURATE_BYTES("s16", h, "int16_unary")
SATURATE("u16", h, "s16", h, "int16_unary")
SATURATE_WIDE_UNSIGNED("s16", h, "int16_unary")
SATURATE_BYTES("u32", r, "bits32")
SATURATE_SHORTS("u32", r, "bits32")
SATURATE("s32", r, "u32", r, "bits32")
SATURATE_BYTES("s32", r, "bits32")
SATURATE_SHORTS("s32", r, "bits32")
SATURATE_WIDE_UNSIGNED("s32", r, "bits32")
SATURATE_BYTES("u64", l, "bits64")
SATURATE_SHORTS("u64", l, "bits64")
SATURATE("u32", r, "u64", l, "bits64")
SATURATE("s32", r, "u64", l, "bits64")
SATURATE("s64", l, "u64", l, "bits64")
SATURATE_BYTES("s64", l, "bits64")
SATURATE_SHORTS("s64", l, "bits64")
SATURATE_WIDE_UNSIGNED("s64", l, "bits64")
SATURATE("s32", r, "s64", l, "bits64")

}  // namespace instructions::convert_integer
