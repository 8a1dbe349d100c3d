/// \file
/// Single memory instructions by width, for access_patterns.cu.
#pragma once

namespace access_patterns {

/// Words of a lane's result: a 16-byte access fills all four.
struct alignas(16) Result {
  unsigned word[4];
};

// The accesses are inline PTX and volatile: one instruction each, neither removed
// nor merged nor widened by a compiler.
template <int width>
struct Shared;
template <int width>
struct Global;
template <int width>
struct GlobalReadOnly;

#define ONE_WORD_ACCESS(STRUCT, WIDTH, TYPE, LOAD, STORE, ADDRESS, CONSTRAINT) \
  template <>                                                                  \
  struct STRUCT<WIDTH> {                                                       \
    static __device__ Result load(ADDRESS at) {                                \
      Result r{};                                                              \
      asm volatile(LOAD TYPE " %0, [%1];"                                      \
                   : "=r"(r.word[0])                                           \
                   : CONSTRAINT(at)                                            \
                   : "memory");                                                \
      return r;                                                                \
    }                                                                          \
    static __device__ void store(ADDRESS at, const Result& r) {                \
      asm volatile(STORE TYPE " [%0], %1;" ::CONSTRAINT(at), "r"(r.word[0])    \
                   : "memory");                                                \
    }                                                                          \
  }

#define WIDE_ACCESSES(STRUCT, LOAD, STORE, ADDRESS, CONSTRAINT)                   \
  template <>                                                                     \
  struct STRUCT<8> {                                                              \
    static __device__ Result load(ADDRESS at) {                                   \
      Result r{};                                                                 \
      asm volatile(LOAD "v2.u32 {%0, %1}, [%2];"                                  \
                   : "=r"(r.word[0]), "=r"(r.word[1])                             \
                   : CONSTRAINT(at)                                               \
                   : "memory");                                                   \
      return r;                                                                   \
    }                                                                             \
    static __device__ void store(ADDRESS at, const Result& r) {                   \
      asm volatile(STORE "v2.u32 [%0], {%1, %2};" ::CONSTRAINT(at),               \
                   "r"(r.word[0]), "r"(r.word[1])                                 \
                   : "memory");                                                   \
    }                                                                             \
  };                                                                              \
  template <>                                                                     \
  struct STRUCT<16> {                                                             \
    static __device__ Result load(ADDRESS at) {                                   \
      Result r{};                                                                 \
      asm volatile(LOAD "v4.u32 {%0, %1, %2, %3}, [%4];"                          \
                   : "=r"(r.word[0]), "=r"(r.word[1]), "=r"(r.word[2]),           \
                     "=r"(r.word[3])                                              \
                   : CONSTRAINT(at)                                               \
                   : "memory");                                                   \
      return r;                                                                   \
    }                                                                             \
    static __device__ void store(ADDRESS at, const Result& r) {                   \
      asm volatile(STORE "v4.u32 [%0], {%1, %2, %3, %4};" ::CONSTRAINT(at),       \
                   "r"(r.word[0]), "r"(r.word[1]), "r"(r.word[2]), "r"(r.word[3]) \
                   : "memory");                                                   \
    }                                                                             \
  }

#define ALL_ACCESSES(STRUCT, LOAD, STORE, ADDRESS, CONSTRAINT)         \
  ONE_WORD_ACCESS(STRUCT, 1, "u8", LOAD, STORE, ADDRESS, CONSTRAINT);  \
  ONE_WORD_ACCESS(STRUCT, 2, "u16", LOAD, STORE, ADDRESS, CONSTRAINT); \
  ONE_WORD_ACCESS(STRUCT, 4, "u32", LOAD, STORE, ADDRESS, CONSTRAINT); \
  WIDE_ACCESSES(STRUCT, LOAD, STORE, ADDRESS, CONSTRAINT)

ALL_ACCESSES(Shared, "ld.shared.", "st.shared.", unsigned, "r");
ALL_ACCESSES(Global, "ld.global.", "st.global.", const void*, "l");
ALL_ACCESSES(GlobalReadOnly, "ld.global.nc.", "st.global.", const void*, "l");

#undef ALL_ACCESSES
#undef WIDE_ACCESSES
#undef ONE_WORD_ACCESS

}  // namespace access_patterns
