"""Words beside points: each where it covers no point and no other words."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from plots.style import Look

_AWAY = (9, 16, 26)  # points of length between a point and its words
_SIDES = [(1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1)]
_MARK = 6  # half of a mark's size, in pixels


def place(
    axes: Axes,
    look: Look,
    points: Sequence[tuple[float, float]],
    named: Sequence[tuple[float, float, str]],
    curves: Sequence[tuple[float, float]] = (),
) -> None:
    """Write the names of some points where they cover no point, no curve and no other name.

    A line from a name to its point may cross a curve, and nothing else. One for which there is no
    room stays without.
    """
    renderer = axes.figure.canvas.get_renderer()
    inside = axes.get_window_extent().padded(-4)
    marks = [_around(*axes.transData.transform(point)) for point in points]
    taken = marks + [_around(*axes.transData.transform(point)) for point in curves]
    others: list[Bbox] = []
    lines: list[Path] = []
    for x, y, text in named:
        point = axes.transData.transform((x, y))
        size = _size(axes, look, text, renderer)
        far = [mark for mark in marks if not mark.contains(*point)]
        for away, side in ((away, side) for away in _AWAY for side in _SIDES):
            box = _beside(point, size, away * axes.figure.dpi / 72, side)
            line = Path([point, _nearest(box, point)])
            if _contains(inside, box) and not (
                any(box.overlaps(other) for other in taken + others)
                or any(line.intersects_bbox(other, False) for other in others + far)
                or any(other.intersects_bbox(box, False) for other in lines)
                or any(other.intersects_path(line, False) for other in lines)
            ):
                _write(axes, look, (x, y), text, away, side)
                others.append(box)
                lines.append(line)
                break


def _size(axes: Axes, look: Look, text: str, renderer) -> tuple[float, float]:
    """Return how wide and high words are, in pixels."""
    words = Text(0, 0, text, size=look.variant.small, figure=axes.figure)
    box = words.get_window_extent(renderer)
    return box.width, box.height


def _beside(at: Sequence[float], size: tuple[float, float], away: float, side: tuple) -> Bbox:
    """Return the box of words on this side of a point, with a margin; all in pixels."""
    low = []
    for place, length, way in zip(at, size, side, strict=True):
        low.append(place + away * way - {1: 0, 0: length / 2, -1: length}[way])
    return Bbox([low, [low[0] + size[0], low[1] + size[1]]]).padded(2)


def _contains(outer: Bbox, inner: Bbox) -> bool:
    across = outer.x0 <= inner.x0 and inner.x1 <= outer.x1
    return across and outer.y0 <= inner.y0 and inner.y1 <= outer.y1


def _nearest(box: Bbox, point: Sequence[float]) -> tuple[float, float]:
    """Return the place of a box that is nearest to a point."""
    x, y = point
    return min(max(x, box.x0), box.x1), min(max(y, box.y0), box.y1)


def _around(x: float, y: float) -> Bbox:
    return Bbox([[x - _MARK, y - _MARK], [x + _MARK, y + _MARK]])


def _write(axes: Axes, look: Look, at: tuple, text: str, away: float, side: tuple):
    return axes.annotate(
        text,
        at,
        xytext=(away * side[0], away * side[1]),
        textcoords="offset points",
        ha={1: "left", 0: "center", -1: "right"}[side[0]],
        va={1: "bottom", 0: "center", -1: "top"}[side[1]],
        color=look.palette.ink,
        size=look.variant.small,
        arrowprops=None if away == _AWAY[0] and side[1] == 0 else _line(look),
        zorder=5,
    )


def _line(look: Look) -> dict:
    return {"arrowstyle": "-", "color": look.palette.muted, "linewidth": 0.7, "shrinkB": 5}
