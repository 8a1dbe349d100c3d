/// \file
/// What one tested PTX form is, and the macros that make a kernel of it.
///
/// A *value form* is one instruction (or a short sequence) applied to every row of
/// an operand table, one thread a row. A *launch form* is a small kernel whose
/// threads work together: shuffles, barriers, memory by space. Operands always come
/// from memory, so that no compiler knows them, and results are stored as raw bits.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

namespace instructions {

/// One row of an operand table: raw bits, in the low bits for narrow types.
struct Operands {
  unsigned long long a, b, c, d;
};

/// How far a result may be from the recorded one. Zero for both: bit for bit.
struct Tolerance {
  double relative = 0.0;
  double absolute = 0.0;
};
inline constexpr Tolerance kExact{};

/// What the result words are, for the comparison of approximate forms and for
/// messages.
enum class Result { bits32, bits64, f32, f64 };

struct Form {
  std::string family;  ///< the source file: "integer", "float32", ...
  std::string name;    ///< the PTX, unique within all families
  std::string table;   ///< the operand table; empty for launch forms
  Result result;
  Tolerance tolerance;
  int words;  ///< 32-bit result words: per row for value forms, in all for launch
              ///< forms
  dim3 grid, block;  ///< of launch forms
  const void* kernel;
};

/// Bytes of patterned input that launch forms read; see launch_input().
inline constexpr int kInputBytes = 4096;

/// The third argument of every launch form: one field of each width, for ld.param.
struct alignas(16) Parameters {
  signed char s8 = -128;
  unsigned char u8 = 0xfe;
  short s16 = -32768;
  unsigned short u16 = 0xfffe;
  int s32 = -2147483647;
  unsigned u32 = 0xfedcba98u;
  long long s64 = -0x123456789abcdefll;
  unsigned long long u64 = 0xfedcba9876543210ull;
  float f32 = 0.1f;
  double f64 = -0.1;
  unsigned quad[4] = {0x11111111u, 0x22222222u, 0x33333333u, 0x44444444u};
  unsigned char bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255};
};

std::vector<Form>& forms();

/// Called by the macros below, before main() runs.
bool add_form(Form form);

/// Operand tables by name; throws std::out_of_range for a name that is not there.
const std::vector<Operands>& operand_table(const std::string& name);
std::vector<std::string> operand_table_names();

// Register classes by their inline-assembly letter.
using reg_h = unsigned short;
using reg_r = unsigned;
using reg_l = unsigned long long;
using reg_f = float;
using reg_d = double;

}  // namespace instructions

#define FORM_CAT_(a, b) a##b
#define FORM_CAT(a, b) FORM_CAT_(a, b)

/// A kernel `form_N` that sets `d` (of type D) from the row `x`, and its
/// registration. FAMILY is defined by each source file.
#define VALUE_FORM(NAME, TABLE, RESULT, TOLERANCE, D, ...)                     \
  VALUE_FORM_(FORM_CAT(form_, __COUNTER__), NAME, TABLE, RESULT, TOLERANCE, D, \
              __VA_ARGS__)
#define VALUE_FORM_(KERNEL, NAME, TABLE, RESULT, TOLERANCE, D, ...)               \
  __global__ void KERNEL(const Operands* rows, D* out, int count) {               \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                          \
    if (i >= count) return;                                                       \
    const Operands x = rows[i];                                                   \
    D d{};                                                                        \
    __VA_ARGS__;                                                                  \
    out[i] = d;                                                                   \
  }                                                                               \
  static const bool FORM_CAT(KERNEL, _added) = add_form(                          \
      {FAMILY, NAME, TABLE, RESULT, TOLERANCE, sizeof(D) < 4 ? 1 : sizeof(D) / 4, \
       dim3(), dim3(), reinterpret_cast<const void*>(KERNEL)});

/// A kernel over `in` (kInputBytes of patterned data) and `out` (WORDS words,
/// poisoned), with `tid` the thread's index in its block and `parameters` as above.
#define LAUNCH_FORM(NAME, WORDS, GRID, BLOCK, ...) \
  LAUNCH_FORM_(FORM_CAT(form_, __COUNTER__), NAME, WORDS, GRID, BLOCK, __VA_ARGS__)
