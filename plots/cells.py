"""Rows of cells, each with the lanes that ask for it: what the maps are made of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from plots import frame
from plots.style import Look

_HATCH = "//////"
_LEAST = 7.5  # points


@dataclass(frozen=True)
class Cell:
    """A place along a row, so many units long, and who asks for it."""

    at: float
    length: float
    row: float
    lanes: tuple[int, ...] = ()
    is_marked: bool = False  # hatched: it waits, or nobody asks for it


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers in short: ``0-3, 8``."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def merged(cells: Sequence[Cell]) -> list[Cell]:
    """Return cells with neighbours of equal lanes joined to longer ones."""
    found: list[Cell] = []
    for cell in sorted(cells, key=lambda one: (one.row, one.at)):
        last = found[-1] if found else None
        if (
            last is not None
            and (last.row, last.lanes, last.is_marked) == (cell.row, cell.lanes, cell.is_marked)
            and last.at + last.length == cell.at
        ):
            found[-1] = Cell(
                last.at, last.length + cell.length, cell.row, cell.lanes, cell.is_marked
            )
        else:
            found.append(cell)
    return found


def empty(axes: Axes, look: Look, cells: Iterable[Cell], upright: bool = False) -> None:
    """Draw places that nobody asks for, all as one path."""
    boxes = [Path.unit_rectangle().transformed(_place(cell, upright)) for cell in cells]
    style = {"facecolor": "none", "edgecolor": look.palette.grid, "linewidth": 0.6}
    axes.add_patch(PathPatch(Path.make_compound_path(*boxes), **style))


def draw(
    axes: Axes, look: Look, cells: Sequence[Cell], unit: tuple[float, float], upright: bool = False
) -> None:
    """Draw cells with their lanes; ``unit`` is how long and how thick one is, in inches.

    ``upright`` cells go down, and their rows stand side by side.
    """
    palette = look.palette
    in_full = all(_fits(look, ranges(cell.lanes), cell.length * unit[0]) for cell in cells)
    for cell in cells:
        if cell.is_marked:
            fill = {"facecolor": palette.background, "edgecolor": palette.second}
            _box(axes, cell, upright, hatch=_HATCH, linewidth=1.2, zorder=2, **fill)
        else:
            _box(axes, cell, upright, facecolor=palette.first, linewidth=0, zorder=2)
        if len(cell.lanes) == 1 or (cell.lanes and in_full):
            turned = upright and len(cell.lanes) > 1
            _write(axes, look, cell, ranges(cell.lanes), upright, rotation=90 if turned else 0)
        elif cell.lanes:
            room = unit[1] if upright else cell.length * unit[0]
            text = f"x{len(cell.lanes)}"
            (_write if _fits(look, text, room) else _write_behind)(axes, look, cell, text, upright)


def entries(look: Look, plain: str, marked: str, has_marked: bool) -> list[tuple[object, str]]:
    """Return the legend's entries: what a filled cell is, and what a hatched one."""
    palette = look.palette
    found = [(Patch(facecolor=palette.first, edgecolor=palette.first), plain)]
    if has_marked:
        style = {"facecolor": palette.background, "edgecolor": palette.second, "hatch": _HATCH}
        found.append((Patch(linewidth=1.2, **style), marked))
    return found


def _box(axes: Axes, cell: Cell, upright: bool, **style) -> None:
    place = _place(cell, upright).transform([(0, 0), (1, 1)])
    (x, y), (right, low) = place
    axes.add_patch(Rectangle((x, y), right - x, low - y, **style))


def _place(cell: Cell, upright: bool) -> Affine2D:
    """Return where the unit square goes for a cell."""
    along, across = (cell.at + 0.06, cell.length - 0.12), (cell.row + 0.08, 0.84)
    x, y = (across, along) if upright else (along, across)
    return Affine2D().scale(x[1], y[1]).translate(x[0], y[0])


def _fits(look: Look, text: str, room: float) -> bool:
    return frame.text_width(text, _letters(look), bold=True) <= room - 0.025


def _letters(look: Look) -> float:
    return max(_LEAST, look.variant.small - 1)


def _write(axes: Axes, look: Look, cell: Cell, text: str, upright: bool, rotation=0) -> None:
    palette = look.palette
    middle = (cell.at + cell.length / 2, cell.row + 0.5)
    style = {"color": palette.background}
    if cell.is_marked:
        box = {"facecolor": palette.background, "edgecolor": "none", "pad": 0.9}
        style = {"color": palette.ink, "bbox": box}
    style.update(rotation=rotation, weight="bold", size=_letters(look), zorder=3)
    x, y = reversed(middle) if upright else middle
    axes.text(x, y, text, ha="center", va="center" if rotation else "center_baseline", **style)


def _write_behind(axes: Axes, look: Look, cell: Cell, text: str, upright: bool) -> None:
    """Write beside a cell that is too small: what has so many lanes has idle neighbours."""
    style = {"color": look.palette.ink, "weight": "bold", "size": _letters(look), "zorder": 3}
    place = (cell.at + cell.length + 0.15, cell.row + 0.5)
    if upright:
        axes.text(place[1], place[0], text, ha="center", va="top", **style)
    else:
        axes.text(*place, text, ha="left", va="center_baseline", **style)
