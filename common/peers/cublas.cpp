#include "peers/cublas.hpp"

#include "peers/timing_stream.hpp"

namespace rungs::cublas {

void Sgemm::prepare(const Product& product) {
  if (handle_ == nullptr) {
    const Library& library = Library::instance();
    Handle made = nullptr;
    library.require(library.functions().Create_v2(&made), "cublasCreate");
    library.require(library.functions().SetMathMode(made, math_),
                    "cublasSetMathMode");
    handle_ = made;
  }
  const TimingStream stream;
  launch(product, stream.get());
  stream.wait();
}

void Sgemm::launch(const Product& product, cudaStream_t stream) {
  const Library& library = Library::instance();
  const Functions& blas = library.functions();
  library.require(blas.SetStream_v2(handle_, stream), "cublasSetStream");
  // Setting the stream has put cuBLAS' own workspace back.
  library.require(blas.SetWorkspace_v2(handle_, workspace(), workspace_bytes),
                  "cublasSetWorkspace");
  // cuBLAS is column-major, and a row-major matrix read so is its transpose: C = A
  // B is C^T = B^T A^T.
  const float one = 1;
  const float zero = 0;
  const auto [a, b, c, M, N, K] = product;
  library.require(
      blas.Sgemm_v2(handle_, op_n, op_n, N, M, K, &one, b, N, a, K, &zero, c, N),
      "cublasSgemm");
}

}  // namespace rungs::cublas
