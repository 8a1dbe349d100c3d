"""Kernel time and span of the same launches: what the two instruments say of each rung."""

from collections.abc import Sequence

from matplotlib.patches import Patch

from plots import frame, stages
from plots.series import NothingToDrawError, Series
from plots.stages import Stage
from plots.story import Column, Story, factor, measured_how, plural, title, us
from plots.style import Look

ORDER = 2

_COLUMNS = (
    Column("record"),
    Column("row"),
    Column("kind"),
    Column("kernel", 2, "us"),
    Column("span", 2, "us"),
    Column("lowest round mean of span", 2, "us"),
    Column("highest round mean of span", 2, "us"),
    Column("span - kernel", 2, "us"),
)


def story(series: Sequence[Series]) -> Story:
    """Return what the two instruments state. Raises NothingToDrawError if a record lacks one."""
    return Story(
        title=title("kernel and span", series),
        subtitle=measured_how(series, "kernel (CUPTI) and span (two events around one launch)"),
        alt=" ".join(_finding(one) for one in series),
        columns=_COLUMNS,
        rows=[row for one in series for row in _rows(one)],
        notes=(
            "In brackets: span - kernel. The line at a bar's end: lowest to highest mean of a "
            "round.",
        ),
    )


def _both(one: Series) -> list[tuple[Stage, object, object]]:
    """Return (row, kernel, span) of what has both: rungs, then best peer and floor."""
    found = []
    for stage in [*stages.of([one]), *_compared(one)]:
        kernel, span = one.time(stage.name), one.time(stage.name, "span")
        if kernel and span:
            found.append((stage, kernel, span))
    return found


def _compared(one: Series) -> list[Stage]:
    kinds = (("peer", one.best_peer), ("floor", one.floor))
    return [Stage(name, kind, None) for kind, name in kinds if name]


def _rows(one: Series) -> list[list]:
    return [
        [one.source.label, stage.name, stage.kind, kernel.value, span.value, span.low, span.high]
        + [span.value - kernel.value]
        for stage, kernel, span in _both(one)
    ]


def _finding(one: Series) -> str:
    rungs = [found for found in _both(one) if found[0].kind not in ("peer", "floor")]
    if not rungs:
        raise NothingToDrawError(f"no numbered rung of {one.source.label} has kernel and span")
    more = [span.value - kernel.value for _, kernel, span in rungs]
    said = (
        f"{one.label}, {one.source.ladder}: over {plural(len(rungs), 'rung')} span - kernel is "
        f"{us(min(more))} to {us(max(more))}."
    )
    under = [stage.name for stage, kernel, span in rungs if span.value < kernel.value]
    if under:
        said += f" Of {', '.join(under)} the span is the shorter one."
    (first, *slow), (last, *fast) = rungs[0], min(rungs, key=lambda found: found[1].value)
    if first.name != last.name:
        by = [factor(before.value / after.value) for before, after in zip(slow, fast, strict=True)]
        said += f" From {first.name} to {last.name} is {by[0]} by kernel and {by[1]} by span."
    return said


def draw(look: Look, story: Story, series: Sequence[Series]):
    """Return the figure."""
    rungs = stages.of(series)
    rungs += list(dict.fromkeys(c for one in series for c in _compared(one)))
    ways = [(one, instrument) for one in series for instrument in ("kernel", "span")]
    times = [[one.time(rung.name, way) for one, way in ways] for rung in rungs]
    more = [[_more(one, rung, way) for one, way in ways] for rung in rungs]
    panel = stages.panel(look, rungs, len(ways))
    figure, (axes,) = frame.sheet(look, story, [panel], _legend(look, series))
    labels = [
        (stages.end(time), f"{time.value:,.2f}{text}")
        for row, texts in zip(times, more, strict=True)
        for time, text in zip(row, texts, strict=True)
        if time
    ]
    width = frame.panel_width(look, panel)
    axes.set_xlim(0, frame.room_for_labels(labels, width, look.variant.small))
    axes.set_xlabel("time, us")
    bars = stages.Bars(axes, look, len(rungs), len(ways))
    for at, row in enumerate(times):
        for number, (one, way) in enumerate(ways):
            fill = look.bar(way == "span", one.is_overlay)
            bars.bar(at, number, row[number], fill, more[at][number])
    stages.name(axes, look, rungs)
    compared = sum(rung.kind in ("peer", "floor") for rung in rungs)
    if compared:
        axes.axhline(len(rungs) - compared - 0.5, color=look.palette.muted, linewidth=0.8)
    return figure


def _more(one: Series, rung: Stage, way: str) -> str:
    """Return by how much a span is longer than the kernel in it."""
    kernel, span = one.time(rung.name), one.time(rung.name, "span")
    if way != "span" or kernel is None or span is None:
        return ""
    return f" ({span.value - kernel.value:+,.2f})"


def _legend(look: Look, series: Sequence[Series]) -> list[tuple[object, str]]:
    entries = []
    for one in series:
        own = one.name_in_legend if len(series) > 1 else ""
        for way in ("kernel", "span"):
            patch = Patch(**look.bar(way == "span", one.is_overlay))
            entries.append((patch, own + way))
    return entries
