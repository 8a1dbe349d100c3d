/// \file
/// Loads and stores by width, vector, space and cache operator.
#include "form.cuh"

#define FAMILY "memory"

namespace instructions::memory {

__constant__ unsigned constant_words[64] = {
    0x03020100, 0x87868584, 0x0b0a0988, 0x8f8e8d8c, 0x13121110, 0x97969594,
    0x1b1a1998, 0x9f9e9d9c, 0x7f80ff00, 0x80000000, 0xffffffff, 0x7fffffff,
    0x12345678, 0x9abcdef0, 0x0badf00d, 0xdeadbeef};

// Where the patterned bytes lie, for each space: `address` holds what the
// instruction takes, with its inline-assembly letter. The constant space holds 64
// bytes of values.
#define SPACE_global(LETTER) \
  const unsigned long long address = __cvta_generic_to_global(in)
#define SPACE_generic(LETTER) \
  const auto address = reinterpret_cast<unsigned long long>(in)
#define SPACE_const(LETTER) \
  const unsigned long long address = __cvta_generic_to_constant(constant_words)
#define SPACE_shared(LETTER)                                               \
  __shared__ alignas(16) unsigned tile[kInputBytes / 4];                   \
  for (int i = threadIdx.x; i < kInputBytes / 4; i += 32) tile[i] = in[i]; \
  __syncthreads();                                                         \
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(tile))
#define SPACE_generic_shared(LETTER)                                       \
  __shared__ alignas(16) unsigned tile[kInputBytes / 4];                   \
  for (int i = threadIdx.x; i < kInputBytes / 4; i += 32) tile[i] = in[i]; \
  __syncthreads();                                                         \
  const auto address = reinterpret_cast<unsigned long long>(tile)
#define SPACE_local(LETTER)                                    \
  alignas(16) volatile unsigned frame[32];                     \
  for (int i = 0; i < 32; ++i) frame[i] = in[i] ^ threadIdx.x; \
  const unsigned long long address =                           \
      __cvta_generic_to_local(const_cast<unsigned*>(frame))
#define SPACE_generic_local(LETTER)                            \
  alignas(16) volatile unsigned frame[32];                     \
  for (int i = 0; i < 32; ++i) frame[i] = in[i] ^ threadIdx.x; \
  const auto address = reinterpret_cast<unsigned long long>(frame)

// 32 threads; thread t reads the element t (modulo what the space holds) of the
// space.
#define LOAD_32(SPACE, LETTER, OP, WIDTH, COUNT)                               \
  LAUNCH_FORM(#SPACE " " OP, 32, 1, 32, SPACE_##SPACE(LETTER); unsigned value; \
              asm volatile(OP " %0, [%1];"                                     \
                           : "=r"(value)                                       \
                           : LETTER(address + tid % (COUNT) * (WIDTH))         \
                           : "memory");                                        \
              out[tid] = value)
#define LOAD_64(SPACE, LETTER, OP, WIDTH, COUNT)                       \
  LAUNCH_FORM(#SPACE " " OP, 64, 1, 32, SPACE_##SPACE(LETTER);         \
              unsigned long long value;                                \
              asm volatile(OP " %0, [%1];"                             \
                           : "=l"(value)                               \
                           : LETTER(address + tid % (COUNT) * (WIDTH)) \
                           : "memory");                                \
              out[tid * 2] = static_cast<unsigned>(value);             \
              out[tid * 2 + 1] = static_cast<unsigned>(value >> 32))
#define LOAD_V2(SPACE, LETTER, OP, WIDTH, COUNT)                                   \
  LAUNCH_FORM(#SPACE " " OP, 64, 1, 32, SPACE_##SPACE(LETTER); unsigned x;         \
              unsigned y; asm volatile(OP " {%0, %1}, [%2];"                       \
                                       : "=r"(x), "=r"(y)                          \
                                       : LETTER(address + tid % (COUNT) * (WIDTH)) \
                                       : "memory");                                \
              out[tid * 2] = x; out[tid * 2 + 1] = y)
#define LOAD_V2_64(SPACE, LETTER, OP, WIDTH, COUNT)                    \
  LAUNCH_FORM(#SPACE " " OP, 128, 1, 32, SPACE_##SPACE(LETTER);        \
              unsigned long long x; unsigned long long y;              \
              asm volatile(OP " {%0, %1}, [%2];"                       \
                           : "=l"(x), "=l"(y)                          \
                           : LETTER(address + tid % (COUNT) * (WIDTH)) \
                           : "memory");                                \
              out[tid * 4] = static_cast<unsigned>(x);                 \
              out[tid * 4 + 1] = static_cast<unsigned>(x >> 32);       \
              out[tid * 4 + 2] = static_cast<unsigned>(y);             \
              out[tid * 4 + 3] = static_cast<unsigned>(y >> 32))
