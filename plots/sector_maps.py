"""Sector maps: which 32-byte sectors a warp touches, and how much of each its lanes ask for."""

from collections.abc import Sequence
from dataclasses import dataclass

from evidence.bank_rule import LANES, SECTOR_BYTES, WORD_BYTES, SectorUse, lanes_in_a_group
from plots import cells, frame
from plots.accesses.access import Access
from plots.cells import Cell, ranges
from plots.frame import Panel
from plots.story import Column, Story, listed, plural
from plots.style import Look
from plots.subjects import Subject

_ROW = 0.27  # inches
_WORDS = SECTOR_BYTES // WORD_BYTES
_GAP = 0.5  # words between two sectors
_APART = 0.3  # of a row, between lanes that are served together and the next ones
_COLUMNS = (
    Column("access"),
    Column("lanes served together"),
    Column("sector"),
    Column("lanes that ask"),
    Column("bytes asked for", 0),
    Column("bytes of the sector", 0),
)
_NOTES = (
    "One instruction of a block's first warp. Sectors count from the array's first. Tests hold the "
    "sectors of the instruction equal to the counters of an H200 and to the counts of this line; "
    "no counter tells which lanes are served together.",
)


@dataclass(frozen=True)
class Side:
    """One of the accesses that a map compares."""

    name: str
    access: Access

    @property
    def groups(self) -> list[tuple[str, list[SectorUse]]]:
        """Return the lanes that are served together, with the sectors that they touch."""
        lanes = lanes_in_a_group(self.access.width)
        firsts = range(0, LANES, lanes)
        names = [f"{first}-{first + lanes - 1}" for first in firsts]
        return list(zip(names, self.access.groups(), strict=True))

    @property
    def asked_for(self) -> int:
        """How many sectors the groups ask for, one after the other."""
        return sum(len(uses) for _, uses in self.groups)

    @property
    def used(self) -> int:
        """How many bytes of them the lanes use."""
        return sum(len(use.lanes) for _, uses in self.groups for use in uses)

    @property
    def head(self) -> str:
        """What stands above its sectors."""
        return f"{self.short_head}, {self.used} of {self.fetched} bytes {self._verb}"

    @property
    def short_head(self) -> str:
        """The same where there is little room."""
        times = f" in {self.asked_for} pieces" if self.asked_for > self.access.sectors else ""
        return f"{self.name}: {plural(self.access.sectors, 'sector')}{times}"

    @property
    def fetched(self) -> int:
        """How many bytes the sectors are that the groups ask for."""
        return self.asked_for * SECTOR_BYTES

    @property
    def _verb(self) -> str:
        return "used" if self.access.direction == "load" else "written"

    @property
    def finding(self) -> str:
        """What the map shows of it, in a sentence."""
        said = f"{self.name[0].upper()}{self.name[1:]}: "
        said += f"{plural(self.access.sectors, 'sector')} of {SECTOR_BYTES} bytes"
        if len(self.groups) > 1:
            each = {len(uses) for _, uses in self.groups}
            lanes = LANES // len(self.groups)
            said += f", {listed(map(str, sorted(each)))} for each {lanes} lanes"
        if self.asked_for > self.access.sectors:
            said += f", which makes {self.asked_for} pieces of sectors"
        if self.used == self.fetched:
            return f"{said}; every byte of them is {self._verb}."
        return f"{said}; of their {self.fetched} bytes {self.used} are {self._verb}."

    def rows(self, across: int) -> list[tuple[float, str, list[SectorUse]]]:
        """Return rows of so many sectors: how far down, the lanes, the sectors."""
        found: list[tuple[float, str, list[SectorUse]]] = []
        for number, (lanes, uses) in enumerate(self.groups):
            for first in range(0, len(uses), across):
                name = lanes if first == 0 else ""
                found.append((len(found) + number * _APART, name, uses[first : first + across]))
        return found

    def high(self, across: int) -> float:
        """Return how many rows high all this is."""
        return self.rows(across)[-1][0] + 1


@dataclass(frozen=True)
class SectorMap:
    """A figure that compares accesses to global memory."""

    what: str
    sides: tuple[Side, ...]

    def story(self, subjects: Sequence[Subject]) -> Story:
        """Return what the map states."""
        ways = dict.fromkeys(
            f"a warp's {s.access.direction} of {s.access.width} bytes a lane" for s in self.sides
        )
        return Story(
            title=f"{subjects[0].ladder}: {self.what}",
            subtitle=f"global memory; {listed(ways)}",
            alt=" ".join(side.finding for side in self.sides),
            columns=_COLUMNS,
            rows=[row for side in self.sides for row in _table(side)],
            notes=_NOTES,
        )

    def draw(self, look: Look, story: Story, subjects: Sequence[Subject]):
        """Return the figure: four sectors a row, or two where it is narrow."""
        across = 4 if look.is_wide else 2
        left = frame.widest(["lanes 24-31" if look.is_wide else "24-31"], look.variant.small) + 0.12
        panels = [
            Panel(side.high(across) * _ROW, left, 0.05, heading=_head(look, side))
            for side in self.sides
        ]
        figure, places = frame.sheet(look, story, panels, _legend(look, self.sides))
        for axes, panel, side in zip(places, panels, self.sides, strict=True):
            _fill(look, axes, frame.panel_width(look, panel), side, across)
        return figure


def _head(look: Look, side: Side) -> str:
    room = look.variant.width - 0.3
    return side.head if frame.text_width(side.head, look.variant.text) < room else side.short_head


def _table(side: Side) -> list[list]:
    return [
        [
            side.name,
            lanes,
            str(use.sector),
            ranges(use.lanes.values()),
            len(use.lanes),
            SECTOR_BYTES,
        ]
        for lanes, uses in side.groups
        for use in uses
    ]


def _legend(look: Look, sides: Sequence[Side]) -> list[tuple[object, str]]:
    wastes = any(side.used < side.fetched for side in sides)
    return cells.entries(
        look, "bytes for this lane", "in the sector, and for no lane of these", wastes
    )


def _fill(look: Look, axes, width: float, side: Side, across: int) -> None:
    rows = side.rows(across)
    end = across * _WORDS + (across - 1) * _GAP
    axes.set_xlim(0, end)
    axes.set_ylim(side.high(across), 0)
    for down, _, uses in rows:
        found = []
        for place, use in enumerate(uses):
            start = place * (_WORDS + _GAP)
            for word in range(_WORDS):
                lane = use.lanes.get(word * WORD_BYTES)
                who = () if lane is None else (lane,)
                found.append(Cell(start + word, 1, down, who, is_marked=lane is None))
        cells.draw(axes, look, cells.merged(found), (width / end, _ROW))
    lanes, said = "lanes {}", f"sectors of {SECTOR_BYTES} bytes, {across} in a row"
    if not look.is_wide:
        lanes, said = "{}", f"lanes; {said}"
    axes.set_yticks(
        [down + 0.5 for down, *_ in rows],
        [lanes.format(name) if name else "" for _, name, _ in rows],
    )
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
    axes.set_xlabel(said)
