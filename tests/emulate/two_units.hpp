/// \file
/// A template that both files of the program two_units instantiate, and what the
/// second file offers to the first.
#pragma once

template <typename T>
__global__ void scale(T* values, T factor) {
  values[threadIdx.x] *= factor;
}

/// Multiplies by 2 and then adds the second file's own constant, 1000.
void scale_and_add_in_second_file(float* values, int n);
