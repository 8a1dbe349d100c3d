"""Span of every row, and how far the means of its rounds are from it."""

from collections.abc import Sequence

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from evidence import times
from evidence.verdicts import Interval
from plots import frame, rows, stages
from plots.frame import Panel
from plots.series import NothingToDrawError, Series
from plots.story import Column, Story, measured_how, plural, title, us
from plots.style import Look

ORDER = 8

_COLUMNS = (
    Column("record"),
    Column("row"),
    Column("kind"),
    Column("span", 2, "us"),
    Column("lowest round mean", 2, "us"),
    Column("highest round mean", 2, "us"),
    Column("lowest, off the median", 2, "%"),
    Column("highest, off the median", 2, "%"),
)
_CALM = 1.0  # per cent


def story(series: Sequence[Series]) -> Story:
    """Return what the spans state. Raises NothingToDrawError if none was measured."""
    gone = rows.untimed(series, "span")
    return Story(
        title=title("span of every row, and its rounds", series),
        subtitle=measured_how(series, "span (two events around one launch)"),
        alt=" ".join(_finding(one) for one in series),
        columns=_COLUMNS,
        rows=[row for one in series for row in _rows(one)],
        notes=(
            "Left: the span, the median of all samples. Right: the means of the rounds, lowest to "
            "highest, in per cent of it. A mean is above the median where a few launches took much "
            "longer.",
            *([gone] if gone else []),
        ),
    )


def _off(time: Interval) -> tuple[float, float]:
    """Return how far the lowest and the highest round mean are from the median, in per cent."""
    return 100 * (time.low / time.value - 1), 100 * (time.high / time.value - 1)


def _rows(one: Series) -> list[list]:
    found = []
    for row in rows.of([one], "span"):
        time = one.time(row.name, "span")
        numbers = [time.value, time.low, time.high, *_off(time)]
        found.append([one.source.label, row.name, row.word, *numbers])
    return found


def _finding(one: Series) -> str:
    every = rows.of([one], "span")
    if not every:
        raise NothingToDrawError(f"no row of {one.source.label} has a span")
    least, most = (one.time(row.name, "span").value for row in (every[0], every[-1]))
    wide = {row: _off(one.time(row.name, "span")) for row in every}
    calm = [row for row, (low, high) in wide.items() if max(-low, high) <= _CALM]
    worst = max(wide, key=lambda row: wide[row][1] - wide[row][0])
    said = (
        f"{one.label}, {one.ladder}: spans of {plural(len(every), 'row')} are {us(least)} "
        f"({every[0].name}) to {us(most)} ({every[-1].name}). Of {len(calm)} all round means are "
        f"within 1 % of the median; the widest range is that of {worst.name} ({worst.word}), "
        f"{wide[worst][0]:+.1f} to {wide[worst][1]:+.1f} %."
    )
    same = times.same_difference(one.record, "span")
    if same is not None:
        said += f" A program that is entered twice differs by up to {100 * (same - 1):.1f} %."
    return said


def draw(look: Look, story: Story, series: Sequence[Series]):
    """Return the figure."""
    every, size = rows.of(series, "span"), look.variant.small
    found = [
        (at, number, one, one.time(row.name, "span"), row)
        for at, row in enumerate(every)
        for number, one in enumerate(series)
    ]
    found = [line for line in found if line[3] is not None]
    words = [_words(look, time, row) for *_, time, row in found]
    names = rows.left(look, every)
    left = names + frame.widest(words, size) + 0.16
    panel = Panel(rows.height(len(every), len(series)), left)
    figure, (axes,) = frame.sheet(look, story, [panel], _legend(look, series))
    axes.set_ylim(len(every) - 0.5, -0.5)
    axes.grid(axis="x", color=look.palette.grid, linewidth=0.8)
    axes.set_xlabel("round means, % off the median")
    for one in series:
        same = times.same_difference(one.record, "span")
        if same is not None and not one.is_overlay:
            ends = (100 * (1 / same - 1), 100 * (same - 1))
            axes.axvspan(*ends, color=look.palette.band, linewidth=0, zorder=0.5)
    axes.axvline(0, color=look.palette.muted, linewidth=1, zorder=1)
    for (at, number, one, time, _), text in zip(found, words, strict=True):
        y = at + (number - (len(series) - 1) / 2) * 0.42
        axes.plot(_off(time), [y, y], zorder=2, **_mark(look, one))
        axes.annotate(
            text,
            (0, y),
            xycoords=("axes fraction", "data"),
            xytext=(-6, 0),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            color=look.palette.ink,
            size=size,
            annotation_clip=False,
        )
    stages.name(axes, look, every)
    axes.tick_params(axis="y", pad=72 * (left - names) + 3)
    return figure


def _words(look: Look, time: Interval, row: rows.Row) -> str:
    return f"{row.word}   {time.value:,.2f} us" if look.is_wide else f"{time.value:,.2f}"


def _mark(look: Look, one: Series) -> dict:
    return {
        "color": look.colour(one.is_overlay),
        "linewidth": 2.4,
        "solid_capstyle": "butt",
        "marker": "s" if one.is_overlay else "|",
        "markersize": 3.5 if one.is_overlay else 8,
        "markeredgewidth": 1.6,
    }


def _legend(look: Look, series: Sequence[Series]) -> list[tuple[object, str]]:
    entries = []
    for one in series:
        own = one.name_in_legend if len(series) > 1 else ""
        entries.append((Line2D([], [], **_mark(look, one)), f"{own}lowest to highest round mean"))
    if times.same_difference(series[0].record, "span") is not None:
        band = Patch(facecolor=look.palette.band, edgecolor=look.palette.muted, linewidth=0.6)
        own = series[0].name_in_legend if len(series) > 1 else ""
        entries.append((band, f"{own}what a program entered twice differs by"))
    return entries
