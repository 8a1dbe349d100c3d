"""A row of layernorm: which lane of which warp holds which quads, and where the warps meet."""

from collections.abc import Sequence
from dataclasses import dataclass

from plots import frame, schematic
from plots.accesses.access import Access
from plots.accesses.layernorm import ONE_WARP_X, QUAD, TWO_WARPS_X, WIDTH, WORD
from plots.cells import ranges
from plots.schematic import EMPTY, FILLED, HATCHED
from plots.story import Column, Story, plural

ORDER = 103
OF = "counts"
LADDERS = ("layernorm",)

_LEGEND = ((FILLED, "read by the row's first warp"), (HATCHED, "read by its second warp"))
_PIECE = 32 * QUAD // WORD  # columns that a warp reads in one instruction
_HIGH = 0.34
_SHOWN = 3  # lanes at the begin of a piece


@dataclass(frozen=True)
class _Row:
    """How the warps of a rung share a row."""

    name: str
    access: Access
    warps: int

    @property
    def pieces(self) -> list[tuple[int, int, int]]:
        """(first column, warp, number of its load) of each piece of the row, by column."""
        step = self.access.step[1]
        found = []
        for warp in range(self.warps):
            loads = 0
            for start in range(0, WIDTH, step):
                for turn in self.access.turns:
                    column = self.access.offsets(warp, turn)[0] // WORD + start
                    loads += 1
                    found.append((column, warp, loads))
        return sorted(found)


_ROWS = (_Row("one-warp", ONE_WARP_X, 1), _Row("two-warps", TWO_WARPS_X, 2))


def story(subjects) -> Story:
    """Return what the schematic states."""
    said = []
    for row in _ROWS:
        counts = schematic.counts_of(subjects[0], row.name)
        loads = len(row.pieces) // row.warps
        said.append(
            f"{row.name}: {plural(row.warps, 'warp')} on a row of {WIDTH} floats, {loads} quads a "
            f"lane, {_shuffles(subjects[0], row)} shuffles and "
            f"{plural(counts['argued']['barriers_per_row'], 'barrier')} a row."
        )
    said[-1] = f"{said[-1][:-1]}, at which the warps swap their sums through shared memory."
    return Story(
        title="layernorm: one warp on a row, and two",
        subtitle=f"one-warp and two-warps; a row of {WIDTH} floats; L1 is a warp's first load",
        alt=" ".join(_capital(one) for one in said),
        columns=tuple(
            map(Column, ("rung", "columns", "warp of the row", "its load", "a lane has"))
        ),
        rows=[
            [
                row.name,
                f"{column}-{column + _PIECE - 1}",
                str(warp),
                str(load),
                f"columns {column} + 4 x lane, and the next three",
            ]
            for row in _ROWS
            for column, warp, load in row.pieces
        ],
        notes=("Each pass over the row reads it so.",),
    )


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _shuffles(subject, row: _Row) -> int:
    """Return how many shuffle instructions all warps of a row need, by the counts."""
    counts = schematic.counts_of(subject, row.name)
    (kernel,) = counts["ptx"]["kernels"]
    return kernel["shuffles"] // subject.record["shape"]["rows"]


def draw(look, story, subjects):
    """Return the figure: the row in pieces, a piece in quads, and how the sums meet."""
    line = look.variant.small * 1.3 / 72
    across = 6 if look.is_wide else 3
    lines = len(_ROWS[0].pieces) // across
    meetings = [
        frame.wrapped(_meeting(subjects[0], row), look.variant.width - 0.3, look.variant.small)
        for row in _ROWS
    ]
    below = (max(text.count("\n") for text in meetings) + 1) * line
    block = line + 0.12 + lines * (_HIGH + line + 0.1) + below + 0.2
    height = line + 0.1 + _HIGH + line + 0.2 + 2 * block - 0.15
    figure, axes, width = schematic.canvas(look, story, height, _LEGEND)
    y = _lanes(axes, look, width, line)
    for row, meeting in zip(_ROWS, meetings, strict=True):
        _row(axes, look, (y, width, line, across), row, meeting)
        y += block
    return figure


def _lanes(axes, look, width: float, line: float) -> float:
    """Draw one piece of a row in quads; return where the next drawing begins."""
    schematic.words(axes, look, (0, 0), f"one load of a warp: {_PIECE} columns, a quad a lane")
    top = line + 0.1
    names = [*(f"lane {lane}" for lane in range(_SHOWN)), "...", "lane 31"]
    cell = width / len(names)
    for at, name in enumerate(names):
        lane = int(name.split()[-1]) if name != "..." else None
        place, size = (at * cell + 0.02, top), (cell - 0.04, _HIGH)
        if lane is not None:
            schematic.box(axes, look, place, size, EMPTY)
            first = ONE_WARP_X.offset(lane, 0) // WORD
            text = ranges(range(first, first + QUAD // WORD))
            middle = (at + 0.5) * cell, top + _HIGH + 0.04
            schematic.words(axes, look, middle, text, ha="center", color=look.palette.muted)
        schematic.inside(axes, look, place, size, name, EMPTY)
    return top + _HIGH + line + 0.2


def _row(axes, look, sizes: Sequence, row: _Row, meeting: str) -> None:
    y, width, line, across = sizes
    schematic.words(axes, look, (0, y), row.name, size=look.variant.text, weight="bold")
    cell = width / across
    for number, (column, warp, load) in enumerate(row.pieces):
        down = y + line + 0.12 + number // across * (_HIGH + line + 0.1)
        place, size = (number % across * cell + 0.02, down), (cell - 0.04, _HIGH)
        kind = (FILLED, HATCHED)[warp]
        schematic.box(axes, look, place, size, kind)
        schematic.inside(axes, look, place, size, f"warp {warp}, L{load}", kind)
        text = f"{column}-{column + _PIECE - 1}"
        middle = place[0] + size[0] / 2, down + _HIGH + 0.04
        schematic.words(axes, look, middle, text, ha="center", color=look.palette.muted)
    low = y + line + 0.12 + len(row.pieces) // across * (_HIGH + line + 0.1)
    schematic.words(axes, look, (0, low), meeting, linespacing=1.17)


def _meeting(subject, row: _Row) -> str:
    """Return how the sums of a row meet."""
    counts = schematic.counts_of(subject, row.name)["argued"]
    shuffles = f"then {_shuffles(subject, row)} shuffles"
    if row.warps == 1:
        return f"{shuffles} add the sums inside the warp: no barrier, no shared memory"
    rows = counts["block_threads"] // (32 * row.warps)
    size = counts["shared_bytes"] // rows
    barriers = plural(counts["barriers_per_row"], "barrier")
    return (
        f"{shuffles} inside the warps, {size} bytes of shared memory and {barriers}: each lane "
        f"reads the sums of both"
    )
