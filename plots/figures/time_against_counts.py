"""Whether time follows what the ladder counts: kernel time over the quantity of each model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from evidence import models
from evidence.errors import EvidenceError
from evidence.models import MODELS
from evidence.verdicts import TOLERANCE
from plots import axes as scales
from plots import dots, frame
from plots.dots import Dot
from plots.frame import Panel
from plots.series import NothingToDrawError, Series
from plots.story import Column, Story, factor, measured_how, plural, title
from plots.style import Look

ORDER = 6

_COLUMNS = (
    Column("record"),
    Column("model"),
    Column("rung"),
    Column("number"),
    Column("counted", 4),
    Column("kernel", 2, "us"),
    Column("time by the line", 2, "us"),
    Column("kernel / line", 3, "x"),
)


@dataclass(frozen=True)
class Followed:
    """One model of a record: its rungs, and the line through the first."""

    one: Series
    model: str
    dots: list[Dot]  # x is what was counted, y the kernel time; the first is on the line

    @property
    def numbered(self) -> list[Dot]:
        """The rungs that are judged: all numbered ones but the first."""
        return [dot for dot in self.dots[1:] if not dot.is_aside]

    def line(self, x: float) -> float:
        """Return the time that the model says at a count, by the first rung's."""
        first = self.dots[0]
        ratio = x / first.x
        return first.y * (ratio if MODELS[self.model].lower_is_better else 1 / ratio)

    def off(self, dot: Dot) -> float:
        """Return a rung's time as a multiple of the line's."""
        return dot.y / self.line(dot.x)


def of(one: Series) -> list[Followed]:
    """Return the models of a record's ladder that two numbered rungs were counted for."""
    if one.source.counts is None:
        raise NothingToDrawError(f"no counts of {one.ladder} are kept, so time follows nothing")
    known = {rung["name"]: rung for rung in one.source.counts["rungs"]}
    found = []
    for model in one.source.settings.models:
        points = []
        for row in dots.rungs(one):
            time, rung = one.time(row["name"]), known.get(row["name"])
            if time is None or rung is None:
                continue
            try:
                x = models.quantity(model, rung)
            except EvidenceError:
                continue  # it has none of what the model looks at
            points.append(Dot(one, row["name"], row["order"], x, time.value))
        followed = Followed(one, model, points)
        if points and not points[0].is_aside and followed.numbered:
            found.append(followed)
    if not found:
        raise NothingToDrawError(
            f"{one.source.label} holds no two numbered rungs with a kernel time and a count that "
            "a model looks at"
        )
    return found


def story(series: Sequence[Series]) -> Story:
    """Return which models time follows. Raises NothingToDrawError if none was counted."""
    return Story(
        title=title("time against counts", series),
        subtitle=measured_how(series, "kernel (CUPTI)"),
        alt=" ".join(_finding(one) for one in series),
        columns=_COLUMNS,
        rows=[row for one in series for followed in of(one) for row in _rows(followed)],
        notes=(
            "The line goes through the first rung: half the quantity, half the time; where more "
            "is better, twice the quantity. The band is 10 % around it. The line adds up all steps "
            "since the first rung; a verdict judges one. A rung that has none of "
            "what a panel counts is not in it. Counts are of the CPU device and of machine code.",
        ),
    )


def _rows(followed: Followed) -> list[list]:
    return [
        [followed.one.source.label, followed.model, dot.name, dot.short, dot.x, dot.y]
        + [followed.line(dot.x), followed.off(dot)]
        for dot in followed.dots
    ]


def _finding(one: Series) -> str:
    said = []
    for followed in of(one):
        others = followed.numbered
        held = [dot for dot in others if abs(math.log(followed.off(dot))) <= TOLERANCE]
        worst = max(others, key=lambda dot: abs(math.log(followed.off(dot))))
        of_rungs = plural(len(others), "numbered rung")
        said.append(
            f"by {followed.model}, {len(held)} of {of_rungs} after {followed.dots[0].name} "
            f"{'is' if len(held) == 1 else 'are'} within 10 % of the line; furthest off is "
            f"{worst.name}, which takes {factor(followed.off(worst))} the line's time"
        )
    text = ". ".join(part[0].upper() + part[1:] for part in said)
    return f"{one.label}, {one.ladder}: {text[0].lower()}{text[1:]}."


def draw(look: Look, story: Story, series: Sequence[Series]):
    """Return the figure."""
    groups: dict[str, list[Followed]] = {}
    for one in series:
        for followed in of(one):
            groups.setdefault(followed.model, []).append(followed)
    every = [dot for group in groups.values() for followed in group for dot in followed.dots]
    columns = 2 if look.is_wide and len(groups) > 1 else 1
    height = 2.6 if look.is_wide else 1.9
    room = frame.panel_width(look, Panel(height, left=0.6, right=0.12), columns)
    words = {
        model: frame.wrapped(_label(model, series[0]), room + 0.4, look.variant.small)
        for model in groups
    }
    lines = max(text.count("\n") for text in words.values())
    below = 0.5 + lines * frame.line_height(look.variant.small)
    panels = [Panel(height, 0.6, 0.12, _heading(model), below) for model in groups]
    legend = [*dots.legend(look, series, every), *_lines(look, series)]
    figure, all_axes = frame.sheet(look, story, panels, legend, dots.key(every), columns)
    for axes, (model, group) in zip(all_axes, groups.items(), strict=True):
        _panel(axes, look, group, words[model])
    return figure


def _heading(model: str) -> str:
    better = "" if MODELS[model].lower_is_better else "; more is better"
    return f"{model}{better}"


def _panel(axes, look: Look, group: list[Followed], words: str) -> None:
    points = [dot for followed in group for dot in followed.dots]
    x_ends = scales.ends([dot.x for dot in points])
    y_ends = scales.ends([dot.y for dot in points])
    scales.logarithmic(axes, look, x_ends, y_ends)
    axes.set_xlabel(words)
    axes.set_ylabel("us")
    xs = [x_ends[0] * (x_ends[1] / x_ends[0]) ** (step / 80) for step in range(81)]
    around = []
    for followed in group:
        ys = [followed.line(x) for x in xs]
        two, off = ([xs[0], xs[-1]], [ys[0], ys[-1]]), math.exp(TOLERANCE)
        low, high = [y / off for y in two[1]], [y * off for y in two[1]]
        axes.fill_between(two[0], low, high, color=look.palette.band, linewidth=0, zorder=0.5)
        axes.plot(*two, zorder=1, **_line(look, followed.one))
        around += [(x, y) for x, y in zip(xs, ys, strict=True) if y_ends[0] < y < y_ends[1]]
    dots.draw(axes, look, points, around)


def _label(model: str, one: Series) -> str:
    """Return what is counted, in words."""
    unit = f", {MODELS[model].unit}" if MODELS[model].unit else ""
    return f"{models.label(model, one.source.counts['rungs'][0])}{unit}"


def _line(look: Look, one: Series) -> dict:
    colour = look.palette.third if one.is_overlay else look.palette.second
    return {"color": colour, "linewidth": 1.4, "linestyle": (0, (6, 2)) if one.is_overlay else "-"}


def _lines(look: Look, series: Sequence[Series]) -> list[tuple[object, str]]:
    entries = []
    for one in series:
        own = one.name_in_legend if len(series) > 1 else ""
        words = f"{own}in proportion, from the first rung"
        entries.append((Line2D([], [], **_line(look, one)), words))
    band = Patch(facecolor=look.palette.band, edgecolor=look.palette.muted, linewidth=0.6)
    return [*entries, (band, "within 10 %")]
