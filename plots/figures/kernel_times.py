"""Kernel time of every row of the record, sorted: rungs, asides, peers and floors."""

from collections.abc import Sequence

from evidence import claims
from evidence.verdicts import gain
from plots import frame, rows, stages
from plots.frame import Panel
from plots.series import NothingToDrawError, Series
from plots.story import Column, Story, factor, listed, measured_how, plural, title, us
from plots.style import Look

ORDER = 7

_COLUMNS = (
    Column("record"),
    Column("row"),
    Column("kind"),
    Column("kernel", 2, "us"),
    Column("lowest round mean", 2, "us"),
    Column("highest round mean", 2, "us"),
    Column("over the fastest rung", 3, "x"),
)


def story(series: Sequence[Series]) -> Story:
    """Return what the times state. Raises NothingToDrawError without a kernel time of a rung."""
    gone = rows.untimed(series, "kernel")
    return Story(
        title=title("kernel time of every row", series),
        subtitle=measured_how(series, "kernel (CUPTI)"),
        alt=" ".join(_finding(one) for one in series),
        columns=_COLUMNS,
        rows=[row for one in series for row in _rows(one)],
        notes=(
            "Behind a bar: its time and its kind. The line at a bar's end: lowest to highest mean "
            "of a round. A row that is called (again) is the same program a second time.",
            *([gone] if gone else []),
        ),
    )


def _rungs(one: Series) -> list[rows.Row]:
    """Return the rungs from the fastest to the slowest, each once."""
    every = rows.of([one], "kernel")
    found = [row for row in every if row.kind not in ("peer", "floor") and not row.is_again]
    if not found:
        raise NothingToDrawError(f"no rung of {one.source.label} has a kernel time")
    return found


def _rows(one: Series) -> list[list]:
    best, found = one.time(_rungs(one)[0].name).value, []
    for row in rows.of([one], "kernel"):
        time = one.time(row.name)
        found.append([one.source.label, row.name, row.word, time.value, time.low, time.high])
        found[-1].append(time.value / best)
    return found


def _finding(one: Series) -> str:
    every, rungs = rows.of([one], "kernel"), _rungs(one)
    best, slowest = rungs[0], rungs[-1]
    least, most = one.time(best.name).value, one.time(slowest.name).value
    said = (
        f"{one.label}, {one.ladder}: of {plural(len(every), 'row')} the fastest rung is "
        f"{best.name}, {us(least)}; the slowest, {slowest.name}, takes {us(most)}, "
        f"{factor(most / least)} as long."
    )
    gains = {row.name: _gain(one, best, row) for row in every if row.word == "peer"}
    ahead, near = (
        [name for name, gain in gains.items() if gain == wanted]
        for wanted in ("faster", "not resolved")
    )
    if gains:
        verb = "is" if len(ahead) == 1 else "are"
        said += f" Of {plural(len(gains), 'FP32 peer')} {len(ahead)} {verb} faster"
        said += f": {listed(ahead)}." if ahead else "."
    return f"{said} Inside the noise of the fastest rung: {listed(near)}." if near else said


def _gain(one: Series, best: rows.Row, peer: rows.Row) -> str:
    """Return whether a peer is faster than the fastest rung, as the noise lets one say."""
    found = claims.factor(one.record, best.name, peer.name)
    return claims.NOT_MEASURED if found is None else gain(found.low, found.high)


def draw(look: Look, story: Story, series: Sequence[Series]):
    """Return the figure."""
    every = rows.of(series, "kernel")
    panel = Panel(rows.height(len(every), len(series)), rows.left(look, every))
    legend = rows.legend(look, series, every)
    figure, (axes,) = frame.sheet(look, story, [panel], legend)
    times = [[one.time(row.name) for one in series] for row in every]
    labels = [
        (stages.end(time), f"{time.value:,.2f} {row.word}")
        for row, pair in zip(every, times, strict=True)
        for time in pair
        if time
    ]
    size = look.variant.small
    axes.set_xlim(0, frame.room_for_labels(labels, frame.panel_width(look, panel), size))
    axes.set_xlabel("kernel time, us")
    bars = stages.Bars(axes, look, len(every), len(series))
    for at, (row, pair) in enumerate(zip(every, times, strict=True)):
        for number, (one, time) in enumerate(zip(series, pair, strict=True)):
            fill = rows.fill(look, row.kind, one.is_overlay)
            bars.bar(at, number, time, fill, f" {row.word}")
    stages.name(axes, look, every)
    return figure
