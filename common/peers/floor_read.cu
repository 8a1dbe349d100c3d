// The floor of reading: the inputs are read once, by 128-bit reads, four of them in
// flight in each thread, on as many blocks as the multiprocessors hold.
#include <algorithm>
#include <limits>

#include "floor_hashes.hpp"
#include "peers/floor_checks.hpp"
#include "peers/floor_words.cuh"
#include "peers/floors.hpp"
#include "rung/peer.hpp"

namespace rungs::floors::read {

// A thread has four 128-bit reads in flight before it uses the first. A tile is
// what a block then has in flight, 32 KiB; a multiprocessor holds four blocks.
constexpr int threads = 512;
constexpr int blocks_per_multiprocessor = 4;
constexpr int in_flight = 4;
constexpr unsigned tile = threads * in_flight;  // quads
constexpr int warps = threads / lanes_of_a_warp;

/// Tensors cut into tiles of quads, four floats each. Tiles are numbered through
/// all tensors; the last of a tensor may have fewer quads.
struct Tiles {
  const uint4* data[most_tensors] = {};
  unsigned quads[most_tensors] = {};
  unsigned first[most_tensors] = {};  ///< number of the tensor's first tile
  unsigned count = 0;
  Rest rests[most_tensors] = {};
};

// [read]
struct Tile {
  const uint4* data;
  unsigned quads;  ///< from here to the end of the tensor
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
  const unsigned before = (number - first) * tile;
  return {found.data + before, found.quads - before};
}

__global__ void __launch_bounds__(threads)
    floor_read(const Tiles tiles, std::uint32_t* sums) {
  std::uint32_t sum = 0;
#pragma unroll 1
  for (unsigned number = blockIdx.x; number < tiles.count; number += gridDim.x) {
    const Tile from = find(tiles, number);
    uint4 words[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const unsigned at = i * threads + threadIdx.x;
      words[i] = at < from.quads ? __ldcg(from.data + at) : uint4{};
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i) sum += sum_of(words[i]);
  }
  if (blockIdx.x == 0) {
#pragma unroll
    for (int i = 0; i < most_tensors; ++i) {
      const Rest& rest = tiles.rests[i];
      if (threadIdx.x < rest.count) sum += __ldcg(rest.words + threadIdx.x);
    }
  }
  keep(sum, sums, blockIdx.x * warps + threadIdx.x / lanes_of_a_warp);
}
// [/read]

Tiles cut(const std::vector<Words>& tensors) {
  Tiles tiles;
  std::fill_n(tiles.first, most_tensors, std::numeric_limits<unsigned>::max());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tiles.data[i] = reinterpret_cast<const uint4*>(tensors[i].data);
    tiles.quads[i] = static_cast<unsigned>(tensors[i].count / 4);
    tiles.first[i] = tiles.count;
    tiles.count += (tiles.quads[i] + tile - 1) / tile;
    tiles.rests[i] = rest_of(tensors[i]);
  }
  return tiles;
}

unsigned most_blocks() {
  return static_cast<unsigned>(multiprocessors() * blocks_per_multiprocessor);
}

unsigned blocks_for(const Tiles& tiles) {
  return std::clamp(tiles.count, 1u, most_blocks());
}

std::size_t scratch_bytes(const Operation&, const Shape&) {
  return std::size_t{most_blocks()} * warps * sizeof(std::uint32_t);
}

void launch(const Operation& operation, const Buffers& buffers, const Shape& shape,
            cudaStream_t stream) {
  const Tiles tiles = cut(inputs_of(operation, buffers, shape));
  floor_read<<<blocks_for(tiles), threads, 0, stream>>>(
      tiles, static_cast<std::uint32_t*>(buffers.scratch()));
}

Comparison check(const Operation& operation, const Buffers& buffers,
                 const Shape& shape) {
  const std::vector<Words> inputs = inputs_of(operation, buffers, shape);
  return check_read(inputs, buffers, std::size_t{blocks_for(cut(inputs))} * warps);
}

const rungs::Floor floor = rungs::Floor({
    .name = "floor-read",
    .source_hash = floor_read_hash,
    .work = {.input_bytes = true},
    .missing = missing_tensors,
    .scratch_bytes = scratch_bytes,
    .launch = launch,
    .check = check,
});

}  // namespace rungs::floors::read
