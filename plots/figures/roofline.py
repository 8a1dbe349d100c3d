"""How near each rung comes to the roof over it: what it does in a second, over its intensity.

Of a ladder that multiplies: arithmetic over multiply-adds for each wavefront of shared memory. Its
roofs are the rate of the FFMA floor and one wavefront a cycle. Of a ladder that moves bytes: input
read in a second, over bytes that loads have in flight. Its roofs are what the floors read, and what
bytes in flight give at the shortest turnover that any rung shows.
"""

import dataclasses
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D

from evidence import claims, models, times
from evidence.errors import EvidenceError
from evidence.verdicts import TOLERANCE
from plots import axes as scales
from plots import dots, frame
from plots.dots import Dot
from plots.frame import Panel
from plots.series import NothingToDrawError, Series
from plots.story import Column, Story, listed, measured_how, plural, title
from plots.style import FLOOR_LINE, PEER_LINE, Look

ORDER = 5

_KIB = 1024
_NEAR = 100 * math.exp(-TOLERANCE)  # per cent of a roof that is within 10 % of it


@dataclass(frozen=True)
class Roof:
    """A rate that bounds: the same everywhere, or in proportion to the intensity."""

    words: str
    rate: float  # or the rate for each unit of intensity
    is_slanted: bool

    def at(self, x: float) -> float:
        """Return the rate that this roof allows at an intensity."""
        return self.rate * x if self.is_slanted else self.rate


@dataclass(frozen=True)
class Chart:
    """What one record gives: its axes in words, its dots, the roofs over them."""

    one: Series
    x_words: str
    x_unit: str
    y_words: str
    dots: list[Dot]
    roofs: list[Roof]
    peer: tuple[str, float] | None  # the best peer's rate: its intensity is not counted
    notes: tuple[str, ...]
    made_by: str = ""  # the rung that a roof goes through by construction

    def roof(self, dot: Dot) -> Roof:
        """Return the lowest roof over a dot."""
        return min(self.roofs, key=lambda roof: roof.at(dot.x))

    def percent(self, dot: Dot) -> float:
        """Return how near a dot comes to its roof."""
        return 100 * dot.y / self.roof(dot).at(dot.x)


def chart(one: Series) -> Chart:
    """Return a record's chart. Raises NothingToDrawError if it lacks what one needs."""
    if one.source.counts is None:
        raise NothingToDrawError(f"no counts of {one.ladder} are kept, so no intensity is known")
    is_arithmetic = times.at_shape(one.record)["multiply_adds"]
    found = _arithmetic(one) if is_arithmetic else _memory(one)
    if not any(not dot.is_aside for dot in found.dots):
        raise NothingToDrawError(
            f"no numbered rung of {one.source.label} has a kernel time and an intensity"
        )
    return found


def _arithmetic(one: Series) -> Chart:
    rates = {row["name"]: claims.tflops(one.record, row["name"]) for row in _timed(one)}
    found = []
    for name, order, rung in _counted(one):
        ptx = rung["counts"]["ptx"]
        wavefronts = models.shared_wavefronts(rung)
        if wavefronts and rates.get(name):
            found.append(Dot(one, name, order, ptx["multiply_adds"] / wavefronts, rates[name]))
    roofs, clock = [], _clock_mhz(one)
    if clock:
        each = 2 * one.record["machine"]["multiprocessors"] * clock * 1e6 / 1e12
        roofs.append(Roof(f"one wavefront a cycle at {clock:,.0f} MHz", each, is_slanted=True))
    if rates.get(one.floor):
        words = f"{one.floor}, {rates[one.floor]:.1f} TFLOP/s"
        roofs.append(Roof(words, rates[one.floor], is_slanted=False))
    if not roofs:
        raise NothingToDrawError(f"{one.source.label} has neither a floor nor a clock: no roof")
    return Chart(
        one,
        "multiply-adds for each wavefront of shared memory (counted in PTX)",
        "multiply-adds",
        "TFLOP/s",
        found,
        roofs,
        (one.best_peer, rates[one.best_peer]) if rates.get(one.best_peer) else None,
        (
            "The slanted roof: each multiprocessor's shared memory makes one wavefront a cycle. "
            "The clock is the median of those that the record read while it measured. The flat "
            "roof is measured. Of a peer no wavefronts are counted: it is a line.",
        ),
    )


