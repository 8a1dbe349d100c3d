#pragma once

#include <functional>

namespace rungs {

/// Calls `work(begin, end)` on parts that together are [0, count), one part a
/// processor, each in a thread of its own. Every part but the last is a multiple of
/// `grain` long. `work` must not throw.
void in_parallel(int count, int grain, const std::function<void(int, int)>& work);

}  // namespace rungs
