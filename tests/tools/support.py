"""What the tests of the tools share: where the repository is, and made-up lessons."""

import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "common"))

KERNEL = """\
// A claim.
#include "demo.hpp"

namespace demo::first {
constexpr int tile = 16;

// [kernel]
__global__ void kernel(const float* a, float* c) {
  c[threadIdx.x] = a[threadIdx.x] * 2.0f;  // why
}
// [/kernel]

void launch(const demo::Arguments& arguments) { kernel<<<1, tile>>>(arguments.a, arguments.c); }

const rungs::Rung rung = problem().rung({
    .after = "",
    .because = {{"reads", "one; and [one] more"}},
    .launch = launch,
});
}  // namespace demo::first
"""

HEADER = """\
#pragma once
// [launch]
struct Arguments {
  const float* a;
  float* c;
};
// [/launch]
inline int tolerance() { return 1; }
"""

PAGE = """\
# First rung

The change, in `one` or
two [sentences](#x).

## The change
"""


def write_lessons(root: Path, *folders: str) -> None:
    """Write a made-up ladder ``demo`` with a rung in each folder."""
    ladder = root / "lessons" / "demo"
    for folder in folders:
        name = folder.split("-", 1)[1]
        (ladder / folder).mkdir(parents=True)
        (ladder / folder / f"{name}.cu").write_text(KERNEL, encoding="utf-8")
        (ladder / folder / "README.md").write_text(PAGE, encoding="utf-8")
    (ladder / "demo.hpp").write_text(HEADER, encoding="utf-8")
