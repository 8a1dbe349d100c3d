/// \file
/// atom and red on 32 and 64 bits, in global and shared memory.
#include "form.cuh"

#define FAMILY "atomic"

namespace instructions::atomic {

/// What an atomic left behind: the value it returned and the value in memory.
template <class Word>
struct Outcome {
  Word old;
  Word now;
};

// Each thread has its own cell, so the outcome is one row's: a is in memory, b is
// the operand, c the new value of a cas. The result holds the old and the new
// value.
#define CELL_global(W) W* cell = &out[i].now
#define CELL_shared(W)     \
  __shared__ W cells[256]; \
  W* cell = &cells[threadIdx.x]
#define ADDRESS_global "l"(__cvta_generic_to_global(cell))
#define ADDRESS_shared "r"(static_cast<unsigned>(__cvta_generic_to_shared(cell)))
#define ADDRESS_generic "l"(cell)
#define CELL_generic(W) CELL_global(W)

#define ATOM(SPACE, REG, NAME, OP, TABLE)                                    \
  VALUE_FORM(                                                                \
      NAME, TABLE, WIDTH_##REG, kExact, Outcome<reg_##REG>,                  \
      CELL_##SPACE(reg_##REG);                                               \
      *static_cast<volatile reg_##REG*>(cell) = static_cast<reg_##REG>(x.a); \
      asm volatile(OP " %0, [%1], %2;"                                       \
                   : "=" #REG(d.old)                                         \
                   : ADDRESS_##SPACE, #REG(static_cast<reg_##REG>(x.b))      \
                   : "memory");                                              \
      d.now = *static_cast<volatile reg_##REG*>(cell))
#define ATOM_CAS(SPACE, REG, NAME, OP, TABLE)                                \
  VALUE_FORM(                                                                \
      NAME, TABLE, WIDTH_##REG, kExact, Outcome<reg_##REG>,                  \
      CELL_##SPACE(reg_##REG);                                               \
      *static_cast<volatile reg_##REG*>(cell) = static_cast<reg_##REG>(x.a); \
      asm volatile(OP " %0, [%1], %2, %3;"                                   \
                   : "=" #REG(d.old)                                         \
                   : ADDRESS_##SPACE, #REG(static_cast<reg_##REG>(x.b)),     \
                     #REG(static_cast<reg_##REG>(x.c))                       \
                   : "memory");                                              \
      d.now = *static_cast<volatile reg_##REG*>(cell))
#define RED(SPACE, REG, NAME, OP, TABLE)                                     \
  VALUE_FORM(                                                                \
      NAME, TABLE, WIDTH_##REG, kExact, Outcome<reg_##REG>,                  \
      CELL_##SPACE(reg_##REG);                                               \
      *static_cast<volatile reg_##REG*>(cell) = static_cast<reg_##REG>(x.a); \
      asm volatile(OP " [%0], %1;" ::ADDRESS_##SPACE,                        \
                   #REG(static_cast<reg_##REG>(x.b))                         \
                   : "memory");                                              \
      d.old = static_cast<reg_##REG>(x.b);                                   \
      d.now = *static_cast<volatile reg_##REG*>(cell))
#define WIDTH_r Result::bits32
#define WIDTH_l Result::bits64

// The generic forms have no space in their PTX.
#define OPERATIONS(SPACE, DOT, ATOMIC, KIND)                                       \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".add.u32", KIND DOT ".add.u32", "int32")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".add.s32", KIND DOT ".add.s32", "int32")   \
  ATOMIC(SPACE, l, #SPACE " " KIND DOT ".add.u64", KIND DOT ".add.u64", "int64")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".min.u32", KIND DOT ".min.u32", "int32")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".min.s32", KIND DOT ".min.s32", "int32")   \
  ATOMIC(SPACE, l, #SPACE " " KIND DOT ".min.u64", KIND DOT ".min.u64", "int64")   \
  ATOMIC(SPACE, l, #SPACE " " KIND DOT ".min.s64", KIND DOT ".min.s64", "int64")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".max.u32", KIND DOT ".max.u32", "int32")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".max.s32", KIND DOT ".max.s32", "int32")   \
  ATOMIC(SPACE, l, #SPACE " " KIND DOT ".max.u64", KIND DOT ".max.u64", "int64")   \
  ATOMIC(SPACE, l, #SPACE " " KIND DOT ".max.s64", KIND DOT ".max.s64", "int64")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".inc.u32", KIND DOT ".inc.u32", "int32")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".dec.u32", KIND DOT ".dec.u32", "int32")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".and.b32", KIND DOT ".and.b32", "int32")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".or.b32", KIND DOT ".or.b32", "int32")     \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".xor.b32", KIND DOT ".xor.b32", "int32")   \
  ATOMIC(SPACE, l, #SPACE " " KIND DOT ".and.b64", KIND DOT ".and.b64", "int64")   \
  ATOMIC(SPACE, l, #SPACE " " KIND DOT ".or.b64", KIND DOT ".or.b64", "int64")     \
  ATOMIC(SPACE, l, #SPACE " " KIND DOT ".xor.b64", KIND DOT ".xor.b64", "int64")   \
  ATOMIC(SPACE, r, #SPACE " " KIND DOT ".add.f32", KIND DOT ".add.f32", "float32") \
  ATOMIC(SPACE, l, #SPACE " " KIND DOT ".add.f64", KIND DOT ".add.f64", "float64")
#define EXCHANGES(SPACE, DOT)                                                     \
  ATOM(SPACE, r, #SPACE " atom" DOT ".exch.b32", "atom" DOT ".exch.b32", "int32") \
  ATOM(SPACE, l, #SPACE " atom" DOT ".exch.b64", "atom" DOT ".exch.b64", "int64") \
  ATOM_CAS(SPACE, r, #SPACE " atom" DOT ".cas.b32", "atom" DOT ".cas.b32",        \
           "int32")                                                               \
  ATOM_CAS(SPACE, l, #SPACE " atom" DOT ".cas.b64", "atom" DOT ".cas.b64", "int64")

OPERATIONS(global, ".global", ATOM, "atom")
OPERATIONS(shared, ".shared", ATOM, "atom")
OPERATIONS(generic, "", ATOM, "atom")
EXCHANGES(global, ".global")
EXCHANGES(shared, ".shared")
EXCHANGES(generic, "")
OPERATIONS(global, ".global", RED, "red")
OPERATIONS(shared, ".shared", RED, "red")
OPERATIONS(generic, "", RED, "red")

// Orders and scopes change nothing in the value.
#define ORDERED(OP) ATOM(global, r, "global " OP, OP, "int32")
ORDERED("atom.relaxed.gpu.global.add.u32")
ORDERED("atom.acquire.gpu.global.add.u32")
ORDERED("atom.release.cta.global.add.u32")
ORDERED("atom.acq_rel.sys.global.add.u32")
RED(global, r, "global red.relaxed.gpu.global.add.u32",
    "red.relaxed.gpu.global.add.u32", "int32")
ATOM_CAS(global, r, "global atom.acq_rel.gpu.global.cas.b32",
         "atom.acq_rel.gpu.global.cas.b32", "int32")

// Many threads on few cells: the sum does not depend on the order, and the returned
// values of an inc are every count once (their sum and xor show that).
LAUNCH_FORM("contended atom.global.add.u32", 4, 4, 128,
            const unsigned add = in[tid] & 0xffff;
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out + tid % 4),
                         "r"(add)
                         : "memory"))
LAUNCH_FORM(
    "contended atom.shared.inc.u32", 3, 1, 128, __shared__ unsigned cell;
    __shared__ unsigned sum; __shared__ unsigned parity; if (tid == 0) {
      cell = 0;
      sum = 0;
      parity = 0;
    } __syncthreads();
    unsigned old;
    asm volatile("atom.shared.inc.u32 %0, [%1], 99;"
                 : "=r"(old)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&cell)))
                 : "memory");
    atomicAdd(&sum, old); atomicXor(&parity, old); __syncthreads(); if (tid == 0) {
      out[0] = cell;
      out[1] = sum;
      out[2] = parity;
    })
LAUNCH_FORM("contended atom.shared.add.f32, whole numbers", 1, 1, 128,
            __shared__ float sum;
            if (tid == 0) sum = 0.0f; __syncthreads();
            atomicAdd(&sum, static_cast<float>(in[tid] & 0xff)); __syncthreads();
            if (tid == 0) out[0] = __float_as_uint(sum))
LAUNCH_FORM(
    "lock by atom.cas in one thread a warp", 1, 1, 128, __shared__ int lock;
    __shared__ unsigned shared_sum; if (tid == 0) {
      lock = 0;
      shared_sum = 0;
    } __syncthreads();
    if (tid % 32 == 0) {
      while (atomicCAS(&lock, 0, 1) != 0) {
      }
      volatile unsigned* guarded = &shared_sum;
      *guarded = *guarded + in[tid];
      __threadfence_block();
      atomicExch(&lock, 0);
    } __syncthreads();
    if (tid == 0) out[0] = shared_sum)

}  // namespace instructions::atomic
