#include "patterns.hpp"

#include <stdexcept>

namespace access_patterns {
namespace {

/// Bytes of a warp's own region; access_patterns.cu sizes its buffers by it.
constexpr int kRegionBytes = 32 * 1024;

class Table {
 public:
  Table(Space space, Direction direction, int width, bool read_only = false)
      : space_(space), direction_(direction), width_(width), read_only_(read_only) {
    prefix_ = space == Space::shared ? "shared_" : "global_";
    prefix_ += direction == Direction::load ? "load_" : "store_";
    if (read_only) prefix_ += "nc_";
    prefix_ += std::to_string(width) + "/";
  }

  /// Adds a pattern unless a lane would leave the region or break the alignment.
  void add(std::vector<Pattern>& out, const std::string& name,
           const ElementOfLane& element, int unit, int base = 0,
           std::uint32_t mask = 0xffffffffu, int blocks = 1, int warps = 1) const {
    LaneOffsets offsets{};
    for (int lane = 0; lane < kWarpSize; ++lane) {
      offsets[lane] = kInactive;
      if ((mask >> lane & 1u) == 0) continue;
      offsets[lane] = base + element(lane) * unit;
      if (offsets[lane] % width_ != 0) return;
      if (offsets[lane] + width_ > kRegionBytes / warps) return;
    }
    out.push_back({prefix_ + name, space_, direction_, width_, read_only_, blocks,
                   warps, offsets});
  }

  int width() const { return width_; }

 private:
  Space space_;
  Direction direction_;
  int width_;
  bool read_only_;
  std::string prefix_;
};

int linear(int lane) { return lane; }

void add_partly_active(std::vector<Pattern>& out, const Table& table) {
  for (const ActiveSet& set : active_sets()) {
    const int width = table.width();
    table.add(out, "stride_1_" + set.name, linear, width, 0, set.mask);
    // Pairs of lanes share an address 33 elements from the next pair's.
    table.add(
        out, "pairs_apart_" + set.name, [](int lane) { return lane / 2 * 33; },
        width, 0, set.mask);
  }
}

void add_shared(std::vector<Pattern>& out, Direction direction, int width) {
  const Table table(Space::shared, direction, width);
  for (const Shape& shape : common_shapes()) {
    table.add(out, shape.name, shape.element, width);
  }
  for (const Shape& shape : word_shapes())
    table.add(out, shape.name, shape.element, 4);
  table.add(out, "base_64", linear, width, 64);
  add_partly_active(out, table);
  // Several warps and blocks: the counters are sums over all of them.
  table.add(
      out, "stride_2_four_warps", [](int lane) { return lane * 2; }, width, 0,
      0xffffffffu, 1, 4);
  table.add(
      out, "stride_2_three_blocks", [](int lane) { return lane * 2; }, width, 0,
      0xffffffffu, 3, 2);
}

void add_small(std::vector<Pattern>& out, Space space, Direction direction,
               int width) {
  const Table table(space, direction, width);
  for (int stride : {1, 2, 3, 64}) {
    table.add(
        out, "stride_" + std::to_string(stride),
        [stride](int lane) { return lane * stride; }, width);
  }
  table.add(
      out, "one_address", [](int) { return 5; }, width);
  table.add(
      out, "reversed", [](int lane) { return 31 - lane; }, width);
  table.add(
      out, "half_warps", [](int lane) { return lane / 16 * 3; }, width);
  table.add(out, "stride_1_odd_lanes", linear, width, 0, 0xaaaaaaaau);
}

void add_global(std::vector<Pattern>& out, Direction direction, int width) {
  const Table table(Space::global, direction, width);
  for (int stride : {1, 2, 3, 4, 5, 8, 17, 64}) {
    table.add(
        out, "stride_" + std::to_string(stride),
        [stride](int lane) { return lane * stride; }, width);
  }
  for (int base : {4, 8, 16, 20, 64, 112}) {
    table.add(out, "base_" + std::to_string(base), linear, width, base);
  }
  table.add(
      out, "one_address", [](int) { return 5; }, width);
  table.add(
      out, "half_warps", [](int lane) { return lane / 16 * 3; }, width);
  table.add(
      out, "neighbours", [](int lane) { return lane / 2; }, width);
  table.add(
      out, "neighbours_apart", [](int lane) { return lane / 2 * 16; }, width);
  table.add(
      out, "quads_apart", [](int lane) { return lane / 4 * 16; }, width);
  table.add(
      out, "across_halves", [](int lane) { return lane % 16; }, width);
  table.add(
      out, "reversed", [](int lane) { return 31 - lane; }, width);
  for (const Shape& shape : common_shapes()) {
    if (shape.name.rfind("gather", 0) == 0 ||
        shape.name.rfind("permutation", 0) == 0) {
      table.add(out, shape.name, shape.element, width);
    }
  }
  // Rows of a matrix: 16 lanes, 8 lanes or 4 lanes to a row of 1024 bytes.
  for (int lanes : {16, 8, 4}) {
    table.add(
        out, "rows_of_" + std::to_string(lanes),
        [lanes, width](int lane) {
          return lane / lanes * (1024 / width) + lane % lanes;
        },
        width);
  }
  for (const ActiveSet& set : active_sets()) {
    table.add(out, "stride_1_" + set.name, linear, width, 0, set.mask);
  }
  table.add(
      out, "stride_5_mixed", [](int lane) { return lane * 5; }, width, 0,
      0x9d3c60b5u);
  table.add(
      out, "stride_2_four_warps", [](int lane) { return lane * 2; }, width, 0,
      0xffffffffu, 1, 4);
  table.add(
      out, "stride_2_three_blocks", [](int lane) { return lane * 2; }, width, 0,
      0xffffffffu, 3, 2);
}

void add_read_only(std::vector<Pattern>& out, int width) {
  const Table table(Space::global, Direction::load, width, true);
  table.add(out, "stride_1", linear, width);
  table.add(
      out, "stride_5", [](int lane) { return lane * 5; }, width);
  table.add(
      out, "one_address", [](int) { return 5; }, width);
  table.add(out, "base_16", linear, width, 16);
  table.add(
      out, "rows_of_8",
      [width](int lane) { return lane / 8 * (1024 / width) + lane % 8; }, width);
}

}  // namespace

std::vector<Pattern> all_patterns() {
  std::vector<Pattern> out;
  for (int width : {4, 8, 16}) {
    add_shared(out, Direction::load, width);
    add_shared(out, Direction::store, width);
  }
  for (int width : {1, 2}) {
    add_small(out, Space::shared, Direction::load, width);
    add_small(out, Space::shared, Direction::store, width);
  }
  for (int width : {4, 8, 16}) {
    add_global(out, Direction::load, width);
    add_global(out, Direction::store, width);
  }
  for (int width : {1, 2}) {
    add_small(out, Space::global, Direction::load, width);
    add_small(out, Space::global, Direction::store, width);
  }
  for (int width : {4, 8, 16}) add_read_only(out, width);
  return out;
}

}  // namespace access_patterns
