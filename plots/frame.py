"""The sheet of a figure: title, panels, legend and notes, each as high as it needs to be.

All lengths are inches. What is to stand in the margins is measured first, so that nothing is cut
and nothing overlaps, whatever the names in a record are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from plots.story import Story
from plots.style import FONT, Look

_EDGE = 0.12
_LINE = 1.3  # height of a line of text, as a share of its letters'
_AXIS = 0.5  # for the ticks and the label below a panel
_GUTTER = 0.2  # between panels beside each other
_POINTS = 72
_RULER_DPI = 720
_RULER = RendererAgg(1, 1, _RULER_DPI)
_SPACE = 0.35  # between words, as a share of their letters' size
_SURELY = 0.95
_SLACK = 1.02  # letters are set a little wider at few dots
_HANDLE = 0.45  # of an entry of the legend, with the space behind it
_TOGETHER = re.compile(r"\([^()]{1,24}\)|\d (?:us|%)|\d x \d+ samples")


@dataclass(frozen=True)
class Panel:
    """Room for axes: its height, and what stands beside it."""

    height: float
    left: float
    right: float = 0.1
    heading: str = ""  # a line above it
    below: float = _AXIS


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a line of text is drawn."""
    if not text.strip():
        return 0.0
    font = FontProperties(family=FONT, size=size, weight="bold" if bold else "normal")
    dots, _, _ = _RULER.get_text_width_height_descent(text, font, ismath=False)
    return _SLACK * dots / _RULER_DPI


def widest(texts: Sequence[str], size: float) -> float:
    """Return the width of the widest of these texts."""
    return max((text_width(text, size) for text in texts), default=0.0)


def wrapped(text: str, width: float, size: float, bold: bool = False) -> str:
    """Return a text with line ends, so that no line is wider; a longer word is broken.

    A number and its unit stay on one line, and so does what stands in brackets, if it is short.
    """
    text = _TOGETHER.sub(lambda match: match[0].replace(" ", "\u00a0"), text)
    lines, about = [""], 0.0
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        about += text_width(word, size, bold) + _SPACE * size / _POINTS
        # Words are measured once each; a line only where it may be full.
        if about <= _SURELY * width or text_width(longer, size, bold) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for sign in word:
            if lines[-1] and text_width(lines[-1] + sign, size, bold) > width:
                lines.append("")
            lines[-1] += sign
        about = text_width(lines[-1], size, bold)
    return "\n".join(lines)


