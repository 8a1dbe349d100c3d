#include "fake.hpp"

using namespace rungs::cublas;  // NOLINT: the names of the interface that this
                                // fakes

namespace {
int handle_of_this = 0;
void* workspace_of_this = nullptr;
}  // namespace

extern "C" {

Status cublasCreate_v2(Handle* handle) {
  fake::log("create");
  *handle = reinterpret_cast<Handle>(&handle_of_this);
  return std::getenv("FAKE_CUBLAS_NO_HANDLE") == nullptr ? success : 1;
}

Status cublasGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION ? 13 : type == MINOR_VERSION ? 1 : 7;
  return success;
}

const char* cublasGetStatusName(Status) { return "CUBLAS_STATUS_MADE_UP"; }
const char* cublasGetStatusString(Status) { return "a made-up failure"; }

Status cublasSetMathMode(Handle, Math mode) {
  fake::log("math " + std::to_string(mode));
  return success;
}

Status cublasSetStream_v2(Handle, cudaStream_t stream) {
  workspace_of_this = nullptr;  // as the library does
  fake::log(stream == nullptr ? "stream 0" : "stream");
  return success;
}

Status cublasSetWorkspace_v2(Handle, void* workspace, std::size_t bytes) {
  workspace_of_this = workspace;
  fake::log("workspace " + std::to_string(bytes));
  return success;
}

Status cublasSgemm_v2(Handle, Transpose a_op, Transpose b_op, int m, int n, int k,
                      const float* alpha, const float* a, int lda, const float* b,
                      int ldb, const float* beta, float* c, int ldc) {
  if (a_op != op_n || b_op != op_n || workspace_of_this == nullptr) return 7;
  fake::log("sgemm");
  fake::multiply(m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
  return success;
}
}
