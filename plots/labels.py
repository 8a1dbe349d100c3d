"""Words beside points: each where it covers no point and no other words."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from plots.style import Look

_AWAY = (9, 16, 26)  # points of length between a point and its words
_SIDES = [(1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1)]
_MARK = 6  # half of a mark's size, in pixels


def place(
    axes: Axes,
    look: Look,
    covered: Sequence[tuple[float, float]],
    named: Sequence[tuple[float, float, str]],
) -> None:
    """Write the names of some points, beside all that must not be ``covered``.

    One for which there is no room stays without.
    """
    renderer = axes.figure.canvas.get_renderer()
    inside = axes.get_window_extent().padded(-4)
    taken = [_around(*axes.transData.transform(point)) for point in covered]
    for x, y, text in named:
        for away, side in ((away, side) for away in _AWAY for side in _SIDES):
            words = _write(axes, look, (x, y), text, away, side)
            words.update_positions(renderer)
            box = Text.get_window_extent(words, renderer).padded(2)  # without its line
            fits = inside.x0 <= box.x0 and box.x1 <= inside.x1
            fits = fits and inside.y0 <= box.y0 and box.y1 <= inside.y1
            if fits and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            words.remove()


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
        arrowprops={"arrowstyle": "-", "color": look.palette.muted, "linewidth": 0.7, "shrinkB": 5},
        zorder=5,
    )
