"""A sheet to draw on in inches: what schematics are made of."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from plots import frame
from plots.frame import Panel
from plots.story import Story
from plots.style import Look

FILLED, HATCHED, EMPTY = "filled", "hatched", "empty"
_MARGIN = 0.02  # inches around, for half a line
_HATCH = "//////"
_BELOW = 0.42  # inches that the frame leaves for an axis, which a schematic has none of


def canvas(
    look: Look, story: Story, height: float, legend: Sequence[tuple[str, str]]
) -> tuple[Figure, Axes, float]:
    """Return a sheet, axes in inches from the upper left, and their width.

    ``legend`` has kinds of boxes, and what they mean.
    """
    entries = [(Patch(**style(look, kind)), words) for kind, words in legend]
    panel = Panel(height + 4 * _MARGIN - _BELOW, 0, 0)
    figure, (axes,) = frame.sheet(look, story, [panel], entries)
    place = axes.get_position()
    below = _BELOW / figure.get_size_inches()[1]
    axes.set_position([place.x0, place.y0 - below, place.width, place.height + below])
    width = frame.panel_width(look, panel) - 2 * _MARGIN
    axes.set_xlim(-_MARGIN, width + _MARGIN)
    axes.set_ylim(height + 3 * _MARGIN, -_MARGIN)
    axes.set_axis_off()
    return figure, axes, width


def style(look: Look, kind: str) -> dict:
    """Return how a kind of box is drawn."""
    palette = look.palette
    if kind == FILLED:
        return {"facecolor": palette.first, "edgecolor": palette.first, "linewidth": 0}
    if kind == HATCHED:
        fill = {"facecolor": palette.background, "edgecolor": palette.second, "hatch": _HATCH}
        return {"linewidth": 1.2, **fill}
    return {"facecolor": "none", "edgecolor": palette.muted, "linewidth": 0.7}


def box(
    axes: Axes,
    look: Look,
    place: tuple[float, float],
    size: tuple[float, float],
    kind=EMPTY,
    **more,
) -> None:
    """Draw a box with its upper left corner at a place."""
    axes.add_patch(Rectangle(place, *size, **{"zorder": 2, **style(look, kind), **more}))


def words(axes: Axes, look: Look, place: tuple[float, float], text: str, **more) -> None:
    """Write a text, by default with its upper left corner at a place."""
    given = {"size": look.variant.small, "color": look.palette.ink, "va": "top", "zorder": 4}
    axes.text(*place, text, **{**given, **more})


def inside(
    axes: Axes,
    look: Look,
    place: tuple[float, float],
    size: tuple[float, float],
    text: str,
    kind=EMPTY,
) -> None:
    """Write a text in the middle of a box of a kind."""
    palette = look.palette
    more = {"color": palette.background if kind == FILLED else palette.ink}
    if kind == HATCHED:
        more["bbox"] = {"facecolor": palette.background, "edgecolor": "none", "pad": 0.9}
    middle = place[0] + size[0] / 2, place[1] + size[1] / 2
    words(axes, look, middle, text, ha="center", va="center_baseline", **more)


def arrow(axes: Axes, look: Look, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow."""
    style = {"arrowstyle": "-|>", "color": look.palette.muted, "linewidth": 1, "shrinkA": 1}
    axes.annotate("", end, xytext=start, arrowprops={**style, "shrinkB": 1}, zorder=3)


def counts_of(subject, rung: str) -> dict:
    """Return the counts of a rung, of the counts that a figure is drawn of."""
    return next(one["counts"] for one in subject.rungs if one["name"] == rung)
