// The floors of memory: floor-copy reads the operation's inputs and writes its
// outputs, floor-read reads the inputs. Both do it once, by 128-bit accesses, on
// the operation's own buffers.
#include <algorithm>
#include <limits>

#include "peers/floors.hpp"
#include "rung/peer.hpp"

namespace rungs::floors {
namespace stream {

// A thread has four 128-bit reads in flight before it uses the first. A tile is
// what a block then has in flight, 16 KiB; a multiprocessor holds eight blocks.
constexpr int threads = 256;
constexpr int blocks_per_multiprocessor = 8;
constexpr int in_flight = 4;
constexpr unsigned tile = threads * in_flight;  // quads

/// The most inputs, and the most outputs, that an operation may have.
constexpr int most_tensors = 4;

/// Tensors cut into tiles of quads, four floats each. Tiles are numbered through
/// all tensors; the last of a tensor may have fewer quads. Up to three floats at a
/// tensor's end are no quad: its rest.
struct Tiles {
  uint4* data[most_tensors] = {};
  unsigned quads[most_tensors] = {};
  unsigned first[most_tensors] = {};  ///< number of the tensor's first tile
  unsigned count = 0;
  std::uint32_t* rest[most_tensors] = {};
  unsigned rest_count[most_tensors] = {};
};

struct Tile {
  uint4* data;
  unsigned quads;  ///< from here to the end of the tensor; 0 beyond the last tile
};

__device__ Tile find(const Tiles& tiles, unsigned number) {
  Tile found{tiles.data[0], tiles.quads[0]};
  unsigned first = 0;
#pragma unroll
  for (int i = 1; i < most_tensors; ++i) {
    if (number >= tiles.first[i]) {
      found = {tiles.data[i], tiles.quads[i]};
      first = tiles.first[i];
    }
  }
  if (number >= tiles.count) return {nullptr, 0};
  const unsigned before = (number - first) * tile;
  return {found.data + before, found.quads - before};
}

__device__ unsigned sum_of(const uint4& words) {
  return words.x + words.y + words.z + words.w;
}

/// Adds a warp's sums up and writes them to its place: so no read can be left out.
__device__ void keep(unsigned sum, std::uint32_t* sums) {
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, lanes);
  }
  if (threadIdx.x % 32 == 0) {
    sums[(blockIdx.x * threads + threadIdx.x) / 32] = sum;
  }
}

/// Reads each quad of `in` once and writes it to its place in the tile of `out`
/// that has the same number; what `out` has beyond is filled with zeros.
template <bool Writes>
__device__ unsigned pass(const Tiles& in, const Tiles& out) {
  unsigned sum = 0;
  const unsigned end = Writes ? max(in.count, out.count) : in.count;
#pragma unroll 1
  for (unsigned number = blockIdx.x; number < end; number += gridDim.x) {
    const Tile from = find(in, number);
    const Tile to = Writes ? find(out, number) : Tile{nullptr, 0};
    uint4 words[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const unsigned at = i * threads + threadIdx.x;
      words[i] = at < from.quads ? __ldcg(from.data + at) : uint4{};
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const unsigned at = i * threads + threadIdx.x;
      if (at < to.quads) __stcg(to.data + at, words[i]);
      sum += sum_of(words[i]);
    }
  }
  if (blockIdx.x == 0) {
#pragma unroll
    for (int i = 0; i < most_tensors; ++i) {
      if (threadIdx.x < in.rest_count[i]) sum += __ldcg(in.rest[i] + threadIdx.x);
      if (Writes && threadIdx.x < out.rest_count[i]) out.rest[i][threadIdx.x] = 0;
    }
  }
  return sum;
}

__global__ void __launch_bounds__(threads)
    floor_copy(const Tiles in, const Tiles out, std::uint32_t* sums) {
  keep(pass<true>(in, out), sums);
}

__global__ void __launch_bounds__(threads)
    floor_read(const Tiles in, std::uint32_t* sums) {
  keep(pass<false>(in, in), sums);
}

void append(Tiles& tiles, int index, const float* data, std::int64_t elements) {
  // Inputs are only read; const ends here so that one list serves both.
  float* const start = const_cast<float*>(data);
  tiles.data[index] = reinterpret_cast<uint4*>(start);
  tiles.quads[index] = static_cast<unsigned>(elements / 4);
  tiles.first[index] = tiles.count;
  tiles.count += (tiles.quads[index] + tile - 1) / tile;
  tiles.rest[index] = reinterpret_cast<std::uint32_t*>(start + elements / 4 * 4);
  tiles.rest_count[index] = static_cast<unsigned>(elements % 4);
}

/// The tensors of `list`, each at the address that `data` gives for its name.
template <class List, class Data>
Tiles cut(const List& list, const Shape& shape, Data data) {
  Tiles tiles;
  std::fill_n(tiles.first, most_tensors, std::numeric_limits<unsigned>::max());
  int index = 0;
  for (const auto& tensor : list) {
    append(tiles, index++, data(tensor.name), element_count(shape, tensor.extents));
  }
  return tiles;
}

