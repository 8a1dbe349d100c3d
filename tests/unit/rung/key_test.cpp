#include "rung/key.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace rungs {
namespace {

TEST(KeyOf, ReadsLadderNameAndOrderFromTheFolders) {
  const Key key =
      key_of("/a b/\xc3\xbc/lessons/matmul/3-transposed-a/transposed-a.cu");
  EXPECT_EQ(key.ladder, "matmul");
  EXPECT_EQ(key.rung, "transposed-a");
  EXPECT_EQ(key.order, 3);
  EXPECT_EQ(key.text(), "matmul/transposed-a");
}

TEST(KeyOf, PutsAsidesBehind) {
  EXPECT_EQ(key_of("matmul/x1-small-tile/small-tile.cu").order, 1001);
  EXPECT_EQ(key_of("matmul/12-last/last.cu").order, 12);
}

TEST(KeyOf, RefusesOtherFolders) {
  for (const char* path :
       {"transposed-a.cu", "3-a/a.cu", "matmul/a/a.cu", "matmul/3-/a.cu",
        "matmul/3a/a.cu", "matmul/y1-a/a.cu"}) {
    EXPECT_THROW(key_of(path), std::invalid_argument) << path;
  }
}

}  // namespace
}  // namespace rungs
