#include "cpu_device/memory/shared_shadow.hpp"

#include <gtest/gtest.h>

namespace rungs::cpu_device {
namespace {

using Kind = SharedShadow::Finding::Kind;

SharedShadow shadow_of(uint32_t warps) {
  SharedShadow shadow({true, true});
  shadow.begin(64, warps);
  return shadow;
}

TEST(Shadow, MemoryIsUninitialisedUntilItIsWritten) {
  SharedShadow shadow = shadow_of(1);
  EXPECT_EQ(shadow.read(0, 0, 4, 7).kind, Kind::uninitialised);
  EXPECT_EQ(shadow.write(0, 0, 2, 7).kind, Kind::fine);
  EXPECT_EQ(shadow.read(0, 0, 4, 7).byte, 2u)
      << "half of the word is still unwritten";
}

TEST(Shadow, AWriteAndAReadOfTwoWarpsNeedABarrierBetween) {
  SharedShadow shadow = shadow_of(2);
  shadow.write(0, 0, 4, 7);
  const SharedShadow::Finding finding = shadow.read(1, 0, 4, 7);
  EXPECT_EQ(finding.kind, Kind::race);
  EXPECT_EQ(finding.other_warp, 0u);
  EXPECT_EQ(finding.other_instruction, 7u);
  shadow = shadow_of(2);
  shadow.write(0, 0, 4, 7);
  shadow.barrier(0b11);
  EXPECT_EQ(shadow.read(1, 0, 4, 7).kind, Kind::fine);
}

TEST(Shadow, AReadAndALaterWriteNeedOneToo) {
  SharedShadow shadow = shadow_of(3);
  shadow.write(0, 0, 4, 7);
  shadow.barrier(0b111);
  shadow.read(1, 0, 4, 7);
  shadow.read(2, 0, 4, 7);
  EXPECT_EQ(shadow.write(2, 0, 4, 7).kind, Kind::race)
      << "warp 1 may not have read yet";
}

TEST(Shadow, TwoWritesAreARaceWhateverTheyWrite) {
  SharedShadow shadow = shadow_of(2);
  shadow.write(0, 8, 4, 7);
  EXPECT_EQ(shadow.write(1, 8, 4, 7).kind, Kind::race);
  EXPECT_EQ(shadow.write(1, 12, 4, 7).kind, Kind::fine)
      << "another word is another matter";
}

TEST(Shadow, ABarrierOrdersOnlyTheWarpsThatJoinIt) {
  SharedShadow shadow = shadow_of(3);
  shadow.write(0, 0, 4, 7);
  shadow.barrier(0b011);
  EXPECT_EQ(shadow.read(1, 0, 4, 7).kind, Kind::fine);
  EXPECT_EQ(shadow.read(2, 0, 4, 7).kind, Kind::race);
}

TEST(Shadow, AtomicsRaceWithPlainAccessesButNotWithEachOther) {
  SharedShadow shadow = shadow_of(2);
  shadow.write(0, 0, 4, 7);
  EXPECT_EQ(shadow.update(1, 0, 4, 7).kind, Kind::race);
  shadow = shadow_of(2);
  shadow.write(0, 0, 4, 7);
  shadow.barrier(0b11);
  EXPECT_EQ(shadow.update(0, 0, 4, 7).kind, Kind::fine);
  EXPECT_EQ(shadow.update(1, 0, 4, 7).kind, Kind::fine);
  EXPECT_EQ(shadow.read(0, 0, 4, 7).kind, Kind::race);
}

TEST(Shadow, EachBlockBeginsWithNothingKnown) {
  SharedShadow shadow = shadow_of(2);
  shadow.write(0, 0, 4, 7);
  shadow.begin(64, 2);
  EXPECT_EQ(shadow.write(1, 0, 4, 7).kind, Kind::fine);
  EXPECT_EQ(shadow.read(1, 4, 4, 7).kind, Kind::uninitialised);
}

}  // namespace
}  // namespace rungs::cpu_device
