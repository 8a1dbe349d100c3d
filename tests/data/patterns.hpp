/// \file
/// The table of access patterns: which byte every lane of a warp touches.
///
/// One pattern is one memory instruction of one warp. The table drives the kernels
/// of access_patterns.cu, and through `--list` the Python tests, so that hardware,
/// CPU device and the bank rule as written in Python are asked about the same
/// accesses.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace access_patterns {

inline constexpr int kWarpSize = 32;
inline constexpr int kInactive = -1;

/// Byte offset from the start of the buffer for each lane, or kInactive.
using LaneOffsets = std::array<int, kWarpSize>;

enum class Space { shared, global };
enum class Direction { load, store };

struct Pattern {
  std::string
      name;  ///< "shared_load_16/stride_3": unique, says space, width and shape
  Space space;
  Direction direction;
  int width;       ///< bytes each lane moves: 1, 2, 4, 8 or 16
  bool read_only;  ///< global loads only: ld.global.nc instead of ld.global
  int blocks;      ///< grid size
  int warps;       ///< warps a block, each repeating the pattern in its own region
  LaneOffsets offsets;
};

/// Where a lane points, in units of the access width.
using ElementOfLane = std::function<int(int lane)>;

/// A fixed generator: the table must be the same on every machine and for ever.
class FixedRandom {
 public:
  explicit FixedRandom(std::uint32_t seed) : state_(seed) {}
  int below(int bound) {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<int>((state_ >> 8) % static_cast<std::uint32_t>(bound));
  }

 private:
  std::uint32_t state_;
};

inline std::array<int, kWarpSize> random_permutation(std::uint32_t seed) {
  std::array<int, kWarpSize> order{};
  for (int lane = 0; lane < kWarpSize; ++lane) order[lane] = lane;
  FixedRandom random(seed);
  for (int last = kWarpSize - 1; last > 0; --last) {
    std::swap(order[last], order[random.below(last + 1)]);
  }
  return order;
}

/// The lane map of a 4 x 8 warp whose row and column bits alternate, starting with
/// the column: lane bits 0, 2, 4 are the column, bits 1 and 3 the row.
inline int interleaved_column(int lane) {
  return (lane & 1) | ((lane >> 1) & 2) | ((lane >> 2) & 4);
}
inline int interleaved_row(int lane) {
  return ((lane >> 1) & 1) | ((lane >> 2) & 2);
}

struct Shape {
  std::string name;
  ElementOfLane element;
};

/// Shapes that say nothing about banks by themselves: any width may use them.
inline std::vector<Shape> common_shapes() {
  std::vector<Shape> shapes;
  for (int stride : {1, 2, 3, 4, 5, 8, 16, 17, 32, 33}) {
    shapes.push_back({"stride_" + std::to_string(stride),
                      [stride](int lane) { return lane * stride; }});
  }
  // Broadcasts: which lanes share an address decides whether halves are served
  // together.
  shapes.push_back({"one_address", [](int) { return 5; }});
  shapes.push_back({"half_warps", [](int lane) { return lane / 16 * 3; }});
  shapes.push_back({"neighbours", [](int lane) { return lane / 2; }});
  shapes.push_back({"second_neighbours",
                    [](int lane) { return (lane & 1) | ((lane >> 2) << 1); }});
  shapes.push_back({"fourth_neighbours",
                    [](int lane) { return (lane & 3) | ((lane >> 3) << 2); }});
  shapes.push_back({"quads", [](int lane) { return lane / 4; }});
  shapes.push_back({"quads_apart", [](int lane) { return lane / 4 * 32; }});
  shapes.push_back({"across_halves", [](int lane) { return lane % 16; }});
  shapes.push_back({"pairs_then_not", [](int lane) {
                      // Fifteen equal pairs and one unequal: no pair rule may
                      // apply.
                      return lane == 31 ? 40 : lane / 2;
                    }});
  // Orders: a permutation of one row is free whatever the order.
  shapes.push_back({"reversed", [](int lane) { return 31 - lane; }});
  shapes.push_back({"xor_swizzle", [](int lane) { return lane ^ (lane >> 2); }});
  shapes.push_back({"swizzled_column", [](int lane) {
                      // Column 3 of a tile stored with column ^ row, eight quads a
                      // row.
                      return lane * 8 + (3 ^ (lane & 7));
                    }});
  shapes.push_back({"permutation", [order = random_permutation(1)](int lane) {
                      return order[lane];
                    }});
  for (std::uint32_t seed : {11u, 12u}) {
    FixedRandom random(seed);
    std::array<int, kWarpSize> at{};
    for (int& element : at) element = random.below(256);
    shapes.push_back(
        {"gather_" + std::to_string(seed), [at](int lane) { return at[lane]; }});
  }
  {
    // Few distinct addresses, so that many lanes share a word.
    FixedRandom random(21);
    std::array<int, kWarpSize> at{};
    for (int& element : at) element = random.below(6) * 9;
    shapes.push_back({"gather_few", [at](int lane) { return at[lane]; }});
  }
  // Matrix-multiply lane maps, rows of 64 floats kept as rows of 64 elements.
  shapes.push_back({"two_rows_by_16_row", [](int lane) { return lane / 16 * 64; }});
  shapes.push_back({"two_rows_by_16_column", [](int lane) { return lane % 16; }});
  shapes.push_back({"four_by_8_row", [](int lane) { return lane / 8; }});
  shapes.push_back({"four_by_8_column", [](int lane) { return lane % 8; }});
  shapes.push_back(
      {"interleaved_row", [](int lane) { return interleaved_row(lane); }});
  shapes.push_back(
      {"interleaved_column", [](int lane) { return interleaved_column(lane); }});
  shapes.push_back(
      {"four_by_8_tile", [](int lane) { return lane / 8 * 17 + lane % 8; }});
  return shapes;
}

/// Shapes in units of 4-byte words: padded tiles and transposed stores. A wide
/// access uses those whose words fall on its own alignment.
inline std::vector<Shape> word_shapes() {
  std::vector<Shape> shapes;
  for (int row : {32, 33, 34, 36, 40, 68}) {
    shapes.push_back({"two_rows_of_" + std::to_string(row),
                      [row](int lane) { return lane / 16 * row * 4 + lane % 16; }});
    shapes.push_back({"column_of_" + std::to_string(row),
                      [row](int lane) { return lane * row; }});
  }
  // Transposing stores: a warp reads quads of a row-major A tile and stores them
  // down the k-major tile. K step 32 has 8 quads a row, K step 64 has 16.
  for (int quads_in_row : {2, 8, 16}) {
    shapes.push_back({"transposed_" + std::to_string(quads_in_row * 4),
                      [quads_in_row](int lane) {
                        const int quad = lane % quads_in_row;
                        const int row = lane / quads_in_row;
                        return quad * 4 * 68 + row;
                      }});
  }
  return shapes;
}

struct ActiveSet {
  std::string name;
  std::uint32_t mask;
};

inline const std::vector<ActiveSet>& active_sets() {
  static const std::vector<ActiveSet> sets = {
      {"lower_half", 0x0000ffffu}, {"upper_half", 0xffff0000u},
      {"lane_0", 0x00000001u},     {"lane_17", 0x00020000u},
      {"odd_lanes", 0xaaaaaaaau},  {"every_fourth", 0x11111111u},
      {"first_5", 0x0000001fu},    {"mixed", 0x9d3c60b5u},
  };
  return sets;
}

/// Every pattern, in the fixed order in which the program launches them.
std::vector<Pattern> all_patterns();

}  // namespace access_patterns
