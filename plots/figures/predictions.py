"""Predicted against measured factors: every prediction that a record could judge."""

import math
from collections.abc import Sequence

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from evidence import claims
from evidence.verdicts import TOLERANCE
from plots import frame, labels
from plots.frame import Panel
from plots.series import NothingToDrawError, Series
from plots.story import Column, Story, factor, listed, measured_how, plural, title
from plots.style import MARKS, OVERLAY_MARKS, Look

ORDER = 3

_NAMED = 4  # the predictions that are named: those that were most wrong
_NARROW, _BROAD = 15, 150  # ranges of factors that have room for more ticks, or for fewer
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
            "the measured factor. Named are some of those that are furthest off.",
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
    figure, (axes,) = frame.sheet(look, story, [panel], _legend(look, series))
    judged = [(one, name, p) for one in series for name, p in one.judged()]
    _axes(axes, look, [p for *_, p in judged])
    for one, _, p in judged:
        colour = look.colour(one.is_overlay)
        where = [p.expected, p.expected]
        axes.plot(where, [p.factor.low, p.factor.high], color=colour, linewidth=1, zorder=2)
        axes.plot(p.expected, p.factor.value, zorder=3, **_mark(look, one, p.verdict))
    points = [(p.expected, p.factor.value) for *_, p in judged]
    named = [
        (p.expected, p.factor.value, f"{name}, {p.model}" if look.is_wide else name)
        for name, p in _worst(series[0])
    ]
    labels.place(axes, look, points + _along_diagonal(axes), named)
    return figure


def _worst(one: Series) -> list[tuple[str, claims.Judged]]:
    """Return the predictions that are furthest off, one of a rung."""
    found: dict[str, claims.Judged] = {}
    for name, judged in sorted(one.judged(), key=_off, reverse=True):
        found.setdefault(name, judged)
    return list(found.items())[:_NAMED]


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
        ratio = ends[1] / ends[0]
        subs = (1, 1.5, 2, 3, 5, 7) if ratio < _NARROW else (1, 2, 5) if ratio < _BROAD else (1, 3)
        axis.set_major_locator(LogLocator(base=10, subs=subs, numticks=20))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
        axis.set_minor_formatter(NullFormatter())
        axis.set_tick_params(which="minor", length=0)


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