#define LOAD_V4(SPACE, LETTER, OP, WIDTH, COUNT)                            \
  LAUNCH_FORM(#SPACE " " OP, 128, 1, 32, SPACE_##SPACE(LETTER); unsigned x; \
              unsigned y; unsigned z; unsigned w;                           \
              asm volatile(OP " {%0, %1, %2, %3}, [%4];"                    \
                           : "=r"(x), "=r"(y), "=r"(z), "=r"(w)             \
                           : LETTER(address + tid % (COUNT) * (WIDTH))      \
                           : "memory");                                     \
              out[tid * 4] = x; out[tid * 4 + 1] = y; out[tid * 4 + 2] = z; \
              out[tid * 4 + 3] = w)

// BYTES is how much of the space the threads may read.
#define LOADS(SPACE, LETTER, LD, BYTES)                   \
  LOAD_32(SPACE, LETTER, LD ".u8", 1, BYTES)              \
  LOAD_32(SPACE, LETTER, LD ".s8", 1, BYTES)              \
  LOAD_32(SPACE, LETTER, LD ".u16", 2, BYTES / 2)         \
  LOAD_32(SPACE, LETTER, LD ".s16", 2, BYTES / 2)         \
  LOAD_32(SPACE, LETTER, LD ".b32", 4, BYTES / 4)         \
  LOAD_64(SPACE, LETTER, LD ".b64", 8, BYTES / 8)         \
  LOAD_64(SPACE, LETTER, LD ".s32", 4, BYTES / 4)         \
  LOAD_V2(SPACE, LETTER, LD ".v2.u8", 2, BYTES / 2)       \
  LOAD_V2(SPACE, LETTER, LD ".v2.s16", 4, BYTES / 4)      \
  LOAD_V2(SPACE, LETTER, LD ".v2.b32", 8, BYTES / 8)      \
  LOAD_V2_64(SPACE, LETTER, LD ".v2.b64", 16, BYTES / 16) \
  LOAD_V4(SPACE, LETTER, LD ".v4.s8", 4, BYTES / 4)       \
  LOAD_V4(SPACE, LETTER, LD ".v4.u16", 8, BYTES / 8)      \
  LOAD_V4(SPACE, LETTER, LD ".v4.b32", 16, BYTES / 16)
LOADS(global, "l", "ld.global", 1024)
LOADS(global, "l", "ld.global.nc", 1024)
LOADS(shared, "r", "ld.shared", 1024)
LOADS(local, "l", "ld.local", 128)
LOADS(const, "l", "ld.const", 64)
LOADS(generic, "l", "ld", 1024)
LOADS(generic_shared, "l", "ld", 1024)
LOADS(generic_local, "l", "ld", 128)

// Cache operators, orderings and hints change nothing in the value.
#define LOAD_HINTS(LD) LOAD_32(global, "l", LD ".b32", 4, 256)
LOAD_HINTS("ld.global.ca")
LOAD_HINTS("ld.global.cg")
LOAD_HINTS("ld.global.cs")
LOAD_HINTS("ld.global.lu")
LOAD_HINTS("ld.global.cv")
LOAD_HINTS("ld.volatile.global")
LOAD_HINTS("ld.relaxed.gpu.global")
LOAD_HINTS("ld.relaxed.cta.global")
LOAD_HINTS("ld.acquire.gpu.global")
LOAD_HINTS("ld.acquire.sys.global")
LOAD_HINTS("ld.weak.global")
LOAD_HINTS("ld.global.L1::no_allocate")
LOAD_HINTS("ld.global.L1::evict_last")
LOAD_HINTS("ld.global.L2::128B")
LOAD_HINTS("ld.global.nc.L1::no_allocate")
LOAD_HINTS("ld.global.nc.L1::no_allocate.L2::256B")
LOAD_32(shared, "r", "ld.volatile.shared.b32", 4, 256)
LOAD_32(shared, "r", "ld.shared::cta.b32", 4, 256)

// Stores: into a poisoned output, 16 bytes a thread, so that a store too wide
// shows.
#define STORE(NAME, LETTER, ADDRESS, TEXT)                                \
  LAUNCH_FORM(NAME, 128, 1, 32, const unsigned x = in[tid];               \
              const unsigned y = in[tid + 64];                            \
              const unsigned long long z = x * 0x100000001ull + y;        \
              asm volatile(TEXT ::LETTER(ADDRESS), "r"(x), "r"(y), "l"(z) \
                           : "memory"))
