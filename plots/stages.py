"""Bars of the numbered rungs, one below the other, as two figures have them."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.transforms import blended_transform_factory

from evidence.verdicts import Interval
from plots import frame
from plots.frame import Panel
from plots.series import Series
from plots.style import Look

_ROW = 0.4  # inches for a rung with one bar; each more bar adds
_MORE = 0.2
_HEAD = 0.28
_BESIDE = 13  # points from the panel to what stands beside it


@dataclass(frozen=True)
class Stage:
    """A row of bars: a rung, or what rungs are compared with."""

    name: str
    kind: str
    after: str | None


def of(series: Sequence[Series]) -> list[Stage]:
    """Return the numbered rungs of these records, in order, each once."""
    rows = [row for one in series for row in one.numbered]
    rows.sort(key=lambda row: row["order"])
    found: dict[str, Stage] = {}
    for row in rows:
        found.setdefault(row["name"], Stage(row["name"], row["kind"], row["after"]))
    return list(found.values())


def panel(look: Look, rungs: list[Stage], bars: int, right: float = 0.1, head=False) -> Panel:
    """Return the room for these rungs with so many bars each; ``right`` is for what is beside."""
    left = frame.widest([rung.name for rung in rungs], look.variant.text) + 0.12
    height = len(rungs) * _row(bars) + (_HEAD if head else 0)
    return Panel(height=height, left=left, right=right)


def name(axes: Axes, look: Look, rungs: list[Stage]) -> None:
    """Write the rungs' names beside their bars."""
    axes.set_yticks(range(len(rungs)), [rung.name for rung in rungs])
    axes.tick_params(axis="y", length=0, labelsize=look.variant.text, pad=5)
    for label in axes.get_yticklabels():
        label.set_color(look.palette.ink)


def end(time: Interval) -> float:
    """Return where a bar ends with the range of its round means: its label stands behind."""
    return max(time.value, time.high)


class Bars:
    """The bars of a panel: rungs from above, each with a bar for each record or instrument."""

    def __init__(self, axes: Axes, look: Look, rungs: int, bars: int, head: bool = False):
        self._axes, self._look, self._bars = axes, look, bars
        self._thick = (0.62 if bars < 3 else 0.78) / bars  # of a row
        self._top = -0.5 - (_HEAD / _row(bars) if head else 0)
        axes.set_ylim(rungs - 0.5, self._top)
        axes.grid(axis="x", color=look.palette.grid, linewidth=0.8)

    def bar(self, at: int, number: int, time: Interval | None, fill: dict, more: str = "") -> None:
        """Draw a bar with its time behind it and the range of its round means."""
        look, y = self._look, self._middle(at, number)
        if time is None:
            self._write(0, y, "not measured", look.palette.muted)
            return
        self._axes.barh(y, time.value, height=self._thick * 0.94, zorder=2, **fill)
        self._axes.plot(
            [time.low, time.high],
            [y, y],
            color=look.palette.muted,
            linewidth=2.4,
            solid_capstyle="butt",
            zorder=2.5,
        )
        self._write(end(time), y, f"{time.value:,.2f}{more}", look.palette.ink)

    def between(self, at: int, number: int, text: str, colour: str) -> None:
        """Write beside the panel what is between a rung and the one that it follows."""
        y = at - 0.5 + (number - (self._bars - 1) / 2) * 0.3
        frame.beside(self._axes, self._look, y, text, colour, _BESIDE)

    def bracket(self, at: int) -> None:
        """Draw beside the panel that a rung is compared with the one above it."""
        inch = 1 / (self._axes.get_position().width * self._look.variant.width)
        left, right = 1 + 0.05 * inch, 1 + 0.11 * inch
        above, below = at - 1 + 0.12, at - 0.12
        self._axes.plot(
            [left, right, right, left],
            [above, above, below, below],
            transform=blended_transform_factory(self._axes.transAxes, self._axes.transData),
            clip_on=False,
            color=self._look.palette.muted,
            linewidth=0.9,
        )

    def beside(self, text: str) -> None:
        """Write the heading of what stands beside the panel."""
        y = (self._top - 0.5) / 2
        frame.beside(self._axes, self._look, y, text, self._look.palette.muted, _BESIDE)

    def _middle(self, at: int, number: int) -> float:
        return at + (number - (self._bars - 1) / 2) * self._thick

    def _write(self, x: float, y: float, text: str, colour: str) -> None:
        # On the background's colour, so that a line behind it does not cross the digits.
        self._axes.annotate(
            text,
            (x, y),
            xytext=(4, 0),
            textcoords="offset points",
            va="center_baseline",
            color=colour,
            size=self._look.variant.small,
            zorder=4,
            bbox={"facecolor": self._look.palette.background, "edgecolor": "none", "pad": 0.8},
        )


def _row(bars: int) -> float:
    return _ROW + (bars - 1) * _MORE
