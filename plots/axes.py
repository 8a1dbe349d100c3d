"""Axes of points: logarithmic, with ticks that can be read, and lines that say what they are."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from plots.style import Look

_NARROW, _BROAD = 15, 150  # ranges of values that have room for more ticks, or for fewer


def logarithmic(axes: Axes, look: Look, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Give axes these ranges, both logarithmic, with a grid."""
    axes.set(xscale="log", yscale="log", xlim=x, ylim=y)
    axes.grid(color=look.palette.grid, linewidth=0.8)
    axes.spines["left"].set(visible=True, color=look.palette.muted)
    ticks(axes.xaxis, x)
    ticks(axes.yaxis, y)


def ticks(axis, ends: tuple[float, float], unit: str = "") -> None:
    """Give a logarithmic axis ticks at round numbers: the more, the shorter its range."""
    ratio = ends[1] / ends[0]
    subs = (1, 1.5, 2, 3, 5, 7) if ratio < _NARROW else (1, 2, 5) if ratio < _BROAD else (1, 3)
    if ratio > _BROAD**2:
        subs = (1,)
    axis.set_major_locator(LogLocator(base=10, subs=subs, numticks=20))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{_short(value)}{unit}"))
    axis.set_minor_locator(NullLocator())


def ends(values: Sequence[float], margin: float = 0.08) -> tuple[float, float]:
    """Return the range that shows all values on a logarithmic axis, with a margin."""
    low, high = min(values), max(values)
    more = max((high / low) ** margin, 1.15)
    return low / more, high * more


def _short(value: float) -> str:
    """Return a tick's number: 1,500 as 1.5K, 2,000,000 as 2M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "K")):
        if value >= size * 0.9999:
            return f"{value / (1e3 if letter == 'K' else size):g}{letter}"
    return f"{value:g}"