#define STORES(SPACE, ST, ADDRESS)                                          \
  STORE(SPACE " " ST ".u8", "l", ADDRESS, ST ".u8 [%0], %1;")               \
  STORE(SPACE " " ST ".s8 at +3", "l", ADDRESS, ST ".s8 [%0+3], %1;")       \
  STORE(SPACE " " ST ".u16 at +6", "l", ADDRESS, ST ".u16 [%0+6], %1;")     \
  STORE(SPACE " " ST ".b32 at +4", "l", ADDRESS, ST ".b32 [%0+4], %1;")     \
  STORE(SPACE " " ST ".b64 at +8", "l", ADDRESS, ST ".b64 [%0+8], %3;")     \
  STORE(SPACE " " ST ".v2.u8", "l", ADDRESS, ST ".v2.u8 [%0], {%1, %2};")   \
  STORE(SPACE " " ST ".v4.u16", "l", ADDRESS,                               \
        ST ".v4.u16 [%0], {%1, %2, %2, %1};")                               \
  STORE(SPACE " " ST ".v2.b32", "l", ADDRESS, ST ".v2.b32 [%0], {%1, %2};") \
  STORE(SPACE " " ST ".v2.b64", "l", ADDRESS, ST ".v2.b64 [%0], {%3, %3};") \
  STORE(SPACE " " ST ".v4.b32", "l", ADDRESS, ST ".v4.b32 [%0], {%1, %2, %2, %1};")
STORES("global", "st.global", __cvta_generic_to_global(out + tid * 4))
STORES("generic", "st", out + tid * 4)
#define STORE_HINTS(ST)                                             \
  STORE("global " ST, "l", __cvta_generic_to_global(out + tid * 4), \
        ST ".b32 [%0], %2;")
STORE_HINTS("st.global.wb")
STORE_HINTS("st.global.cg")
STORE_HINTS("st.global.cs")
STORE_HINTS("st.global.wt")
STORE_HINTS("st.volatile.global")
STORE_HINTS("st.relaxed.gpu.global")
STORE_HINTS("st.release.gpu.global")
STORE_HINTS("st.global.L1::no_allocate")

// Into shared and local memory and back out by plain words.
#define STORE_NEAR(NAME, LETTER, TEXT, DECLARE, CONVERT)                   \
  LAUNCH_FORM(NAME, 128, 1, 32, DECLARE;                                   \
              for (int i = 0; i < 4; ++i) cell[i] = 0x11111111u * (i + 1); \
              const unsigned x = in[tid]; const unsigned y = in[tid + 64]; \
              const unsigned long long z = x * 0x100000001ull + y;         \
              asm volatile(TEXT ::LETTER(CONVERT), "r"(x), "r"(y), "l"(z)  \
                           : "memory");                                    \
              for (int i = 0; i < 4; ++i) out[tid * 4 + i] = cell[i])
#define IN_SHARED                            \
  __shared__ alignas(16) unsigned tile[128]; \
  volatile unsigned* cell = tile + tid * 4
#define IN_LOCAL alignas(16) volatile unsigned cell[4]
#define PLAIN const_cast<unsigned*>(cell)
#define STORES_NEAR(SPACE, LETTER, ST, DECLARE, CONVERT)                           \
  STORE_NEAR(SPACE " " ST ".u8 at +1", LETTER, ST ".u8 [%0+1], %1;", DECLARE,      \
             CONVERT)                                                              \
  STORE_NEAR(SPACE " " ST ".u16 at +2", LETTER, ST ".u16 [%0+2], %1;", DECLARE,    \
             CONVERT)                                                              \
  STORE_NEAR(SPACE " " ST ".b32 at +12", LETTER, ST ".b32 [%0+12], %1;", DECLARE,  \
             CONVERT)                                                              \
  STORE_NEAR(SPACE " " ST ".b64 at +8", LETTER, ST ".b64 [%0+8], %3;", DECLARE,    \
             CONVERT)                                                              \
  STORE_NEAR(SPACE " " ST ".v2.b32", LETTER, ST ".v2.b32 [%0], {%1, %2};",         \
             DECLARE, CONVERT)                                                     \
  STORE_NEAR(SPACE " " ST ".v4.u8 at +4", LETTER,                                  \
             ST ".v4.u8 [%0+4], {%1, %2, %2, %1};", DECLARE, CONVERT)              \
  STORE_NEAR(SPACE " " ST ".v4.b32", LETTER, ST ".v4.b32 [%0], {%1, %2, %2, %1};", \
             DECLARE, CONVERT)
STORES_NEAR("shared", "r", "st.shared", IN_SHARED,
            static_cast<unsigned>(__cvta_generic_to_shared(PLAIN)))
STORES_NEAR("local", "l", "st.local", IN_LOCAL, __cvta_generic_to_local(PLAIN))
STORES_NEAR("generic_shared", "l", "st", IN_SHARED, PLAIN)
STORES_NEAR("generic_local", "l", "st", IN_LOCAL, PLAIN)

}  // namespace instructions::memory
