#include "rung/open_shape.hpp"

#include <algorithm>
#include <bit>
#include <fstream>

#include "rung/cuda_error.hpp"
#include "rung/request.hpp"

namespace rungs {
namespace {

static_assert(std::endian::native == std::endian::little);

template <class Tensor>
std::int64_t bytes_of(const std::vector<Tensor>& tensors, const Shape& shape) {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    bytes += element_count(shape, tensor.extents) *
             static_cast<std::int64_t>(sizeof(float));
  }
  return bytes;
}

std::string file_name(const std::string& tensor) { return tensor + ".f32"; }

template <class Tensor>
Json files_of(const std::vector<Tensor>& tensors, const Shape& shape) {
  Json files = Json::object();
  for (const Tensor& tensor : tensors) {
    Json extents = Json::array();
    for (const std::string& extent : tensor.extents)
      extents.push_back(shape[extent]);
    files[tensor.name] = {{"file", file_name(tensor.name)},
                          {"shape", std::move(extents)}};
  }
  return files;
}

void write(const std::string& path, const std::vector<float>& elements) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(elements.data()),
             static_cast<std::streamsize>(elements.size() * sizeof(float)));
  file.close();
  if (!file) throw Refused("cannot write " + path);
}

std::vector<float> read(const std::string& path, std::int64_t count) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw Refused("cannot read " + path);
  const auto bytes = static_cast<std::streamsize>(file.tellg());
  const auto expected = static_cast<std::streamsize>(count) *
                        static_cast<std::streamsize>(sizeof(float));
  if (bytes != expected) {
    throw Refused(path + " has " + std::to_string(bytes) + " bytes, not " +
                  std::to_string(expected));
  }
  std::vector<float> elements(static_cast<std::size_t>(count));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(elements.data()), expected);
  if (!file) throw Refused("cannot read " + path);
  return elements;
}

}  // namespace

OpenShape::OpenShape(const Operation& operation, const Shape& shape,
                     std::uint64_t seed, std::size_t scratch_bytes, int sets)
    : case_(operation, shape, seed) {
  for (int i = 0; i < sets; ++i) {
    buffers_.emplace_back(operation, shape, scratch_bytes);
    buffers_.back().upload(case_.inputs());
    buffers_.back().poison();
  }
  require(cudaDeviceSynchronize(), "copying the inputs to the device");
}

Comparison OpenShape::check(const Variant& variant, cudaStream_t stream) {
  Buffers& first = buffers_.front();
  if (!is_fresh_) first.upload(case_.inputs());
  first.poison();
  // The stream does not wait for the default stream, which copies and poisons.
  require(cudaDeviceSynchronize(), "poisoning the outputs");
  launch(variant, 0, stream);
  const cudaError_t ended = cudaStreamSynchronize(stream);
  require(cudaGetLastError(), "the launch");
  require(ended, "the kernel");
  if (variant.check) return variant.check(first, shape());
  const std::string changed = first.changed_input(case_.inputs());
  is_fresh_ = changed.empty();
  return case_.check(first.download_outputs(), changed, variant.tolerance);
}

Json OpenShape::write_inputs(const std::string& folder) const {
  for (const auto& [name, elements] : case_.inputs()) {
    write(folder + "/" + file_name(name), elements);
  }
  return files_of(case_.operation().inputs, shape());
}

Json OpenShape::output_files() const {
  return files_of(case_.operation().outputs, shape());
}

Comparison OpenShape::compare(const std::string& folder) {
  Tensors<float> outputs;
  for (const Output& output : case_.operation().outputs) {
    outputs[output.name] = read(folder + "/" + file_name(output.name),
                                element_count(shape(), output.extents));
  }
  return case_.check(outputs);
}

std::int64_t input_bytes(const Operation& operation, const Shape& shape) {
  return bytes_of(operation.inputs, shape);
}

std::int64_t output_bytes(const Operation& operation, const Shape& shape) {
  return bytes_of(operation.outputs, shape);
}

int cold_sets(std::int64_t footprint, std::int64_t cache_bytes) {
  const std::int64_t needed = (4 * cache_bytes + footprint - 1) / footprint;
  return static_cast<int>(std::max<std::int64_t>(needed, 2));
}

}  // namespace rungs