Tiles inputs(const Operation& operation, const Buffers& buffers,
             const Shape& shape) {
  return cut(operation.inputs, shape,
             [&](const std::string& name) { return buffers.input(name); });
}

Tiles outputs(const Operation& operation, const Buffers& buffers,
              const Shape& shape) {
  return cut(operation.outputs, shape,
             [&](const std::string& name) { return buffers.output(name); });
}

int most_blocks() { return multiprocessors() * blocks_per_multiprocessor; }

int blocks_for(unsigned tiles) {
  return static_cast<int>(std::clamp(tiles, 1u, unsigned(most_blocks())));
}

std::string missing(const Operation& operation) {
  const std::size_t most =
      std::max(operation.inputs.size(), operation.outputs.size());
  if (most <= most_tensors) return "";
  return "it reads and writes up to " + std::to_string(most_tensors) +
         " tensors, and this operation has " + std::to_string(most);
}

std::size_t scratch_bytes(const Operation&, const Shape&) {
  return std::size_t(most_blocks()) * (threads / 32) * sizeof(std::uint32_t);
}

void launch_copy(const Operation& operation, const Buffers& buffers,
                 const Shape& shape, cudaStream_t stream) {
  const Tiles in = inputs(operation, buffers, shape);
  const Tiles out = outputs(operation, buffers, shape);
  floor_copy<<<blocks_for(std::max(in.count, out.count)), threads, 0, stream>>>(
      in, out, static_cast<std::uint32_t*>(buffers.scratch()));
}

void launch_read(const Operation& operation, const Buffers& buffers,
                 const Shape& shape, cudaStream_t stream) {
  const Tiles in = inputs(operation, buffers, shape);
  floor_read<<<blocks_for(in.count), threads, 0, stream>>>(
      in, static_cast<std::uint32_t*>(buffers.scratch()));
}

using Words = std::vector<std::uint32_t>;

/// The words of tensors by tile, and apart the rest of each.
struct HostTiles {
  std::vector<Words> tiles = {};
  Words rest = {};
};

template <class List>
HostTiles tiles_of(const List& list, const Tensors<float>& tensors) {
  constexpr std::size_t tile_words = 4 * tile;
  HostTiles host;
  for (const auto& tensor : list) {
    const std::vector<float>& values = tensors.at(tensor.name);
    const auto* const data = reinterpret_cast<const std::uint32_t*>(values.data());
    const std::size_t whole = values.size() / 4 * 4;
    for (std::size_t at = 0; at < whole; at += tile_words) {
      host.tiles.emplace_back(data + at, data + std::min(at + tile_words, whole));
    }
    host.rest.insert(host.rest.end(), data + whole, data + values.size());
  }
  return host;
}

/// Every word of the inputs counts once in the sum of what the threads read, modulo
/// 2^32: one left out, or read twice, shows.
Comparison check_sums(const HostTiles& in, const Buffers& buffers,
                      std::size_t tiles) {
  std::uint32_t expected = 0;
  for (const Words& words : in.tiles) {
    for (const std::uint32_t word : words) expected += word;
  }
  for (const std::uint32_t word : in.rest) expected += word;
  const int blocks = blocks_for(static_cast<unsigned>(tiles));
  std::uint32_t found = 0;
  for (const std::uint32_t sum :
       scratch_words(buffers, std::size_t(blocks) * (threads / 32))) {
    found += sum;
  }
  if (found == expected) return good();
  return bad("the words that it read add up to " + std::to_string(found) +
             ", those of the inputs to " + std::to_string(expected));
}

Comparison check_copy(const Operation& operation, const Buffers& buffers,
                      const Shape&) {
  const HostTiles in = tiles_of(operation.inputs, buffers.download_inputs());
  const HostTiles out = tiles_of(operation.outputs, buffers.download_outputs());
  for (std::size_t i = 0; i < out.tiles.size(); ++i) {
    Words expected = i < in.tiles.size() ? in.tiles[i] : Words{};
    expected.resize(out.tiles[i].size(), 0);
    if (out.tiles[i] != expected) {
      return bad("tile " + std::to_string(i) +
                 " of the outputs is not that of the inputs");
    }
  }
  if (std::any_of(out.rest.begin(), out.rest.end(),
                  [](auto word) { return word; })) {
    return bad("the last words of an output are not zero");
  }
  return check_sums(in, buffers, std::max(in.tiles.size(), out.tiles.size()));
}

Comparison check_read(const Operation& operation, const Buffers& buffers,
                      const Shape&) {
  const HostTiles in = tiles_of(operation.inputs, buffers.download_inputs());
  return check_sums(in, buffers, in.tiles.size());
}

const Floor copy({.name = "floor-copy",
                  .missing = missing,
                  .scratch_bytes = scratch_bytes,
                  .launch = launch_copy,
                  .check = check_copy});

const Floor read({.name = "floor-read",
                  .missing = missing,
                  .scratch_bytes = scratch_bytes,
                  .launch = launch_read,
                  .check = check_read});

}  // namespace stream
}  // namespace rungs::floors
