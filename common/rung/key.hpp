#pragma once

#include <string>
#include <string_view>

namespace rungs {

/// What a rung is called, and where it stands in its ladder.
struct Key {
  std::string ladder;  ///< "matmul"
  std::string rung;    ///< "transposed-a"
  int order = 0;  ///< 3 for folder 3-transposed-a; 1001 for x1-small-tile, an aside

  /// "matmul/transposed-a", the name used everywhere.
  std::string text() const { return ladder + "/" + rung; }
};

/// The key of the rung whose source is this file,
/// .../matmul/3-transposed-a/transposed-a.cu. The folders are the only place where
/// name and order stand. Throws std::invalid_argument if they are not named so.
Key key_of(std::string_view source_path);

}  // namespace rungs
