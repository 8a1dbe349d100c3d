#include "rung/rung.hpp"

#include <gtest/gtest.h>

#include "toy_ladder.hpp"

namespace rungs {
namespace {

Shape shape(int rows, int cols) {
  return toy::problem().operation().shape({rows, cols});
}

TEST(RefuseShape, TakesMultiples) {
  EXPECT_EQ(toy::second().refuse(shape(128, 12)), "");
}

TEST(RefuseShape, NamesTheNearestGoodSizeFirst) {
  EXPECT_EQ(
      toy::second().refuse(shape(100, 12)),
      "toy/second: rows = 100 is not a multiple of 64; the nearest good rows is 128 (or 64)");
  EXPECT_EQ(
      toy::second().refuse(shape(64, 13)),
      "toy/second: cols = 13 is not a multiple of 6; the nearest good cols is 12 (or 18)");
}

TEST(RefuseShape, DoesNotOfferZero) {
  EXPECT_EQ(
      toy::second().refuse(shape(1, 12)),
      "toy/second: rows = 1 is not a multiple of 64; the nearest good rows is 64");
}

TEST(RefuseShape, DoesNotOfferMoreThanTheLimit) {
  EXPECT_EQ(
      toy::second().refuse(shape(704, 12)),
      "toy/second: rows = 704 is more than the grid can cover; the nearest good rows is 640");
  EXPECT_EQ(
      toy::second().refuse(shape(641, 12)),
      "toy/second: rows = 641 is more than the grid can cover; the nearest good rows is 640");
}

TEST(RefuseShape, OffersNoLessThanTheLeast) {
  const std::vector<SizeRule> rules = {
      {.size = "rows", .multiple_of = 6, .at_least = 20, .at_most = 40}};
  EXPECT_EQ(refuse("k", rules, shape(24, 1)), "");
  EXPECT_EQ(refuse("k", rules, shape(6, 1)),
            "k: rows = 6 is less than 20; the nearest good rows is 24");
  EXPECT_EQ(
      refuse("k", rules, shape(25, 1)),
      "k: rows = 25 is not a multiple of 6; the nearest good rows is 24 (or 30)");
}

TEST(RefuseShape, SaysWhatTheLimitIs) {
  const std::vector<SizeRule> rules = {
      {.size = "rows", .at_most = 40, .limit = "the registers hold"}};
  EXPECT_EQ(
      refuse("k", rules, shape(41, 1)),
      "k: rows = 41 is more than the registers hold; the nearest good rows is 40");
}

TEST(RefuseShape, NamesTheOnlyGoodSize) {
  const std::vector<SizeRule> rules = {
      {.size = "rows", .at_least = 40, .at_most = 40}};
  EXPECT_EQ(refuse("k", rules, shape(40, 1)), "");
  for (const int other : {39, 41}) {
    EXPECT_EQ(refuse("k", rules, shape(other, 1)),
              "k: rows = " + std::to_string(other) + "; it does 40 and no other");
  }
}

TEST(RefuseShape, WorksAtTheEdgeOfAnInt) {
  EXPECT_EQ(
      toy::second().refuse(shape(64, 2147483647)),
      "toy/second: cols = 2147483647 is not a multiple of 6; the nearest good cols is "
      "2147483646");
}

TEST(Combine, HoldsWhereBothDo) {
  const std::vector<SizeRule> rules = combine(
      {{.size = "rows", .multiple_of = 4, .at_least = 8, .at_most = 100}},
      {{.size = "rows", .multiple_of = 6, .at_most = 50, .limit = "it holds"},
       {.size = "cols", .multiple_of = 2}});
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].multiple_of, 12);
  EXPECT_EQ(rules[0].at_least, 8);
  EXPECT_EQ(rules[0].at_most, 50);
  EXPECT_EQ(rules[0].limit, "it holds");
  EXPECT_EQ(rules[1].size, "cols");
}

TEST(Registry, HoldsRungsInTheirOrder) {
  toy::second();
  toy::first();
  const std::vector<const Rung*> rungs = registered_rungs();
  ASSERT_EQ(rungs.size(), 2u);
  EXPECT_EQ(rungs[0], &toy::first());
  EXPECT_EQ(rungs[1], &toy::second());
}

TEST(KindNames, AreTheOneList) {
  EXPECT_EQ(name(Kind::kept), "kept");
  EXPECT_EQ(name(Kind::rejected), "rejected");
  EXPECT_EQ(name(Kind::beyond), "beyond");
  EXPECT_EQ(name(Kind::peer), "peer");
  EXPECT_EQ(name(Kind::floor), "floor");
}

}  // namespace
}  // namespace rungs
