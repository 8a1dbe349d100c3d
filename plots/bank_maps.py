"""Bank maps: which lane of a warp asks which bank, and how many wavefronts that takes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evidence.bank_rule import BANKS, LANES
from plots import cells, frame
from plots.accesses.access import Access
from plots.cells import Cell, ranges
from plots.frame import Panel
from plots.story import Column, Story, listed, plural
from plots.style import Look
from plots.subjects import Subject

_ROW = 0.27  # inches, of a wavefront
_BESIDE = 6  # points from a panel to what stands beside it
_BANK = 0.165  # inches, of a bank where banks go down
_COLUMNS = 8  # wavefronts side by side on a phone, of both accesses; there may be more
_COLUMN_HEADS = (
    Column("access"),
    Column("wavefront"),
    Column("lanes of its phase"),
    Column("lanes"),
    Column("words"),
    Column("banks"),
    Column("conflict"),
)
_NOTES = (
    "One instruction of a block's first warp. Words count from the first of the tile. By the bank "
    "rule, which tests hold equal to the counters of an H200 and to the counts of this line.",
)


@dataclass(frozen=True)
class Side:
    """One of the accesses that a map compares."""

    name: str
    access: Access

    @property
    def cells(self) -> list[Cell]:
        """The banks that serve somebody, a row for each wavefront; equal lanes' are joined."""
        found = []
        for number in range(self.access.wavefronts):
            lanes: dict[int, list[int]] = {}
            marked = {}
            for request in self.access.requests:
                if request.wavefront == number:
                    lanes.setdefault(request.bank, []).append(request.lane)
                    marked[request.bank] = request.is_conflict
            row = [Cell(bank, 1, number, tuple(who), marked[bank]) for bank, who in lanes.items()]
            found += cells.merged(row)
        return found

    @property
    def phases(self) -> list[str]:
        """The lanes of the phase of each wavefront."""
        count = len({request.phase for request in self.access.requests})
        lanes = LANES // count
        by_wavefront = {r.wavefront: r.phase for r in self.access.requests}
        firsts = [by_wavefront[number] * lanes for number in range(self.access.wavefronts)]
        return [f"{first}-{first + lanes - 1}" for first in firsts]

    @property
    def head(self) -> str:
        """What stands above its cells."""
        return f"{self.name}: {plural(self.access.wavefronts, 'wavefront')}"

    @property
    def finding(self) -> str:
        """What the map shows of it, in a sentence."""
        asked = self.access.requests
        words = {request.word for request in asked}
        banks = len({request.bank for request in asked})
        phases = len({request.phase for request in asked})
        queues = Counter((p, word % BANKS) for p, word in {(r.phase, r.word) for r in asked})
        said = f"{self.head}, for {plural(len(words), 'word')} in {plural(banks, 'bank')}"
        shared = set(Counter(request.word for request in asked).values())
        if shared != {1}:
            said += f", each asked for by {listed(map(str, sorted(shared)))} lanes"
        if phases > 1:
            said += f", in {phases} phases of {LANES // phases} lanes"
        worst = max(queues.values())
        if worst == 1:
            return f"{said}; no bank is asked for two words at once."
        meet = sum(count == worst for count in queues.values())
        of = "each of them is" if meet == len(queues) else f"{meet} of them are"
        of = of if len(queues) > 1 else "it is"
        return f"{said}; {of} asked for {worst} words at once."


@dataclass(frozen=True)
class BankMap:
    """A figure that compares accesses to shared memory."""

    what: str
    sides: tuple[Side, ...]

    def story(self, subjects: Sequence[Subject]) -> Story:
        """Return what the map states."""
        return Story(
            title=f"{subjects[0].ladder}: {self.what}",
            subtitle=_how(self.sides),
            alt=" ".join(_sentence(side.finding) for side in self.sides),
            columns=_COLUMN_HEADS,
            rows=[row for side in self.sides for row in _table(side)],
            notes=(*_NOTES, *_changed(self.sides)),
        )

    def draw(self, look: Look, story: Story, subjects: Sequence[Subject]):
        """Return the figure: banks across, or down where it is narrow."""
        return (_wide if look.is_wide else _phone)(look, story, self.sides)


def _how(sides: Sequence[Side]) -> str:
    ways = dict.fromkeys(
        f"a warp's {side.access.direction} of {side.access.width} bytes a lane" for side in sides
    )
    return f"shared memory; {listed(ways)}"


