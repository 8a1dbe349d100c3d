"""A block's sum as a tree in shared memory, and as shuffles: who adds, who idles, who waits."""

from collections.abc import Sequence
from dataclasses import dataclass

from plots import frame, schematic
from plots.accesses.reduction import LEVELS, THREADS, TREE_READ
from plots.schematic import EMPTY, FILLED, HATCHED
from plots.story import Column, Story, plural

ORDER = 104
OF = "counts"
LADDERS = ("reduction",)

_LANES = 32
_LEGEND = (
    (FILLED, "adds"),
    (HATCHED, "idle lanes of a warp that adds"),
    (EMPTY, "has nothing to do"),
)
_HIGH = 0.24
_BARRIER = 0.13
_LEAST = 3  # threads: fewer are drawn as wide as these, to be seen


@dataclass(frozen=True)
class _Step:
    """One step of a sum: how many threads are active, of warps that work."""

    name: str
    active: int
    working: int  # threads of the warps that work
    is_behind_barrier: bool = False


def _tree() -> list[_Step]:
    found = []
    for half in reversed(LEVELS):
        active = sum(TREE_READ.offset(thread, half) is not None for thread in range(THREADS))
        warps = {t // _LANES for t in range(THREADS) if TREE_READ.offset(t, half) is not None}
        found.append(_Step(f"half {half}", active, len(warps) * _LANES, True))
    return found


def _shuffles() -> list[_Step]:
    behind = [1 << bit for bit in reversed(range(_LANES.bit_length() - 1))]
    inside = [_Step(f"behind {one}", THREADS, THREADS) for one in behind]
    last = [_Step(f"behind {one}", _LANES, _LANES, one == behind[0]) for one in behind]
    return inside + last


_SUMS = (("tree", _tree()), ("shuffles", _shuffles()))


def story(subjects) -> Story:
    """Return what the schematic states."""
    tree, shuffles = (
        schematic.counts_of(subjects[0], name)["argued"]["barriers_per_block"] for name, _ in _SUMS
    )
    steps = _tree()
    idle = [step for step in steps if step.active < step.working]
    inside = sum(step.working == THREADS for step in _shuffles())
    return Story(
        title="reduction: a block's sum, as a tree and by shuffles",
        subtitle=f"tree and shuffles; a block of {THREADS} threads, {THREADS // _LANES} warps",
        alt=f"The tree has {len(steps)} levels and {plural(tree, 'barrier')}. In its last "
        f"{len(idle)} levels lanes are idle in the one warp that adds: at level "
        f"{len(steps) - len(idle) + 1} it uses {idle[0].active} of {_LANES} lanes, at the last one "
        f"{idle[-1].active}. Shuffles take {inside} steps inside every warp, "
        f"{plural(shuffles, 'barrier')}, and {len(_shuffles()) - inside} steps in one warp.",
        columns=(
            Column("sum"),
            Column("step"),
            Column("behind a barrier"),
            Column("active threads", 0),
            Column("warps that work", 0),
        ),
        rows=[
            [
                name,
                step.name,
                "yes" if step.is_behind_barrier else "no",
                step.active,
                step.working // _LANES,
            ]
            for name, steps in _SUMS
            for step in steps
        ],
        notes=(
            "A thick line is a barrier: every warp of the block waits at it. By shuffles all lanes "
            "of a warp add, though lane 0 alone needs the sum.",
        ),
    )


def draw(look, story, subjects):
    """Return the figure: a line for each step, from the first thread to the last."""
    head = look.variant.text * 1.3 / 72 + 0.08
    heights = [_height(steps) + head for _, steps in _SUMS]
    foot = look.variant.small * 1.3 / 72 + 0.06
    figure, axes, width = schematic.canvas(look, story, sum(heights) + 0.15 + foot, _LEGEND)
    left = frame.widest(["behind 16"], look.variant.small) + 0.1
    unit = (width - left) / THREADS
    y = 0.0
    for (name, steps), height in zip(_SUMS, heights, strict=True):
        schematic.words(axes, look, (0, y), name, size=look.variant.text, weight="bold")
        _steps(axes, look, (left, y + head, unit), steps)
        y += height + 0.15
    for warp in range(THREADS // _LANES):
        middle = left + (warp + 0.5) * _LANES * unit, y - 0.1
        text = f"warp {warp}" if look.is_wide else str(warp)
        schematic.words(axes, look, middle, text, ha="center", color=look.palette.muted)
    if not look.is_wide:
        schematic.words(axes, look, (0, y - 0.1), "warp", color=look.palette.muted)
    return figure


def _height(steps: Sequence[_Step]) -> float:
    return sum(_HIGH + (_BARRIER if step.is_behind_barrier else 0) for step in steps)


def _steps(axes, look, place: tuple[float, float, float], steps: Sequence[_Step]) -> None:
    left, y, unit = place
    line = {"color": look.palette.ink, "linewidth": 2.2, "solid_capstyle": "butt", "zorder": 2}
    for step in steps:
        if step.is_behind_barrier:
            axes.plot([left, left + THREADS * unit], [y + _BARRIER / 2] * 2, **line)
            y += _BARRIER
        middle = left - 0.06, y + _HIGH / 2
        style = {"va": "center_baseline", "ha": "right", "color": look.palette.muted}
        schematic.words(axes, look, middle, step.name, **style)
        for first in range(0, THREADS, _LANES):
            for kind, start, end in _parts(step, first):
                size = (end - start) * unit, _HIGH - 0.05
                where = left + start * unit, y + 0.025
                schematic.box(axes, look, where, size, kind)
        y += _HIGH


def _parts(step: _Step, first: int) -> list[tuple[str, float, float]]:
    """Return the boxes of one warp in a step: its active lanes, and the idle ones."""
    begin, end = first + 0.7, first + _LANES - 0.7
    if first >= step.working:
        return [(EMPTY, begin, end)]
    active = min(max(step.active - first, 0), _LANES)
    if active == _LANES:
        return [(FILLED, begin, end)]
    border = first + max(active, _LEAST)
    return [(FILLED, begin, border), (HATCHED, border, end)]