def _memory(one: Series) -> Chart:
    entry = times.at_shape(one.record)
    rates = {
        row["name"]: entry["input_bytes"] / (one.time(row["name"]).value * 1e-6) / 1e12
        for row in _timed(one)
    }
    found = []
    for name, order, rung in _counted(one):
        try:
            flying = models.quantity("loads-in-flight", rung)
        except EvidenceError:
            continue
        if rates.get(name):
            found.append(Dot(one, name, order, flying / _KIB, rates[name]))
    if not found:
        raise NothingToDrawError(f"no rung of {one.source.label} has bytes in flight and a time")
    quick = max(found, key=lambda dot: dot.y / dot.x)
    processors = one.record["machine"]["multiprocessors"]
    us = processors * quick.x * _KIB / (quick.y * 1e12) * 1e6
    roofs = [Roof(f"bytes in flight / {us:.2f} us ({quick.name})", quick.y / quick.x, True)]
    for name in _floors(one):
        if rates.get(name):
            roofs.append(Roof(f"{name}, {rates[name]:.2f} TB/s", rates[name], is_slanted=False))
    limit = claims.memory_tbps(one.record["machine"])
    if limit and entry["bytes"] > one.record["machine"]["l2_bytes"]:
        roofs.append(Roof(f"memory's clock, {limit:.2f} TB/s", limit, is_slanted=False))
    return Chart(
        one,
        "KiB of loads in flight a multiprocessor, at most (from machine code)",
        "KiB",
        "TB/s of input read",
        found,
        roofs,
        (one.best_peer, rates[one.best_peer]) if rates.get(one.best_peer) else None,
        (
            "Little's law: bytes in flight = rate x time. The slanted roof is the law at the "
            f"shortest turnover that a rung shows; {quick.name} is on it by construction. Each "
            "byte of input counts once, however often it is read. Of a peer nothing is counted: "
            "it is a line.",
        ),
        quick.name,
    )


def _floors(one: Series) -> list[str]:
    """Return the floors that read all input: of the ladder, and what only reads."""
    return list(dict.fromkeys(name for name in (one.floor, "floor-read") if name))


def _timed(one: Series) -> list[dict]:
    return [row for row in times.rows(one.record) if one.time(row["name"]) is not None]


def _counted(one: Series) -> list[tuple[str, int, dict]]:
    """Return (name, order, counts) of the record's rungs that are counted."""
    known = {rung["name"]: rung for rung in one.source.counts["rungs"]}
    rows = [row for row in dots.rungs(one) if row["name"] in known]
    return [(row["name"], row["order"], known[row["name"]]) for row in rows]


def _clock_mhz(one: Series) -> float | None:
    """Return the multiprocessors' clock while the record was measured, or else their highest."""
    read = [
        state["sm_clock_mhz"]
        for state in one.record["states"]
        if "round" in state["when"] and state.get("sm_clock_mhz")
    ]
    return statistics.median(read) if read else one.record["machine"]["max_sm_clock_mhz"]


def story(series: Sequence[Series]) -> Story:
    """Return what the roofline states. Raises NothingToDrawError if there is no intensity."""
    charts = [chart(one) for one in series]
    first = charts[0]
    return Story(
        title=title("how near to the roof", series),
        subtitle=measured_how(series, "rates by kernel time (CUPTI)"),
        alt=" ".join(_finding(one) for one in charts),
        columns=(
            Column("record"),
            Column("rung"),
            Column("number"),
            Column(first.x_words, 2),
            Column(first.y_words, 3),
            Column("lowest roof"),
            Column("of that roof", 1, "%"),
        ),
        rows=[row for one in charts for row in _rows(one)],
        notes=first.notes,
    )


def _rows(chart: Chart) -> list[list]:
    return [
        [chart.one.source.label, dot.name, dot.short, dot.x, dot.y, chart.roof(dot).words]
        + [chart.percent(dot)]
        for dot in chart.dots
    ]