def _changed(sides: Sequence[Side]) -> list[str]:
    """Return what is said of an access that is no rung's, but a try's."""
    return [
        f"{_sentence(side.name)}: what the try of {side.access.rung} makes of it."
        for side in sides
        if not side.access.in_counts
    ]


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _table(side: Side) -> list[list]:
    asked = side.access.requests
    found = []
    for number, phase in enumerate(side.phases):
        here = [request for request in asked if request.wavefront == number]
        waits = ranges(request.bank for request in here if request.is_conflict)
        found.append(
            [
                side.name,
                str(number + 1),
                phase,
                ranges(request.lane for request in here),
                ranges(request.word for request in here),
                ranges(request.bank for request in here),
                f"in banks {waits}" if waits else "none",
            ]
        )
    return found


def _legend(look: Look, sides: Sequence[Side]) -> list[tuple[object, str]]:
    every = [cell for side in sides for cell in side.cells]
    has_conflict, most = any(cell.is_marked for cell in every), max(len(c.lanes) for c in every)
    return cells.entries(
        look,
        "the bank serves these lanes" + (f" (x{most}: {most} share its word)" if most > 1 else ""),
        "conflict: they wait, their bank serves another word first",
        has_conflict,
    )


def _wide(look: Look, story: Story, sides: Sequence[Side]):
    size = look.variant.small
    left = frame.widest([f"wavefront {side.access.wavefronts}" for side in sides], size) + 0.15
    has_phases = any(len(set(side.phases)) > 1 for side in sides)
    right = frame.widest(["24-31"], size) + 0.12 if has_phases else 0.05
    panels = [
        Panel(side.access.wavefronts * _ROW, left, right, heading=side.head) for side in sides
    ]
    figure, places = frame.sheet(look, story, panels, _legend(look, sides))
    for axes, panel, side in zip(places, panels, sides, strict=True):
        count = side.access.wavefronts
        axes.set_xlim(0, BANKS)
        axes.set_ylim(count, 0)
        free = [Cell(bank, 1, row) for row in range(count) for bank in range(BANKS)]
        cells.empty(axes, look, free)
        unit = frame.panel_width(look, panel) / BANKS, _ROW
        cells.draw(axes, look, side.cells, unit)
        axes.set_yticks(
            [n + 0.5 for n in range(count)], [f"wavefront {n + 1}" for n in range(count)]
        )
        axes.set_xticks([b + 0.5 for b in range(0, BANKS, 2)], [str(b) for b in range(0, BANKS, 2)])
        axes.set_xlabel("bank")
        axes.tick_params(length=0)
        axes.spines["bottom"].set_visible(False)
        if len(set(side.phases)) > 1:
            frame.beside(axes, look, -0.45, "lanes", look.palette.muted, _BESIDE)
            for number, phase in enumerate(side.phases):
                frame.beside(axes, look, number + 0.5, phase, look.palette.muted, _BESIDE)
    return figure


def _phone(look: Look, story: Story, sides: Sequence[Side]):
    size = look.variant.small
    left = frame.widest(["bank 31"], size) + 0.12
    width = frame.panel_width(look, Panel(1, left, 0.02))
    starts, groups = _groups(sides)
    columns = starts[1] + groups[1]
    column = width / columns
    heads = [
        frame.wrapped(side.head, group * column, size)
        for side, group in zip(sides, groups, strict=True)
    ]
    lines = max(head.count("\n") for head in heads) + 1
    above = (lines * size * 1.3 / 72 + 0.27) / _BANK  # banks that the heads are high
    panel = Panel((BANKS + above) * _BANK, left, 0.02)
    figure, (axes,) = frame.sheet(look, story, [panel], _legend(look, sides))
    axes.set_xlim(0, columns)
    axes.set_ylim(BANKS, -above)
    for side, start, head in zip(sides, starts, heads, strict=True):
        count = side.access.wavefronts
        free = [Cell(bank, 1, start + n) for n in range(count) for bank in range(BANKS)]
        cells.empty(axes, look, free, upright=True)
        moved = [replace(cell, row=cell.row + start) for cell in side.cells]
        cells.draw(axes, look, moved, (_BANK, column), upright=True)
        axes.text(
            start, -above, head, size=size, color=look.palette.ink, va="top", linespacing=1.17
        )
        for number in range(count):
            axes.text(
                start + number + 0.5,
                -0.25,
                str(number + 1),
                size=size,
                color=look.palette.muted,
                ha="center",
                va="bottom",
            )
    axes.set_yticks(
        [b + 0.5 for b in range(0, BANKS, 4)], [f"bank {b}" for b in range(0, BANKS, 4)]
    )
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
    axes.set_xlabel("wavefronts side by side, banks from 0 to 31")
    return figure


def _groups(sides: Sequence[Side]) -> tuple[list[int], list[int]]:
    """Return at which column each access begins, and how many its name may take."""
    first, second = (side.access.wavefronts for side in sides)
    least = max(_COLUMNS // 2, min(first, second))
    first, second = max(first, least), max(second, least)
    return [0, first + 1], [first, second]
