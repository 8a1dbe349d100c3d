/// \file
/// Special registers, address spaces, parameters, and what C++ control flow
/// becomes.
#include "form.cuh"

#define FAMILY "special"

namespace instructions::special {

// 2 x 2 x 2 blocks of 4 x 3 x 2 threads: a word for every thread of every block.
#define SPECIAL_32(REGISTER)                                                   \
  LAUNCH_FORM(                                                                 \
      "mov.u32 %" REGISTER, 192, dim3(2, 2, 2), dim3(4, 3, 2), unsigned d;     \
      asm volatile("mov.u32 %0, %%" REGISTER ";"                               \
                   : "=r"(d));                                                 \
      const unsigned block =                                                   \
          (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;      \
      const unsigned thread =                                                  \
          (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; \
      out[block * 24 + thread] = d)
SPECIAL_32("tid.x")
SPECIAL_32("tid.y")
SPECIAL_32("tid.z")
SPECIAL_32("ntid.x")
SPECIAL_32("ntid.y")
SPECIAL_32("ntid.z")
SPECIAL_32("ctaid.x")
SPECIAL_32("ctaid.y")
SPECIAL_32("ctaid.z")
SPECIAL_32("nctaid.x")
SPECIAL_32("nctaid.y")
SPECIAL_32("nctaid.z")
SPECIAL_32("laneid")
SPECIAL_32("lanemask_eq")
SPECIAL_32("lanemask_lt")
SPECIAL_32("lanemask_le")
SPECIAL_32("lanemask_gt")
SPECIAL_32("lanemask_ge")
SPECIAL_32("dynamic_smem_size")
LAUNCH_FORM("mov.u32 %laneid over four warps", 128, 1, 128, unsigned d;
            asm volatile("mov.u32 %0, %%laneid;"
                         : "=r"(d));
            out[tid] = d)

// Which spaces a generic address belongs to: global, shared, local, constant in
// turn.
__constant__ unsigned constant_word = 0x600df00d;
#define IS_SPACE(SPACE)                                                   \
  LAUNCH_FORM(                                                            \
      "isspacep." SPACE, 4, 1, 1, __shared__ unsigned near;               \
      volatile unsigned mine = in[0]; near = in[1];                       \
      const void* pointers[4] = {in, &near, const_cast<unsigned*>(&mine), \
                                 &constant_word};                         \
      for (int i = 0; i < 4; ++i) {                                       \
        unsigned d;                                                       \
        asm volatile("{\n.reg .pred p;\nisspacep." SPACE                  \
                     " p, %1;\n"                                          \
                     "selp.u32 %0, 1, 0, p;\n}"                           \
                     : "=r"(d)                                            \
                     : "l"(pointers[i]));                                 \
        out[i] = d;                                                       \
      })
IS_SPACE("global")
IS_SPACE("shared")
IS_SPACE("local")
IS_SPACE("const")

// To a space and back: the address itself is the machine's, equality is not.
LAUNCH_FORM("cvta.to.global and cvta.global", 2, 1, 1, unsigned long long inner;
            unsigned long long outer; asm volatile("cvta.to.global.u64 %0, %1;"
                                                   : "=l"(inner)
                                                   : "l"(in));
            asm volatile("cvta.global.u64 %0, %1;"
                         : "=l"(outer)
                         : "l"(inner));
            out[0] = outer == reinterpret_cast<unsigned long long>(in);
            unsigned value; asm volatile("ld.global.u32 %0, [%1+8];"
                                         : "=r"(value)
                                         : "l"(inner));
            out[1] = value)
LAUNCH_FORM("cvta.to.shared and cvta.shared", 2, 1, 1, __shared__ unsigned near;
            near = in[3]; unsigned long long inner; unsigned long long outer;
            asm volatile("cvta.to.shared.u64 %0, %1;"
                         : "=l"(inner)
                         : "l"(&near));
            asm volatile("cvta.shared.u64 %0, %1;"
                         : "=l"(outer)
                         : "l"(inner));
            out[0] = outer == reinterpret_cast<unsigned long long>(&near);
            unsigned value; asm volatile("ld.shared.u32 %0, [%1];"
                                         : "=r"(value)
                                         : "l"(inner)
                                         : "memory");
            out[1] = value)
LAUNCH_FORM("cvta.to.local and cvta.local", 2, 1, 1, volatile unsigned mine = in[5];
            unsigned* pointer = const_cast<unsigned*>(&mine);
            unsigned long long inner; unsigned long long outer;
            asm volatile("cvta.to.local.u64 %0, %1;"
                         : "=l"(inner)
                         : "l"(pointer));
            asm volatile("cvta.local.u64 %0, %1;"
                         : "=l"(outer)
                         : "l"(inner));
            out[0] = outer == reinterpret_cast<unsigned long long>(pointer);
            unsigned value; asm volatile("ld.local.u32 %0, [%1];"
                                         : "=r"(value)
                                         : "l"(inner)
                                         : "memory");
            out[1] = value)

// Kernel parameters of every width, alone, as vectors and by index.
LAUNCH_FORM("ld.param of every width", 14, 1, 1,
            out[0] = static_cast<int>(parameters.s8);
            out[1] = parameters.u8; out[2] = static_cast<int>(parameters.s16);
            out[3] = parameters.u16; out[4] = parameters.s32;
            out[5] = parameters.u32; out[6] = static_cast<unsigned>(parameters.s64);
            out[7] = static_cast<unsigned>(parameters.s64 >> 32);
            out[8] = static_cast<unsigned>(parameters.u64);
            out[9] = static_cast<unsigned>(parameters.u64 >> 32);
            out[10] = __float_as_uint(parameters.f32);
            const long long wide = __double_as_longlong(parameters.f64);
            out[11] = static_cast<unsigned>(wide);
            out[12] = static_cast<unsigned>(wide >> 32);
            out[13] = parameters.quad[2])
LAUNCH_FORM("parameters by a run-time index", 64, 1, 32,
            out[tid] = parameters.quad[in[tid] & 3];
            out[32 + tid] = parameters.bytes[in[tid] % 12])

// Calls, jump tables, loops whose lanes leave at different times, and local arrays.
struct Pair {
  unsigned first;
  unsigned long long second;
  unsigned char tail;
};
__device__ __noinline__ Pair combine(Pair pair, unsigned salt) {
  return {pair.first * 3 + salt, pair.second ^ (salt * 0x100000001ull),
          static_cast<unsigned char>(pair.tail + 1)};
}
__device__ __noinline__ unsigned collatz_steps(unsigned n) {
  unsigned steps = 0;
  while (n != 1 && steps < 400) {
    n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}
__device__ unsigned fibonacci(unsigned n) {  // recursive on purpose
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
LAUNCH_FORM("call with a struct in and out", 96, 1, 32,
            const Pair pair = combine({in[tid], in[tid + 1] * 5ull,
                                       static_cast<unsigned char>(tid)},
                                      in[tid + 2]);
            out[tid * 3] = pair.first;
            out[tid * 3 + 1] = static_cast<unsigned>(pair.second ^
                                                     (pair.second >> 32));
            out[tid * 3 + 2] = pair.tail)
LAUNCH_FORM("a loop that lanes leave at different times", 64, 1, 64,
            out[tid] = collatz_steps(tid + 1))
LAUNCH_FORM("recursion", 32, 1, 32, out[tid] = fibonacci(tid % 11))
LAUNCH_FORM(
    "switch with many cases", 32, 1, 32, unsigned value = in[tid];
    switch (tid % 9) {
      case 0:
        value += 5;
        break;
      case 1:
        value *= 7;
        break;
      case 2:
        value ^= 0xff00ff;
        break;
      case 3:
        value = __brev(value);
        break;
      case 4:
        value = value << 3 | value >> 29;
        break;
      case 5:
        value -= tid;
        break;
      case 6:
        value = __popc(value);
        break;
      case 7:
        value /= 13;
        break;
      default:
        value = ~value;
    } out[tid] = value)
LAUNCH_FORM("calls through a table of functions", 32, 1, 32,
            unsigned (*const table[2])(unsigned) = {collatz_steps, fibonacci};
            out[tid] = table[in[tid] >> 3 & 1](tid % 12 + 1))
LAUNCH_FORM("a local array by a run-time index", 64, 1, 64, unsigned histogram[16];
            for (int i = 0; i < 16; ++i) histogram[i] = 0;
            for (int i = 0; i < 40;
                 ++i)++ histogram[(in[tid + i] >> (tid % 8)) & 15];
            unsigned mix = 0;
            for (int i = 0; i < 16; ++i) mix = mix * 31 + histogram[i];
            out[tid] = mix)
LAUNCH_FORM("threads that return early", 64, 1, 64, if (tid % 3 == 0) return;
            out[tid] = in[tid])
LAUNCH_FORM(
    "nested divergence", 32, 1, 32, unsigned value = in[tid];
    for (unsigned i = 0; i < tid % 7; ++i) {
      if ((value >> i & 1) != 0) {
        value = value * 5 + 1;
        if (i > 2) continue;
      } else {
        value ^= value >> 3;
        if (value % 11 == 0) break;
      }
      value += i;
    } out[tid] = value)

}  // namespace instructions::special