def _finding(chart: Chart) -> str:
    numbered = [dot for dot in chart.dots if not dot.is_aside]
    by_roof = {}
    for dot in numbered:
        by_roof.setdefault(chart.roof(dot).words, []).append(dot)
    parts = [
        f"below the roof '{words}' stand {listed([dot.name for dot in found])}"
        for words, found in by_roof.items()
    ]
    first, best = numbered[0], max(numbered, key=lambda dot: dot.y)
    made = [dot.name for dot in numbered if dot.name == chart.made_by]
    near = [d.name for d in numbered if d.name not in made and chart.percent(d) >= _NEAR]
    unit = chart.y_words
    said = (
        f"{chart.one.label}, {chart.one.ladder}: {'; '.join(parts)}. {first.name} reaches "
        f"{first.y:.2f} {unit}, {chart.percent(first):.0f} % of its roof"
    )
    if best is not first:
        said += f"; the fastest, {best.name}, {best.y:.2f} {unit}, {chart.percent(best):.0f} %"
    within = f": {listed(near)}" if near else ""
    but = f", {made[0]} aside, by which the slanted roof is drawn," if made else ""
    of_rungs = plural(len(numbered) - len(made), "numbered rung")
    verb = "is" if len(near) == 1 else "are"
    return f"{said}. Within 10 % of its roof{but} {verb} {len(near)} of {of_rungs}{within}."


def draw(look: Look, story: Story, series: Sequence[Series]):
    """Return the figure."""
    charts = [chart(one) for one in series]
    every = [dot for one in charts for dot in one.dots]
    panel = Panel(height=4.0 if look.is_wide else 3.0, left=0.6, right=0.15)
    words = frame.wrapped(charts[0].x_words, frame.panel_width(look, panel), look.variant.small)
    more = words.count("\n") * frame.line_height(look.variant.small)
    panel = dataclasses.replace(panel, below=panel.below + more)
    legend = dots.legend(look, series, every) + _lines(look, charts)
    figure, (axes,) = frame.sheet(look, story, [panel], legend, dots.key(every))
    levels = [roof.rate for one in charts for roof in one.roofs if not roof.is_slanted]
    levels += [one.peer[1] for one in charts if one.peer]
    x_ends = scales.ends([dot.x for dot in every])
    y_ends = scales.ends([dot.y for dot in every] + levels)
    scales.logarithmic(axes, look, x_ends, y_ends)
    axes.set_xlabel(words)
    axes.set_ylabel(charts[0].y_words)
    around = []
    xs = [x_ends[0] * (x_ends[1] / x_ends[0]) ** (step / 120) for step in range(121)]
    for one in charts:
        for roof, style in zip(one.roofs, _styles(look, one), strict=True):
            axes.plot(xs, [roof.at(x) for x in xs], zorder=1.5, **style)
            around += [(x, roof.at(x)) for x in xs]
        if one.peer:
            axes.plot(xs, [one.peer[1]] * len(xs), zorder=1.5, **_peer_style(look, one))
            around += [(x, one.peer[1]) for x in xs]
    inside = [(x, y) for x, y in around if y_ends[0] < y < y_ends[1]]
    dots.draw(axes, look, every, inside)
    return figure


def _styles(look: Look, chart: Chart) -> list[dict]:
    """Return how the roofs are drawn: the slanted one solid, flat ones dashed, each its own way."""
    flat = iter((FLOOR_LINE, (0, (3, 1.2)), (0, (8, 2, 1.5, 2))))
    colour = look.palette.third if chart.one.is_overlay else look.palette.second
    style = {"color": colour, "linewidth": 1.6, **_own_mark(chart)}
    return [{**style, "linestyle": "-" if r.is_slanted else next(flat)} for r in chart.roofs]


def _peer_style(look: Look, chart: Chart) -> dict:
    style = {"color": look.palette.muted, "linewidth": 1.6, "linestyle": PEER_LINE}
    return {**style, **_own_mark(chart)}


def _own_mark(chart: Chart) -> dict:
    """Return what tells the lines of the reader's own record from those below them."""
    return {"marker": "s", "markersize": 3, "markevery": 15} if chart.one.is_overlay else {}


def _lines(look: Look, charts: Sequence[Chart]) -> list[tuple[object, str]]:
    entries = []
    for one in charts:
        own = one.one.name_in_legend if len(charts) > 1 else ""
        for roof, style in zip(one.roofs, _styles(look, one), strict=True):
            entries.append((Line2D([], [], **style), own + roof.words))
        if one.peer:
            unit = one.y_words.split(" ")[0]
            words = f"best peer: {one.peer[0]}, {one.peer[1]:.2f} {unit}"
            entries.append((Line2D([], [], **_peer_style(look, one)), own + words))
    return entries
