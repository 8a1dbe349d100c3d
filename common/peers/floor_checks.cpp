#include "peers/floor_checks.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <numeric>

#include "peers/floors.hpp"
#include "rung/cuda_error.hpp"

namespace rungs::floors {
namespace {

constexpr std::int64_t piece = 1 << 22;  // words that are taken at a time: 16 MiB

void take(const std::uint32_t* from, std::int64_t count, std::uint32_t* to) {
  if (count == 0) return;
  require(cudaMemcpy(to, from, static_cast<std::size_t>(count) * sizeof(*to),
                     cudaMemcpyDeviceToHost),
          "copying a tensor from the device");
}

/// The quads of tensors one behind the other, as words.
class Line {
 public:
  explicit Line(const std::vector<Words>& tensors) : tensors_(tensors) {}

  std::int64_t size() const {
    std::int64_t words = 0;
    for (const Words& tensor : tensors_) words += tensor.count / 4 * 4;
    return words;
  }

  /// The words from `first` on, `count` of them or up to the end.
  std::vector<std::uint32_t> words(std::int64_t first, std::int64_t count) const {
    count = std::clamp<std::int64_t>(size() - first, 0, count);
    std::vector<std::uint32_t> words(static_cast<std::size_t>(count));
    std::int64_t begin = 0;
    for (const Words& tensor : tensors_) {
      const std::int64_t end = begin + tensor.count / 4 * 4;
      const std::int64_t from = std::max(first, begin);
      const std::int64_t to = std::min(first + count, end);
      if (from < to) {
        take(tensor.data + (from - begin), to - from,
             words.data() + (from - first));
      }
      begin = end;
    }
    return words;
  }

 private:
  const std::vector<Words>& tensors_;
};

std::uint32_t sum_of(const std::vector<std::uint32_t>& words) {
  return std::accumulate(words.begin(), words.end(), std::uint32_t{0});
}

std::vector<std::uint32_t> rests_of(const std::vector<Words>& tensors) {
  std::vector<std::uint32_t> words;
  for (const Words& tensor : tensors) {
    const Rest rest = rest_of(tensor);
    words.resize(words.size() + rest.count);
    take(rest.words, rest.count, words.data() + words.size() - rest.count);
  }
  return words;
}

/// The sum that is in the scratch is that of the words from `first` on and of the
/// rests.
Comparison check_sums(const std::vector<Words>& inputs, std::int64_t first,
                      const Buffers& buffers, std::size_t sums) {
  const Line line(inputs);
  std::uint32_t expected = sum_of(rests_of(inputs));
  for (std::int64_t at = first; at < line.size(); at += piece) {
    expected += sum_of(line.words(at, piece));
  }
  const std::uint32_t found = sum_of(scratch_words(buffers, sums));
  if (found == expected) return good();
  return bad("the words that it read add up to " + std::to_string(found) +
             ", those of the inputs to " + std::to_string(expected));
}

template <class List, class Data>
std::vector<Words> words_of(const List& list, const Shape& shape, Data data) {
  std::vector<Words> tensors;
  for (const auto& tensor : list) {
    // Inputs are only read; const ends here so that one type serves both.
    float* const start = const_cast<float*>(data(tensor.name));
    tensors.push_back({reinterpret_cast<std::uint32_t*>(start),
                       element_count(shape, tensor.extents)});
  }
  return tensors;
}

}  // namespace

std::vector<Words> inputs_of(const Operation& operation, const Buffers& buffers,
                             const Shape& shape) {
  return words_of(operation.inputs, shape,
                  [&](const std::string& name) { return buffers.input(name); });
}

std::vector<Words> outputs_of(const Operation& operation, const Buffers& buffers,
                              const Shape& shape) {
  return words_of(operation.outputs, shape,
                  [&](const std::string& name) { return buffers.output(name); });
}

Rest rest_of(const Words& tensor) {
  const std::int64_t whole = tensor.count / 4 * 4;
  return {tensor.data + whole, static_cast<unsigned>(tensor.count - whole)};
}

std::string missing_tensors(const Operation& operation) {
  const std::size_t most =
      std::max(operation.inputs.size(), operation.outputs.size());
  if (most <= most_tensors) return "";
  return "it reads and writes up to " + std::to_string(most_tensors) +
         " tensors, and this operation has " + std::to_string(most);
}

Comparison check_read(const std::vector<Words>& inputs, const Buffers& buffers,
                      std::size_t sums) {
  return check_sums(inputs, 0, buffers, sums);
}

Comparison check_copy(const std::vector<Words>& inputs,
                      const std::vector<Words>& outputs, const Buffers& buffers,
                      std::size_t sums) {
  const Line from(inputs);
  const Line to(outputs);
  for (std::int64_t at = 0; at < to.size(); at += piece) {
    const std::vector<std::uint32_t> found = to.words(at, piece);
    std::vector<std::uint32_t> expected = from.words(at, piece);
    expected.resize(found.size(), 0);
    const auto wrong =
        std::mismatch(found.begin(), found.end(), expected.begin()).first;
    if (wrong != found.end()) {
      return bad("word " + std::to_string(at + (wrong - found.begin())) +
                 " of the outputs is not that of the inputs");
    }
  }
  const std::vector<std::uint32_t> rests = rests_of(outputs);
  if (std::any_of(rests.begin(), rests.end(), [](auto word) { return word; })) {
    return bad("the last words of an output are not zero");
  }
  return check_sums(inputs, to.size(), buffers, sums);
}

}  // namespace rungs::floors
