"""What the tests of the tools share: where the repository is, and made-up lessons."""

import sys
from collections.abc import Iterable
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "common"))

from evidence import source_hash  # noqa: E402

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

FLOOR = """\
// A claim.
#include "peers/words.cuh"

namespace rungs::floors::NAME {
__global__ void floor_NAME(const uint4* from, uint4* to) { to[threadIdx.x] = from[threadIdx.x]; }

const rungs::Floor floor = rungs::Floor({.name = "floor-NAME", .missing = nullptr});
}  // namespace rungs::floors::NAME
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
    write_floors(root)


def write_floors(root: Path) -> None:
    """Write made-up floors: copy, ffma and read, and a header that they include."""
    peers = root / "common" / "peers"
    peers.mkdir(parents=True, exist_ok=True)
    for name in ("copy", "ffma", "read"):
        text = FLOOR.replace("NAME", name)
        (peers / f"floor_{name}.cu").write_text(text, encoding="utf-8")
    (peers / "words.cuh").write_text(HEADER, encoding="utf-8")


def hashes(root: Path, ladder: str, rungs: Iterable[str]) -> dict[str, str]:
    """Return the source hashes of these rungs and of every floor, by name."""
    found = {name: source_hash.rung_hash(root, ladder, name) for name in rungs}
    return found | {name: source_hash.floor_hash(root, name) for name in source_hash.floors(root)}
