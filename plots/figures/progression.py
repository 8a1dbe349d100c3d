"""Kernel time of the numbered rungs, with the factor between stages, floor and best peer."""

from collections.abc import Sequence

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from evidence import claims
from plots import frame, stages
from plots.series import NothingToDrawError, Series
from plots.story import NOTHING, Column, Story, factor, listed, measured_how, plural, title, us
from plots.style import FLOOR_LINE, PEER_LINE, Look

ORDER = 1

_HEAD = "x before"
_COLUMNS = (
    Column("record"),
    Column("row"),
    Column("kind"),
    Column("after"),
    Column("kernel", 2, "us"),
    Column("lowest round mean", 2, "us"),
    Column("highest round mean", 2, "us"),
    Column("time before / time after", 3, "x"),
    Column("from", 3, "x"),
    Column("to", 3, "x"),
    Column("gain"),
)


def story(series: Sequence[Series]) -> Story:
    """Return what the progression states. Raises NothingToDrawError without a kernel time."""
    return Story(
        title=title("kernel time, rung by rung", series),
        subtitle=measured_how(series, "kernel (CUPTI)"),
        alt=" ".join(_finding(one) for one in series),
        columns=_COLUMNS,
        rows=[row for one in series for row in _rows(one)],
        notes=(
            f"{_HEAD}: time before / time after, of the rung above or the one that is named; "
            "~ marks a difference inside the noise. The mark at a bar's end: lowest to highest "
            "mean of a round.",
        ),
    )


def _rows(one: Series) -> list[list]:
    found = []
    lines = [name for name in (one.best_peer, one.floor) if name]
    kinds = {row["name"]: row for row in one.record["shapes"][0]["rows"]}
    for name in [*(row["name"] for row in one.numbered), *lines]:
        time, step = one.time(name), one.step(name)
        numbers = [time.value, time.low, time.high] if time else [None] * 3
        numbers += [step.value, step.low, step.high] if step else [None] * 3
        gain = one.gain(name) if step else NOTHING
        row = kinds[name]
        found.append([one.source.label, name, row["kind"], row["after"] or NOTHING, *numbers, gain])
    return found


def _finding(one: Series) -> str:
    """Return the sentences that say where the ladder begins, how far it comes, by which steps."""
    timed = [(row["name"], one.time(row["name"])) for row in one.numbered]
    timed = [(name, time) for name, time in timed if time is not None]
    if not timed:
        raise NothingToDrawError("no numbered rung has a kernel time")
    first, least = timed[0], min(timed, key=lambda pair: pair[1].value)
    said = [f"{one.label}, {one.source.ladder}: {first[0]} takes {us(first[1].value)}"]
    whole = claims.factor(one.record, first[0], least[0])
    if least is not first:
        said[0] += f", the fastest of {plural(len(timed), 'rung')}, {least[0]}, "
        said[0] += us(least[1].value) + (f", {factor(whole.value)}" if whole else "")
    said[0] += "."
    steps = [(step.value, name) for name, _ in timed if (step := one.step(name))]
    if steps:
        said.append(f"The largest step is {max(steps)[1]}, {factor(max(steps)[0])}.")
    slower = [f"{name} ({factor(value)})" for value, name in steps if one.gain(name) == "slower"]
    if slower:
        said.append(f"Slower than the rung before: {listed(slower)}.")
    open_ones = [name for _, name in steps if one.gain(name) == "not resolved"]
    if open_ones:
        said.append(f"Inside the noise: {listed(open_ones)}.")
    for what, name in (("best peer", one.best_peer), ("floor", one.floor)):
        if name:
            said.append(f"The {what}, {name}, takes {us(one.time(name).value)}.")
    return " ".join(said)


def draw(look: Look, story: Story, series: Sequence[Series]):
    """Return the figure."""
    rungs = stages.of(series)
    tags = [[_tag(one, rungs, at) for one in series] for at in range(len(rungs))]
    size = look.variant.small
    lines = [line for pair in tags for tag in pair for line in tag.split("\n")]
    right = frame.widest([*lines, _HEAD], size) + 0.3
    panel = stages.panel(look, rungs, len(series), right, head=True)
    figure, (axes,) = frame.sheet(look, story, [panel], _legend(look, series))
    bars = stages.Bars(axes, look, len(rungs), len(series), head=True)
    times = [[one.time(rung.name) for one in series] for rung in rungs]
    labels = [(stages.end(time), f"{time.value:,.2f}") for pair in times for time in pair if time]
    ends = [(at, "") for one in series for _, at, _ in _lines(one)]
    width = frame.panel_width(look, panel)
    axes.set_xlim(0, frame.room_for_labels(labels + ends, width, size))
    axes.set_xlabel("kernel time, us")
    for at, rung in enumerate(rungs):
        for number, (one, time) in enumerate(zip(series, times[at], strict=True)):
            hatched = rung.kind == "beyond"
            bars.bar(at, number, time, look.bar(hatched, one.is_overlay))
            if tags[at][number]:
                bars.between(at, number, tags[at][number], look.colour(one.is_overlay))
        if _follows(rungs, at) and any(tags[at]):
            bars.bracket(at)
    bars.beside(_HEAD)
    for one in series:
        for _, at, dashes in _lines(one):
            axes.axvline(
                at, color=_line_colour(look, one), linestyle=dashes, linewidth=1.6, zorder=3
            )
    stages.name(axes, look, rungs)
    return figure


def _tag(one: Series, rungs: list[stages.Stage], at: int) -> str:
    """Return the factor that stands between a rung and the one above it."""
    step = one.step(rungs[at].name)
    if step is None:
        return ""
    text = factor(step.value, one.gain(rungs[at].name))
    return text if _follows(rungs, at) else f"{text}\nover {rungs[at].after}"


def _follows(rungs: list[stages.Stage], at: int) -> bool:
    """Return whether a rung follows the one that is drawn above it."""
    return at > 0 and rungs[at].after == rungs[at - 1].name


def _lines(one: Series) -> list[tuple[str, float, object]]:
    """Return (words, time, dashes) of the lines that go through all bars."""
    found = []
    for what, name, dashes in (
        ("best peer", one.best_peer, PEER_LINE),
        ("floor", one.floor, FLOOR_LINE),
    ):
        if name:
            time = one.time(name).value
            found.append((f"{what}: {name}, {us(time)}", time, dashes))
    return found


def _line_colour(look: Look, one: Series) -> str:
    return look.palette.third if one.is_overlay else look.palette.second


def _legend(look: Look, series: Sequence[Series]) -> list[tuple[object, str]]:
    entries = []
    for one in series:
        own = one.name_in_legend if len(series) > 1 else ""
        kinds = dict.fromkeys(row["kind"] == "beyond" for row in one.numbered)
        for hatched in kinds:
            words = "past the study" if hatched else "kept by the study"
            entries.append((Patch(**look.bar(hatched, one.is_overlay)), own + words))
        for words, _, dashes in _lines(one):
            line = Line2D([], [], color=_line_colour(look, one), linestyle=dashes, linewidth=1.6)
            entries.append((line, own + words))
    return entries
