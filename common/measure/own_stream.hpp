#pragma once

#include "rung/cuda_error.hpp"

namespace rungs {

/// A stream that neither waits for the default stream nor is waited for by it.
class OwnStream {
 public:
  OwnStream() {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
            "cudaStreamCreate");
  }
  // Nothing is left to do about an error here.
  ~OwnStream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace rungs