def sheet(
    look: Look,
    story: Story,
    panels: Sequence[Panel],
    legend: Sequence[tuple[object, str]] = (),
    key: str = "",
    columns: int = 1,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with its words in place, and the empty axes of its panels from above.

    ``legend`` has what is drawn (an artist) and what it is called; ``key`` says below it what short
    names stand for. Panels that stand in ``columns`` beside each other are equally wide.
    """
    variant, palette = look.variant, look.palette
    inside = variant.width - 2 * _EDGE
    figure = Figure(figsize=(variant.width, 4), dpi=100, facecolor=palette.background)
    FigureCanvasAgg(figure)
    blocks = [
        (wrapped(story.title, inside, variant.title, True), variant.title, palette.ink, "bold"),
        (wrapped(story.subtitle, inside, variant.small), variant.small, palette.muted, "normal"),
    ]
    notes = [(wrapped(note, inside, variant.small), palette.muted) for note in story.notes]
    if key:
        notes.insert(0, (wrapped(key, inside, variant.small), palette.ink))
    rows = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    box = _legend(figure, look, legend, inside)
    heights = [_height(text, size) for text, size, *_ in blocks]
    heights += [_row_height(row, look) + _below(row) for row in rows]
    heights += [_height(text, variant.small) for text, _ in notes]
    under = 0.0 if box is None else box.get_window_extent().height / figure.dpi + 0.08
    total = sum(heights) + under + 2 * _EDGE + 0.06
    figure.set_size_inches(variant.width, total)

    y = total - _EDGE
    for text, size, colour, weight in blocks:
        _write(figure, text, y, size, colour, weight)
        y -= _height(text, size)
    y -= 0.12
    axes = []
    for row in rows:
        bottom = y - _row_height(row, look)
        for number, panel in enumerate(row):
            start = _EDGE + number * (_column(look, columns) + _GUTTER)
            if panel.heading:
                size = variant.text
                _write(figure, panel.heading, y, size, palette.ink, "normal", start)
            width = _column(look, columns) - panel.left - panel.right
            place = (start + panel.left, bottom, width, panel.height)
            across, up = variant.width, total
            rect = (place[0] / across, place[1] / up, place[2] / across, place[3] / up)
            axes.append(_plain(figure.add_axes(rect), look))
        y = bottom - _below(row)
    if box is not None:
        box.set_bbox_to_anchor((_EDGE / variant.width, y / total), figure.transFigure)
        y -= under
    for text, colour in notes:
        _write(figure, text, y, variant.small, colour, "normal")
        y -= _height(text, variant.small)
    return figure, axes


def panel_width(look: Look, panel: Panel, columns: int = 1) -> float:
    """Return how wide the axes of a panel are."""
    return _column(look, columns) - panel.left - panel.right


def _column(look: Look, columns: int) -> float:
    """Return how wide each of so many panels beside each other is, with its margins."""
    return (look.variant.width - 2 * _EDGE - (columns - 1) * _GUTTER) / columns


def _row_height(row: Sequence[Panel], look: Look) -> float:
    return max(panel.height + _heading(panel, look) for panel in row)


def _below(row: Sequence[Panel]) -> float:
    return max(panel.below for panel in row)


def line_height(size: float) -> float:
    """Return how high a line of text is."""
    return size * _LINE / _POINTS


def beside(axes: Axes, look: Look, y: float, text: str, colour: str, away: float) -> None:
    """Write a line to the right of a panel, so many points from it, at ``y`` of its data."""
    axes.annotate(
        text,
        (1, y),
        xycoords=("axes fraction", "data"),
        xytext=(away, 0),
        textcoords="offset points",
        va="center",
        color=colour,
        size=look.variant.small,
        annotation_clip=False,
    )


def room_for_labels(bars: Sequence[tuple[float, str]], width: float, size: float) -> float:
    """Return the end of an axis from 0 on which each bar and the label behind it have room."""
    rooms = [value * width / (width - text_width(text, size) - 0.12) for value, text in bars]
    return max(rooms, default=1.0)


def _height(text: str, size: float) -> float:
    return (text.count("\n") + 1) * size * _LINE / _POINTS + 0.03


def _heading(panel: Panel, look: Look) -> float:
    return _height(panel.heading, look.variant.text) + 0.03 if panel.heading else 0.0


def _write(
    figure: Figure, text: str, y: float, size: float, colour: str, weight: str, x: float = _EDGE
) -> None:
    width, height = figure.get_size_inches()
    figure.text(
        x / width,
        y / height,
        text,
        size=size,
        color=colour,
        weight=weight,
        va="top",
        linespacing=_LINE * 0.9,
    )


def _legend(figure: Figure, look: Look, entries: Sequence[tuple[object, str]], inside: float):
    """Return the legend, in as many columns as fit; None if there is nothing to tell."""
    if not entries:
        return None
    size = look.variant.small
    artists = [artist for artist, _ in entries]
    texts = [wrapped(text, inside - _HANDLE, size) for _, text in entries]
    for columns in range(len(entries), 0, -1):
        box = figure.legend(
            artists,
            texts,
            loc="upper left",
            bbox_to_anchor=(0, 1),
            borderaxespad=0,
            borderpad=0,
            ncols=columns,
            fontsize=size,
            labelcolor=look.palette.ink,
            frameon=False,
            handlelength=2.2,
            handleheight=1.0,
            columnspacing=1.6,
        )
        if columns == 1 or box.get_window_extent().width <= inside * figure.dpi:
            return box
        box.remove()
    return None


def _plain(axes: Axes, look: Look) -> Axes:
    """Return axes without a box: a line below, quiet ticks."""
    palette = look.palette
    axes.set_facecolor("none")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(palette.muted)
    axes.set_axisbelow(True)
    axes.tick_params(colors=palette.muted, labelsize=look.variant.small, length=3)
    axes.xaxis.label.set(color=palette.muted, size=look.variant.small)
    axes.yaxis.label.set(color=palette.muted, size=look.variant.small)
    return axes
