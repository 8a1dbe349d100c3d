#include "cpu_device/memory/banks.hpp"

#include <gtest/gtest.h>

namespace rungs::cpu_device {
namespace {

// tests/truth holds the rule against hundreds of launches on an H200; these are the
// cases that a reader can work out in the head.
std::array<uint32_t, 32> lanes_at(uint32_t stride, uint32_t bytes) {
  std::array<uint32_t, 32> address;
  for (uint32_t i = 0; i < 32; ++i) address[i] = i * stride * bytes;
  return address;
}

TEST(Banks, NeighbouringWordsTakeOnePass) {
  const Wavefronts result = shared_wavefronts(lanes_at(1, 4), 0xFFFFFFFF, 4, false);
  EXPECT_EQ(result.total, 1u);
  EXPECT_EQ(result.conflicts, 0u);
}

TEST(Banks, AStrideOf32WordsPutsAllLanesIntoOneBank) {
  const Wavefronts result =
      shared_wavefronts(lanes_at(32, 4), 0xFFFFFFFF, 4, false);
  EXPECT_EQ(result.total, 32u);
  EXPECT_EQ(result.conflicts, 31u);
}

TEST(Banks, OneWordForAllLanesIsABroadcast) {
  EXPECT_EQ(shared_wavefronts({}, 0xFFFFFFFF, 4, false).total, 1u);
}

TEST(Banks, QuadsOfDifferentLanesTakeFourPhases) {
  EXPECT_EQ(shared_wavefronts(lanes_at(1, 16), 0xFFFFFFFF, 16, false).total, 4u);
}

TEST(Banks, NeighboursThatReadTheSameQuadHalveThePhasesOfALoadButNotOfAStore) {
  std::array<uint32_t, 32> address;
  for (uint32_t i = 0; i < 32; ++i) address[i] = i / 2 * 16;
  EXPECT_EQ(shared_wavefronts(address, 0xFFFFFFFF, 16, false).total, 2u);
  EXPECT_EQ(shared_wavefronts(address, 0xFFFFFFFF, 16, true).total, 4u);
}

// Every other lane reads the next quad: with the silent lanes between, 8 quads make
// a phase.
TEST(Banks, AnInactivePartnerCountsAsEqual) {
  std::array<uint32_t, 32> address;
  for (uint32_t i = 0; i < 32; ++i) address[i] = (i + 1) / 2 * 16;
  EXPECT_EQ(shared_wavefronts(address, 0x55555555, 16, false).total, 2u);
  EXPECT_EQ(shared_wavefronts(address, 0xFFFFFFFF, 16, false).total, 4u);
}

TEST(Banks, NoActiveLaneTakesNoPass) {
  EXPECT_EQ(shared_wavefronts(lanes_at(1, 4), 0, 4, false).total, 0u);
}

TEST(Sectors, AreCountedOnceHoweverManyLanesTouchThem) {
  std::array<int32_t, 32> delta;
  for (int32_t i = 0; i < 32; ++i) delta[static_cast<size_t>(i)] = 4 * i;
  EXPECT_EQ(global_sectors(delta, 0x1000, 0xFFFFFFFF, 4), 4u);
  EXPECT_EQ(global_sectors(delta, 0x1004, 0xFFFFFFFF, 4), 5u);
  EXPECT_EQ(global_sectors({}, 0x1000, 0xFFFFFFFF, 4), 1u);
}

TEST(Sectors, LocalMemoryIsInterleavedByLane) {
  EXPECT_EQ(local_sectors({}, 0xFFFFFFFF, 4), 4u);
  EXPECT_EQ(local_sectors({}, 0x000000FF, 4), 1u);
  std::array<uint32_t, 32> offset{};
  offset[1] = 4;  // another word: another row of the interleaving
  EXPECT_EQ(local_sectors(offset, 0b11, 4), 2u);
}

}  // namespace
}  // namespace rungs::cpu_device
