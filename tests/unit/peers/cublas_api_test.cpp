// What common/peers/cublas_api.hpp declares is what cuBLAS' headers declare. There
// is nothing to run: it compiles, or it does not.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <type_traits>

#include "peers/cublas_api.hpp"

namespace rungs::cublas {

static_assert(success == CUBLAS_STATUS_SUCCESS);
static_assert(int{op_n} == int{CUBLAS_OP_N});
static_assert(int{pedantic_math} == int{CUBLAS_PEDANTIC_MATH});
static_assert(int{tf32_tensor_op_math} == int{CUBLAS_TF32_TENSOR_OP_MATH});
static_assert(int{compute_32f_pedantic} == int{CUBLAS_COMPUTE_32F_PEDANTIC});
static_assert(int{max_workspace_bytes} ==
              int{CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES});
static_assert(int{algorithm_id} == int{CUBLASLT_ALGO_CONFIG_ID});
static_assert(int{algorithm_tile} == int{CUBLASLT_ALGO_CONFIG_TILE_ID});
static_assert(int{algorithm_split_k} == int{CUBLASLT_ALGO_CONFIG_SPLITK_NUM});
static_assert(int{algorithm_stages} == int{CUBLASLT_ALGO_CONFIG_STAGES_ID});

static_assert(sizeof(LtAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
using Theirs = cublasLtMatmulHeuristicResult_t;
static_assert(sizeof(LtHeuristic) == sizeof(Theirs));
static_assert(offsetof(LtHeuristic, algorithm) == offsetof(Theirs, algo));
static_assert(offsetof(LtHeuristic, workspace_bytes) ==
              offsetof(Theirs, workspaceSize));
static_assert(offsetof(LtHeuristic, state) == offsetof(Theirs, state));
static_assert(offsetof(LtHeuristic, waves) == offsetof(Theirs, wavesCount));

/// Two types that a caller passes in the same way: equal, or both enumerations or
/// ints of one size, or both pointers that point to such.
template <class A, class B>
constexpr bool alike() {
  if constexpr (std::is_same_v<A, B>) {
    return true;
  } else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using To = std::remove_pointer_t<A>;
    using From = std::remove_pointer_t<B>;
    if constexpr (std::is_const_v<To> != std::is_const_v<From>) {
      return false;
    } else if constexpr (std::is_void_v<To> || std::is_void_v<From>) {
      return std::is_void_v<To> && std::is_void_v<From>;
    } else if constexpr (std::is_class_v<To> && std::is_class_v<From>) {
      return true;  // a library's own data, of which a caller knows the address
                    // only
    } else {
      return alike<std::remove_const_t<To>, std::remove_const_t<From>>();
    }
  } else {
    constexpr bool integers = (std::is_enum_v<A> || std::is_integral_v<A>)&&(
        std::is_enum_v<B> || std::is_integral_v<B>);
    return integers && sizeof(A) == sizeof(B);
  }
}

template <class Ours, class Theirs>
struct Same;

template <class R, class... A, class S, class... B>
struct Same<R (*)(A...), S (*)(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B)) {
      return false;
    } else {
      return alike<R, S>() && (alike<A, B>() && ...);
    }
  }();
};

#define SAME_BLAS(name) \
  static_assert(Same<decltype(Functions::name), decltype(&cublas##name)>::value)
SAME_BLAS(Create_v2);
SAME_BLAS(GetProperty);
SAME_BLAS(GetStatusName);
SAME_BLAS(GetStatusString);
SAME_BLAS(SetMathMode);
SAME_BLAS(SetStream_v2);
SAME_BLAS(SetWorkspace_v2);
SAME_BLAS(Sgemm_v2);

#define SAME_LT(name) \
  static_assert(Same<decltype(LtFunctions::name), decltype(&cublasLt##name)>::value)
SAME_LT(Create);
SAME_LT(Matmul);
SAME_LT(MatmulAlgoConfigGetAttribute);
SAME_LT(MatmulAlgoGetHeuristic);
SAME_LT(MatmulDescCreate);
SAME_LT(MatmulPreferenceCreate);
SAME_LT(MatmulPreferenceDestroy);
SAME_LT(MatmulPreferenceSetAttribute);
SAME_LT(MatrixLayoutCreate);

}  // namespace rungs::cublas
