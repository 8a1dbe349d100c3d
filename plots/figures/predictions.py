"""Predicted against measured factors: every prediction that a record could judge."""

import math
from collections.abc import Sequence

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from evidence import claims
from evidence.verdicts import TOLERANCE
from plots import dots, frame, labels
from plots.axes import ticks
from plots.dots import Dot
from plots.frame import Panel
from plots.series import NothingToDrawError, Series
from plots.story import Column, Story, factor, listed, measured_how, plural, title
from plots.style import MARKS, OVERLAY_MARKS, Look

ORDER = 3

_NAMED = 8  # the predictions that are named: those that were most wrong
_COLUMNS = (
    Column("record"),
    Column("rung"),
    Column("model"),
    Column("predicted", 3, "x"),
    Column("measured", 3, "x"),
    Column("from", 3, "x"),
    Column("to", 3, "x"),
    Column("verdict"),
    Column("gain"),
)


def story(series: Sequence[Series]) -> Story:
    """Return what became of the predictions. Raises NothingToDrawError if none was judged."""
    return Story(
        title=title("predicted and measured factors", series),
        subtitle=measured_how(series, "factors of kernel times (CUPTI)"),
        alt=" ".join(_finding(one) for one in series),
        columns=_COLUMNS,
        rows=[row for one in series for row in _rows(one)],
        notes=(
            "A point above the diagonal gained more than predicted. Upright lines: the noise of "
            "the measured factor. A name stands at the prediction of a rung that is furthest off; "
            "not all have room. The table has all.",
        ),
    )


def _rows(one: Series) -> list[list]:
    return [
        [one.source.label, name, p.model, p.expected, p.factor.value, p.factor.low, p.factor.high]
        + [p.verdict, p.gain]
        for name, p in sorted(one.judged(), key=_off, reverse=True)
    ]


def _off(named: tuple[str, claims.Judged]) -> float:
    """Return how far a prediction is off: the logarithm of the ratio."""
    return abs(math.log(named[1].factor.value / named[1].expected))


def _finding(one: Series) -> str:
    judged = one.judged()
    if not judged:
        raise NothingToDrawError(f"{one.source.label} holds no prediction that it could judge")
    counts = {verdict: sum(p.verdict == verdict for _, p in judged) for verdict in MARKS}
    parts = listed([f"{count} {verdict}" for verdict, count in counts.items() if count])
    name, worst = max(judged, key=_off)
    less = sum(p.factor.value < p.expected for _, p in judged if p.verdict == "refuted")
    return (
        f"{one.label}, {one.source.ladder}: of {plural(len(judged), 'prediction')} {parts}. "
        f"Of those refuted, {less} predicted too much. Furthest off is {name} by "
        f"{worst.model}: {factor(worst.expected)} predicted, {factor(worst.factor.value)} measured."
    )


def draw(look: Look, story: Story, series: Sequence[Series]):
    """Return the figure."""
    panel = Panel(height=4.1 if look.is_wide else 3.1, left=0.62)
    judged = [(one, name, p) for one in series for name, p in one.judged()]
    rungs = [dot for one in series for dot in _rungs(one)]
    key = "" if look.is_wide else dots.key(rungs)
    figure, (axes,) = frame.sheet(look, story, [panel], _legend(look, series), key)
    _axes(axes, look, [p for *_, p in judged])
    for one, _, p in judged:
        colour = look.colour(one.is_overlay)
        where = [p.expected, p.expected]
        axes.plot(where, [p.factor.low, p.factor.high], color=colour, linewidth=1, zorder=2)
        axes.plot(p.expected, p.factor.value, zorder=3, **_mark(look, one, p.verdict))
    points = [(p.expected, p.factor.value) for *_, p in judged]
    labels.place(axes, look, points, _names(series[0], look), _along_diagonal(axes))
    return figure


def _names(one: Series, look: Look) -> list[tuple[float, float, str]]:
    """Return what is written beside points, those furthest off first: one of a rung.

    On a narrow sheet that is the rung's number.
    """
    found: dict[str, tuple[float, float, str]] = {}
    short = {dot.name: dot.short for dot in _rungs(one)}
    for name, p in sorted(one.judged(), key=_off, reverse=True):
        text = f"{name}, {p.model}" if look.is_wide else short[name]
        found.setdefault(name, (p.expected, p.factor.value, text))
    return list(found.values())[: _NAMED if look.is_wide else None]


def _rungs(one: Series) -> list[Dot]:
    """Return the rungs with predictions, each once."""
    orders = {row["name"]: row["order"] for row in one.record["shapes"][0]["rows"]}
    return [
        Dot(one, name, orders[name], p.expected, p.factor.value)
        for name, p in dict(one.judged()).items()
    ]


def _along_diagonal(axes) -> list[tuple[float, float]]:
    """Return points on the diagonal, which no name shall cover."""
    low, high = axes.get_xlim()
    points = [low * (high / low) ** (step / 200) for step in range(201)]
    return [(x, x) for x in points]


def _axes(axes, look: Look, judged: list[claims.Judged]) -> None:
    """Give the axes their ranges, the diagonal and the band of 10 % around it."""
    palette = look.palette
    x_ends = _ends([p.expected for p in judged])
    y_ends = _ends([v for p in judged for v in (p.factor.low, p.factor.high)])
    axes.set(xscale="log", yscale="log", xlim=x_ends, ylim=y_ends)
    diagonal = [min(x_ends[0], y_ends[0]) / 2, max(x_ends[1], y_ends[1]) * 2]
    off = math.exp(TOLERANCE)
    low, high = [x / off for x in diagonal], [x * off for x in diagonal]
    axes.fill_between(diagonal, low, high, color=palette.band, linewidth=0, zorder=0.5)
    axes.plot(diagonal, diagonal, color=palette.muted, linewidth=1, zorder=1)
    for line in (axes.axhline, axes.axvline):
        line(1, color=palette.grid, linewidth=1, zorder=0.6)
    axes.set_xlabel("predicted, time before / time after")
    axes.set_ylabel("measured")
    axes.spines["left"].set(visible=True, color=palette.muted)
    for axis, ends in ((axes.xaxis, x_ends), (axes.yaxis, y_ends)):
        ticks(axis, ends, "x")


def _ends(values: list[float]) -> tuple[float, float]:
    """Return the range that shows all values and 1, with a margin."""
    low, high = min(*values, 0.9), max(*values, 1.1)
    more = (high / low) ** 0.07
    return low / more, high * more


def _mark(look: Look, one: Series, verdict: str) -> dict:
    """Return the mark of a verdict: filled if the prediction held, else the background inside."""
    colour = look.colour(one.is_overlay)
    inside = colour if verdict == "confirmed" else look.palette.background
    return {
        "marker": (OVERLAY_MARKS if one.is_overlay else MARKS)[verdict],
        "markersize": 7 if look.is_wide else 5.5,
        "markerfacecolor": inside,
        "markeredgecolor": colour,
        "markeredgewidth": 1.2,
        "linestyle": "none",
    }


def _legend(look: Look, series: Sequence[Series]) -> list[tuple[object, str]]:
    entries = []
    for one in series:
        own = one.name_in_legend if len(series) > 1 else ""
        verdicts = [p.verdict for _, p in one.judged()]
        for verdict in MARKS:
            if verdict in verdicts:
                mark = Line2D([], [], **_mark(look, one, verdict))
                entries.append((mark, f"{own}{verdict}, {verdicts.count(verdict)}"))
    band = Patch(facecolor=look.palette.band, edgecolor=look.palette.muted, linewidth=0.6)
    return [*entries, (band, "within 10 %")]
