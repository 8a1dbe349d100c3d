"""Rows as dots: a numbered rung by its number, an aside as x and its own, both named in a key."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from evidence.lessons import ASIDE_ORDER
from evidence.plotted import is_numbered
from plots import labels
from plots.series import Series
from plots.style import Look


@dataclass(frozen=True)
class Dot:
    """A rung of a record at a place of the axes."""

    one: Series
    name: str
    order: int
    x: float
    y: float

    @property
    def is_aside(self) -> bool:
        """Whether it branches off, so that nothing follows it."""
        return self.order > ASIDE_ORDER

    @property
    def short(self) -> str:
        """What it is called beside its dot: ``3`` or ``x2``, as its folder is."""
        return f"x{self.order - ASIDE_ORDER}" if self.is_aside else str(self.order)


def rungs(one: Series) -> list[dict]:
    """Return the rows of all rungs of a record, in order, asides last; no second entries."""
    rows = one.record["shapes"][0]["rows"]
    found = [row for row in rows if row["kind"] not in ("peer", "floor")]
    return sorted((row for row in found if row["again_of"] is None), key=lambda row: row["order"])


def numbered(one: Series) -> list[dict]:
    """Return those of them that are no asides."""
    return [row for row in rungs(one) if is_numbered(row)]


def draw(axes: Axes, look: Look, dots: Sequence[Dot], around: Sequence[tuple] = ()) -> None:
    """Draw the dots, each with its short name where there is room.

    ``around`` has what no name shall cover. Those of numbered rungs are placed first.
    """
    for dot in dots:
        axes.plot(dot.x, dot.y, zorder=3, **mark(look, dot.one, dot.is_aside))
    points = [(dot.x, dot.y) for dot in dots]
    order = sorted(dots, key=lambda dot: (dot.one.is_overlay, dot.order))
    named = [(dot.x, dot.y, dot.short) for dot in order if not dot.one.is_overlay]
    labels.place(axes, look, points, named, around)


def mark(look: Look, one: Series, is_aside: bool) -> dict:
    """Return a dot: filled for a numbered rung; square for the reader's own record."""
    colour = look.colour(one.is_overlay)
    shapes = ("s", "P") if one.is_overlay else ("o", "X")
    size = 7.5 if look.is_wide else 6.5
    return {
        "marker": shapes[is_aside],
        "markersize": size,
        "markerfacecolor": look.palette.background if is_aside else colour,
        "markeredgecolor": colour if is_aside else look.palette.background,
        "markeredgewidth": 1.1 if is_aside else 0.7,
        "linestyle": "none",
    }


def legend(look: Look, series: Sequence[Series], dots: Sequence[Dot]) -> list[tuple[object, str]]:
    """Return what the marks mean."""
    entries = []
    for one in series:
        own = one.name_in_legend if len(series) > 1 else ""
        for is_aside, words in ((False, "numbered rung"), (True, "aside")):
            if any(dot.is_aside == is_aside and dot.one is one for dot in dots):
                entries.append((Line2D([], [], **mark(look, one, is_aside)), own + words))
    return entries


def key(dots: Sequence[Dot]) -> str:
    """Return what the short names stand for."""
    found = {dot.order: f"{dot.short} {dot.name}" for dot in dots}
    return ", ".join(found[order].replace(" ", "\u00a0") for order in sorted(found))
