"""Every sample of two rows beside each other, with the noise that a difference must exceed."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from evidence import times
from evidence.verdicts import Interval
from plots import frame
from plots.frame import Panel
from plots.series import NothingToDrawError, Series
from plots.story import Column, Story, factor, listed, measured_how, plural, title, us
from plots.style import Look

ORDER = 4

_SHOWN = 0.98  # of all samples; slower ones are drawn at the upper edge
_COLUMNS = (
    Column("record"),
    Column("row"),
    Column("round"),
    Column("samples", 0),
    Column("lowest", 2, "us"),
    Column("median", 2, "us"),
    Column("mean", 2, "us"),
    Column("highest", 2, "us"),
)


@dataclass(frozen=True)
class Pair:
    """A rung and the one before it, whose times are the nearest to each other."""

    one: Series
    before: str
    after: str
    step: Interval
    gain: str

    @property
    def rounds(self) -> dict[str, tuple[tuple[float, ...], ...]]:
        """The samples of both rows, round by round."""
        found = {}
        for name in (self.before, self.after):
            found[name] = times.find(times.row(self.one.record, name)).rounds
        return found

    @property
    def noise(self) -> float:
        """The noise of the factor, as a ratio: 1.01 is 1 %."""
        return self.step.high / self.step.value


def pair(one: Series) -> Pair:
    """Return the step of a record that is nearest to none. Raises NothingToDrawError without."""
    steps = [(row, step) for row in one.numbered if (step := one.step(row["name"]))]
    if not steps:
        raise NothingToDrawError(f"{one.source.label} holds no two rungs whose noise is known")
    row, step = min(steps, key=lambda found: abs(math.log(found[1].value)))
    return Pair(one, row["after"], row["name"], step, one.gain(row["name"]))


def story(series: Sequence[Series]) -> Story:
    """Return what the samples state. Raises NothingToDrawError if no two rows can be compared."""
    pairs = [pair(one) for one in series]
    return Story(
        title=title("samples and noise", series),
        subtitle=measured_how(series, "kernel (CUPTI)"),
        alt=" ".join(_finding(one) for one in pairs),
        columns=_COLUMNS,
        rows=[row for one in pairs for row in _rows(one)],
        notes=(
            "The two rows are the step of the ladder that changes the time least. Samples are in "
            "the order in which they were taken; upright lines part the rounds. The upright axis "
            "does not begin at 0.",
        ),
    )


def _rows(pair: Pair) -> list[list]:
    return [
        [pair.one.source.label, name, str(number), len(one), min(one), statistics.median(one)]
        + [statistics.fmean(one), max(one)]
        for name, rounds in pair.rounds.items()
        for number, one in enumerate(rounds, 1)
    ]


def _finding(pair: Pair) -> str:
    old, new = (pair.one.time(name).value for name in (pair.before, pair.after))
    verdict = {
        "not resolved": "the difference is inside the noise",
        "faster": "the gain is larger than the noise",
        "slower": "the loss is larger than the noise",
    }[pair.gain]
    return (
        f"{pair.one.label}, {pair.one.source.ladder}: {pair.before} has a median of {us(old)}, "
        f"{pair.after} {us(new)}, {factor(pair.step.value)}; the noise is "
        f"{100 * (pair.noise - 1):.2f} %, so {verdict}."
    )


def draw(look: Look, story: Story, series: Sequence[Series]):
    """Return the figure."""
    pairs = [pair(one) for one in series]
    height = 1.35 if look.is_wide else 1.2
    shown = [(one, name) for one in pairs for name in (one.before, one.after)]
    panels = [
        Panel(height, left=0.62, heading=_heading(one, name, len(series) > 1))
        for one, name in shown
    ]
    figure, all_axes = frame.sheet(look, story, panels, _legend(look, pairs))
    for (one, name), axes in zip(shown, all_axes, strict=True):
        _series(axes, look, one, name)
    return figure


def _heading(pair: Pair, name: str, is_named: bool) -> str:
    over = len([s for s in _flat(pair, name) if s > _top(pair)])
    text = f"{name}, {us(pair.one.time(name).value)}"
    text = f"{pair.one.source.label}: {text}" if is_named else text
    return f"{text}; {plural(over, 'sample')} slower than shown" if over else text


def _series(axes, look: Look, pair: Pair, name: str) -> None:
    """Draw the samples of a row, its median and the noise around the median of the row before."""
    palette, samples = look.palette, _flat(pair, name)
    middle, top = pair.one.time(pair.before).value, _top(pair)
    axes.axhspan(middle / pair.noise, middle * pair.noise, color=palette.band, linewidth=0)
    axes.axhline(pair.one.time(name).value, color=palette.second, linewidth=1.5, zorder=2)
    xs = range(1, len(samples) + 1)
    at = [(x, s) for x, s in zip(xs, samples, strict=True) if s <= top]
    over = [x for x, s in zip(xs, samples, strict=True) if s > top]
    colour = look.colour(pair.one.is_overlay)
    marker = _marker(pair, name)
    axes.plot(*zip(*at, strict=True), marker, color=colour, markersize=2.6, zorder=3, clip_on=False)
    axes.plot(over, [top] * len(over), "^", color=colour, markersize=4.5, zorder=3, clip_on=False)
    ends = 0
    for one in pair.rounds[name][:-1]:
        ends += len(one)
        axes.axvline(ends + 0.5, color=palette.grid, linewidth=1)
    low = min(*_flat(pair, pair.before), *_flat(pair, pair.after), middle / pair.noise)
    axes.set_ylim(low - (top - low) * 0.06, top)
    axes.set_xlim(0, len(samples) + 1)
    axes.set_ylabel("us")
    axes.set_xlabel("sample")
    axes.spines["left"].set(visible=True, color=palette.muted)
    axes.locator_params(axis="y", nbins=4)


def _marker(pair: Pair, name: str) -> str:
    return "o" if name == pair.before else "D"


def _flat(pair: Pair, name: str) -> list[float]:
    return [sample for one in pair.rounds[name] for sample in one]


def _top(pair: Pair) -> float:
    """Return where the axis of both rows ends: above most samples, and above the noise."""
    samples = sorted(_flat(pair, pair.before) + _flat(pair, pair.after))
    medians = [pair.one.time(name).value for name in (pair.before, pair.after)]
    most = samples[min(len(samples) - 1, int(_SHOWN * len(samples)))]
    highest = max(most, *medians, medians[0] * pair.noise)
    return highest + (highest - samples[0]) * 0.12


def _legend(look: Look, pairs: Sequence[Pair]) -> list[tuple[object, str]]:
    entries = []
    for pair in pairs if len(pairs) > 1 else []:
        for name in (pair.before, pair.after):
            mark = {"marker": _marker(pair, name), "color": look.colour(pair.one.is_overlay)}
            line = Line2D([], [], linestyle="none", markersize=4, **mark)
            entries.append((line, pair.one.name_in_legend + name))
    median = Line2D([], [], color=look.palette.second, linewidth=1.5)
    band = Patch(facecolor=look.palette.band, edgecolor=look.palette.muted, linewidth=0.6)
    names = listed(list(dict.fromkeys(pair.before for pair in pairs)))
    entries.append((median, "the row's median"))
    return [*entries, (band, f"the noise around the median of {names}")]
