"""What a launch costs: an operation by every instrument, beyond what the device alone needs."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.patches import Patch

from evidence import claims, times
from evidence.times import Time
from plots import frame
from plots.frame import Panel
from plots.series import NothingToDrawError, Series
from plots.story import Column, Story, listed, plural, title, us
from plots.style import Look

ORDER = 9

_BAR = 0.22  # inches for a bar
_COLUMNS = (
    Column("record"),
    Column("row"),
    Column("kernels an operation", 0),
    Column("instrument"),
    Column("time", 2, "us"),
    Column("beyond the graph", 2, "us"),
)
_HOST = ("submit",)
_ORDER = ("kernel", "graph", "queued", "span", "awaited", "submit")


@dataclass(frozen=True)
class Launched:
    """One row of a record: its operation by every instrument."""

    one: Series
    name: str
    what: str  # why it is shown
    kernels: int  # launches of an operation
    least: Time  # the graph with most operations: the device has the next one at hand
    times: list[Time]
    is_crowded: bool  # CUPTI makes its kernel time longer

    def beyond(self, time: Time) -> float:
        """Return by how much a time is more than the graph's; a host's time is all of it."""
        base = 0.0 if time.instrument in _HOST else self.least.interval.value
        return time.interval.value - base


def of(one: Series) -> list[Launched]:
    """Return the rows that are shown. Raises NothingToDrawError if no rung was timed as a graph."""
    rungs = [row["name"] for row in one.numbered]
    timed = [(time.value, name) for name in rungs if (time := one.time(name)) is not None]
    wanted = []
    if timed:
        wanted.append((max(timed)[1], "slowest numbered rung"))
        wanted.append((claims.fastest(one.record, rungs), "fastest numbered rung"))
    if one.best_peer:
        wanted.append((one.best_peer, "best peer"))
    found = {name: _launched(one, name, what) for name, what in reversed(wanted)}
    rows = [found[name] for name, _ in wanted if found[name] is not None]
    if not any(row.what != "best peer" for row in rows):
        raise NothingToDrawError(f"no numbered rung of {one.source.label} was timed as a graph")
    return list({row.name: row for row in rows}.values())


def _launched(one: Series, name: str, what: str) -> Launched | None:
    row = times.row(one.record, name)
    every = [t for t in times.all_times(row) if t.interval is not None and t.cache == "warm"]
    graphs = [time for time in every if time.instrument == "graph"]
    if not graphs:
        return None
    kernel = times.find(row)
    kernels = sum(part.kernel["launches_per_operation"] for part in kernel.parts) if kernel else 0
    every.sort(key=lambda time: (_ORDER.index(time.instrument), -time.batch))
    least = max(graphs, key=lambda time: time.batch)
    return Launched(one, name, what, kernels, least, every, times.crowded(row) is not None)


def story(series: Sequence[Series]) -> Story:
    """Return what launches cost. Raises NothingToDrawError if a record does not say it."""
    shown = [row for one in series for row in of(one)]
    shape = times.shape_words(times.shapes(series[0].record)[0])
    notes = [
        "A bar: the time of one operation beyond that in the graph with most operations, where the "
        "device has the next launch at hand. submit is the host's time of a launch, all of it. "
        "A number behind a name: operations in a sample, of which each counts its share."
    ]
    crowded = [f"{row.name} ({row.one.source.label})" for row in shown if row.is_crowded]
    if crowded:
        notes.append(
            f"Of {listed(crowded)} kernel is left out: CUPTI adds a little to each of its many "
            "blocks."
        )
    return Story(
        title=title("what a launch costs", series),
        subtitle=f"{shape}; one operation by every instrument, warm cache, medians",
        alt=" ".join(_finding(one) for one in series),
        columns=_COLUMNS,
        rows=[_row(row, time) for row in shown for time in row.times],
        notes=tuple(notes),
    )


def _row(row: Launched, time: Time) -> list:
    value = time.interval.value
    return [row.one.source.label, row.name, row.kernels, time.label, value, row.beyond(time)]


def _finding(one: Series) -> str:
    said = []
    for row in of(one):
        words = f"{row.name} ({row.what}, {plural(row.kernels, 'kernel')} an operation) takes "
        words += f"{us(row.least.interval.value)} in {row.least.label}"
        by = {time.label: row.beyond(time) for time in row.times}
        parts = [f"{by[name]:+,.2f} us by {name}" for name in ("span", "awaited") if name in by]
        if "submit" in by:
            parts.append(f"{by['submit']:,.2f} us of the host to submit it")
        said.append(f"{words}, {listed(parts)}" if parts else words)
    return f"{one.label}, {one.ladder}: {'; '.join(said)}."


def draw(look: Look, story: Story, series: Sequence[Series]):
    """Return the figure."""
    shown = [row for one in series for row in of(one)]
    bars = [[time for time in row.times if not _is_hidden(row, time)] for row in shown]
    names = [time.label for times_of_row in bars for time in times_of_row]
    size = look.variant.small
    left = frame.widest(names, size) + 0.12
    width = frame.panel_width(look, Panel(1, left))
    panels = [
        Panel(
            len(row_bars) * _BAR,
            left,
            heading=frame.wrapped(
                _heading(row, len(series) > 1), width + left - 0.1, look.variant.text
            ),
            below=0.5 if at == len(shown) - 1 else 0.3,
        )
        for at, (row, row_bars) in enumerate(zip(shown, bars, strict=True))
    ]
    figure, all_axes = frame.sheet(look, story, panels, _legend(look, series))
    values = [
        (row.beyond(t), _label(row, t)) for row, one in zip(shown, bars, strict=True) for t in one
    ]
    low = min(0.0, *(value for value, _ in values))
    high = frame.room_for_labels([(v - low, text) for v, text in values], width, size) + low
    for axes, row, row_bars in zip(all_axes, shown, bars, strict=True):
        _panel(axes, look, row, row_bars)
        axes.set_xlim(low, high)
    all_axes[-1].set_xlabel("us of an operation beyond the graph")
    return figure


def _is_hidden(row: Launched, time: Time) -> bool:
    """Return whether a time is not drawn: the graph itself, and a kernel time made longer."""
    return time is row.least or (row.is_crowded and time.instrument == "kernel")


def _heading(row: Launched, is_named: bool) -> str:
    label = f"{row.one.source.label}: " if is_named else ""
    kernels = plural(row.kernels, "kernel") if row.kernels else "kernels not known"
    return (
        f"{label}{row.name}, {row.what}: {kernels}, {us(row.least.interval.value)} in "
        f"{row.least.label}"
    )


def _panel(axes, look: Look, row: Launched, bars: list[Time]) -> None:
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.grid(axis="x", color=look.palette.grid, linewidth=0.8)
    axes.axvline(0, color=look.palette.muted, linewidth=1, zorder=2.5)
    for at, time in enumerate(bars):
        value = row.beyond(time)
        fill = look.bar(time.instrument in _HOST, row.one.is_overlay)
        axes.barh(at, value, height=0.62, zorder=2, **fill)
        axes.annotate(
            _label(row, time),
            (max(value, 0), at),
            xytext=(4, 0),
            textcoords="offset points",
            va="center_baseline",
            color=look.palette.ink,
            size=look.variant.small,
            zorder=4,
            bbox={"facecolor": look.palette.background, "edgecolor": "none", "pad": 0.8},
        )
    axes.set_yticks(range(len(bars)), [time.label for time in bars])
    axes.tick_params(axis="y", length=0, labelsize=look.variant.small, pad=5)
    for label in axes.get_yticklabels():
        label.set_color(look.palette.ink)


def _label(row: Launched, time: Time) -> str:
    value = row.beyond(time)
    if time.instrument in _HOST:
        return f"{value:,.2f}"
    return f"{value:+,.2f} ({time.interval.value:,.2f})"


def _legend(look: Look, series: Sequence[Series]) -> list[tuple[object, str]]:
    entries = []
    for one in series:
        own = one.name_in_legend if len(series) > 1 else ""
        solid, hatched = (Patch(**look.bar(hatch, one.is_overlay)) for hatch in (False, True))
        entries.append((solid, f"{own}beyond the graph (whole time)"))
        entries.append((hatched, f"{own}host's time"))
    return entries