#define LAUNCH_FORM_(KERNEL, NAME, WORDS, GRID, BLOCK, ...)                  \
  __global__ void KERNEL(const unsigned* in, unsigned* out,                  \
                         const __grid_constant__ Parameters parameters) {    \
    const unsigned tid = threadIdx.x;                                        \
    __VA_ARGS__;                                                             \
    (void)in;                                                                \
    (void)tid;                                                               \
    (void)parameters;                                                        \
  }                                                                          \
  static const bool FORM_CAT(KERNEL, _added) =                               \
      add_form({FAMILY, NAME, "", Result::bits32, kExact, WORDS, dim3(GRID), \
                dim3(BLOCK), reinterpret_cast<const void*>(KERNEL)});

// Results by register class: 16-bit results are widened, so that a row is whole
// words.
#define RESULT_h Result::bits32
#define RESULT_r Result::bits32
#define RESULT_l Result::bits64
#define STORE_h reg_r
#define STORE_r reg_r
#define STORE_l reg_l

/// OP with result class D and operand classes A, B, C, E (the row's a, b, c, d).
#define OP1(D, A, TABLE, OP)                                      \
  VALUE_FORM(OP, TABLE, RESULT_##D, kExact, STORE_##D, reg_##D r; \
             asm volatile(OP " %0, %1;"                           \
                          : "=" #D(r)                             \
                          : #A(static_cast<reg_##A>(x.a)));       \
             d = r)
#define OP2(D, A, B, TABLE, OP)                                                   \
  VALUE_FORM(OP, TABLE, RESULT_##D, kExact, STORE_##D, reg_##D r; asm volatile(   \
                 OP " %0, %1, %2;"                                                \
                 : "=" #D(r)                                                      \
                 : #A(static_cast<reg_##A>(x.a)), #B(static_cast<reg_##B>(x.b))); \
             d = r)
#define OP3(D, A, B, C, TABLE, OP)                                               \
  VALUE_FORM(OP, TABLE, RESULT_##D, kExact, STORE_##D, reg_##D r; asm volatile(  \
                 OP " %0, %1, %2, %3;"                                           \
                 : "=" #D(r)                                                     \
                 : #A(static_cast<reg_##A>(x.a)), #B(static_cast<reg_##B>(x.b)), \
                   #C(static_cast<reg_##C>(x.c)));                               \
             d = r)
#define OP4(D, A, B, C, E, TABLE, OP)                                             \
  VALUE_FORM(OP, TABLE, RESULT_##D, kExact, STORE_##D, reg_##D r; asm volatile(   \
                 OP " %0, %1, %2, %3, %4;"                                        \
                 : "=" #D(r)                                                      \
                 : #A(static_cast<reg_##A>(x.a)), #B(static_cast<reg_##B>(x.b)),  \
                   #C(static_cast<reg_##C>(x.c)), #E(static_cast<reg_##E>(x.d))); \
             d = r)

/// A sequence in braces with its own name; %0 is the result, %1 to %4 the row's
/// values.
#define SEQUENCE(D, A, B, C, E, TABLE, NAME, TEXT)                                \
  VALUE_FORM(NAME, TABLE, RESULT_##D, kExact, STORE_##D, reg_##D r; asm volatile( \
                 "{\n" TEXT "\n}"                                                 \
                 : "=" #D(r)                                                      \
                 : #A(static_cast<reg_##A>(x.a)), #B(static_cast<reg_##B>(x.b)),  \
                   #C(static_cast<reg_##C>(x.c)), #E(static_cast<reg_##E>(x.d))); \
             d = r)

/// Forms whose result is a predicate: 1 or 0 is kept.
#define PREDICATE1(A, TABLE, OP)                                               \
  VALUE_FORM(                                                                  \
      OP, TABLE, Result::bits32, kExact, reg_r,                                \
      asm volatile("{\n.reg .pred p;\n" OP " p, %1;\nselp.u32 %0, 1, 0, p;\n}" \
                   : "=r"(d)                                                   \
                   : #A(static_cast<reg_##A>(x.a))))
#define PREDICATE2(A, B, TABLE, OP)                                              \
  VALUE_FORM(OP, TABLE, Result::bits32, kExact, reg_r,                           \
             asm volatile(                                                       \
                 "{\n.reg .pred p;\n" OP " p, %1, %2;\nselp.u32 %0, 1, 0, p;\n}" \
                 : "=r"(d)                                                       \
                 : #A(static_cast<reg_##A>(x.a)), #B(static_cast<reg_##B>(x.b))))
