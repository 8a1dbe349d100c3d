#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <cstddef>
#include <cstdint>

/// What of cuBLAS 13 is called here, declared anew so that nothing of cuBLAS is
/// needed to build. Names are the library's without their prefix; a test holds
/// values and layouts equal to its headers where those are there.
namespace rungs::cublas {

/// cublasStatus_t
using Status = int;
inline constexpr Status success = 0;  ///< CUBLAS_STATUS_SUCCESS

/// cublasOperation_t
enum Transpose : int { op_n = 0 };

/// cublasMath_t
enum Math : int { pedantic_math = 2, tf32_tensor_op_math = 3 };

/// cublasComputeType_t
enum ComputeType : int { compute_32f_pedantic = 69 };

/// cublasLtMatmulPreferenceAttributes_t
enum Preference : int { max_workspace_bytes = 1 };

/// cublasLtMatmulAlgoConfigAttributes_t, with the types of their values.
enum AlgorithmAttribute : int {
  algorithm_id = 0,       ///< int32_t
  algorithm_tile = 1,     ///< uint32_t
  algorithm_split_k = 2,  ///< int32_t
  algorithm_stages = 6,   ///< uint32_t
};

using Handle = struct Context*;               ///< cublasHandle_t
using LtHandle = struct LtContext*;           ///< cublasLtHandle_t
using LtLayout = struct LayoutData*;          ///< cublasLtMatrixLayout_t
using LtProduct = struct ProductData*;        ///< cublasLtMatmulDesc_t
using LtPreference = struct PreferenceData*;  ///< cublasLtMatmulPreference_t

/// cublasLtMatmulAlgo_t
struct LtAlgorithm {
  std::uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t
struct LtHeuristic {
  LtAlgorithm algorithm;
  std::size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

/// The functions of libcublas.so.13.
struct Functions {
  Status (*Create_v2)(Handle* handle);
  Status (*GetProperty)(libraryPropertyType type, int* value);
  const char* (*GetStatusName)(Status status);
  const char* (*GetStatusString)(Status status);
  Status (*SetMathMode)(Handle handle, Math mode);
  Status (*SetStream_v2)(Handle handle, cudaStream_t stream);
  Status (*SetWorkspace_v2)(Handle handle, void* workspace, std::size_t bytes);
  Status (*Sgemm_v2)(Handle handle, Transpose a_op, Transpose b_op, int m, int n,
                     int k, const float* alpha, const float* a, int lda,
                     const float* b, int ldb, const float* beta, float* c, int ldc);
};

/// The functions of libcublasLt.so.13.
struct LtFunctions {
  Status (*Create)(LtHandle* handle);
  Status (*Matmul)(LtHandle handle, LtProduct product, const void* alpha,
                   const void* a, LtLayout a_layout, const void* b,
                   LtLayout b_layout, const void* beta, const void* c,
                   LtLayout c_layout, void* d, LtLayout d_layout,
                   const LtAlgorithm* algorithm, void* workspace,
                   std::size_t workspace_bytes, cudaStream_t stream);
  Status (*MatmulAlgoConfigGetAttribute)(const LtAlgorithm* algorithm,
                                         AlgorithmAttribute attribute, void* value,
                                         std::size_t bytes, std::size_t* written);
  Status (*MatmulAlgoGetHeuristic)(LtHandle handle, LtProduct product,
                                   LtLayout a_layout, LtLayout b_layout,
                                   LtLayout c_layout, LtLayout d_layout,
                                   LtPreference preference, int asked,
                                   LtHeuristic* results, int* found);
  Status (*MatmulDescCreate)(LtProduct* product, ComputeType type,
                             cudaDataType scale_type);
  Status (*MatmulPreferenceCreate)(LtPreference* preference);
  Status (*MatmulPreferenceDestroy)(LtPreference preference);
  Status (*MatmulPreferenceSetAttribute)(LtPreference preference,
                                         Preference attribute, const void* value,
                                         std::size_t bytes);
  Status (*MatrixLayoutCreate)(LtLayout* layout, cudaDataType type,
                               std::uint64_t rows, std::uint64_t cols,
                               std::int64_t leading);
};

}  // namespace rungs::cublas
