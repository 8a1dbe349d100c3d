"""How many threads a multiprocessor holds of each rung at once, and what keeps it from more."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from evidence import residency
from evidence.errors import EvidenceError
from evidence.lessons import ASIDE_ORDER
from evidence.residency import CAPABILITY, LIMITS, MULTIPROCESSORS, Residency
from evidence.times import kernel_name
from plots import frame, stages
from plots.frame import Panel
from plots.series import NothingToDrawError
from plots.story import Column, Story, listed, plural
from plots.style import FLOOR_LINE, Look
from plots.subjects import Counted

ORDER = 11
OF = "counts"

_COLUMNS = (
    Column("counts"),
    Column("rung"),
    Column("kernel"),
    Column("threads a block", 0),
    Column("registers a thread", 0),
    Column("shared memory a block", 0, "B"),
    Column("blocks held", 0),
    Column("threads held", 0),
    Column("of the limit", 1, "%"),
    Column("limited by"),
)
_HATCHES = {
    "threads": "",
    "registers": "/////",
    "shared memory": "----",
    "blocks": "xxxx",
    "grid": "||||",
}
_ROW = 0.25
_MOST = LIMITS[CAPABILITY].threads


@dataclass(frozen=True)
class Held:
    """A rung's kernel on a multiprocessor."""

    name: str
    order: int
    ptx: dict
    registers: int
    residency: Residency

    @property
    def reasons(self) -> list[str]:
        """What limits it: threads alone where the multiprocessor is full of them."""
        limits = self.residency.limited_by
        return ["threads"] if self.residency.threads == _MOST else limits

    @property
    def words(self) -> str:
        """What stands behind its bar."""
        if self.residency.threads == _MOST:
            return f"{self.residency.threads:,}, all"
        return f"{self.residency.threads:,}, {listed(self.reasons)}"


def of(counted: Counted) -> list[Held]:
    """Return the rungs that were counted, in order. Raises NothingToDrawError if none was."""
    found = []
    for rung in counted.rungs:
        try:
            ptx, sass = residency.kernel_of(rung)
        except EvidenceError:
            continue
        held = residency.of_kernel(ptx, sass)
        found.append(Held(rung["name"], rung["order"], ptx, sass["registers"], held))
    if not found:
        raise NothingToDrawError("no rung was counted in PTX and in machine code")
    return found


def story(subjects: Sequence[Counted]) -> Story:
    """Return what is held. Raises NothingToDrawError if nothing was counted."""
    counted = subjects[0]
    return Story(
        title=f"{counted.ladder}: threads that a multiprocessor of an H200 holds",
        subtitle=(
            f"computed from counts: compute capability {CAPABILITY}, {MULTIPROCESSORS} "
            "multiprocessors; no GPU was used"
        ),
        alt=_finding(counted),
        columns=_COLUMNS,
        rows=[_row(counted, held) for held in of(counted)],
        notes=(
            "Of a rung with several kernels, the one that executes most. Registers are the machine "
            "code's. grid: it has too few blocks to fill every multiprocessor. How many of these "
            "threads are busy is a counter's to say.",
        ),
    )


def _row(counted: Counted, held: Held) -> list:
    shared = held.ptx["static_shared_bytes"] + held.ptx["dynamic_shared_bytes"]
    threads = held.residency.threads
    return [
        counted.source.label,
        held.name,
        kernel_name(held.ptx["name"]),
        held.ptx["threads_per_block"],
        held.registers,
        shared,
        held.residency.held,
        threads,
        100 * threads / _MOST,
        listed(held.residency.limited_by),
    ]


def _finding(counted: Counted) -> str:
    every = of(counted)
    full = [held.name for held in every if held.residency.threads == _MOST]
    least = min(every, key=lambda held: held.residency.threads)
    reasons: dict[str, int] = {}
    for held in every:
        if held.residency.threads < _MOST:
            for reason in held.reasons:
                reasons[reason] = reasons.get(reason, 0) + 1
    said = (
        f"{counted.ladder}: {len(full)} of {plural(len(every), 'rung')} fill a multiprocessor's "
        f"{_MOST:,} threads{': ' if full else ''}{listed(full)}."
    )
    if least.residency.threads < _MOST:
        said += (
            f" Fewest are held of {least.name}, {least.residency.threads:,}, by "
            f"{listed(least.reasons)}."
        )
        parts = [f"{reason} ({plural(count, 'rung')})" for reason, count in reasons.items()]
        said += f" What limits those that are not full: {listed(parts)}."
    return said


def draw(look: Look, story: Story, subjects: Sequence[Counted]):
    """Return the figure."""
    every, size = of(subjects[0]), look.variant.small
    left = frame.widest([held.name for held in every], look.variant.text) + 0.12
    panel = Panel(len(every) * _ROW, left)
    figure, (axes,) = frame.sheet(look, story, [panel], _legend(look, every))
    labels = [(held.residency.threads, held.words) for held in every]
    width = frame.panel_width(look, panel)
    axes.set_xlim(0, frame.room_for_labels([*labels, (_MOST, "")], width, size))
    axes.set_ylim(len(every) - 0.5, -0.5)
    axes.set_xticks(range(0, _MOST + 1, _MOST // (4 if look.is_wide else 2)))
    axes.grid(axis="x", color=look.palette.grid, linewidth=0.8)
    axes.set_xlabel("threads of a multiprocessor")
    axes.axvline(_MOST, color=look.palette.second, linestyle=FLOOR_LINE, linewidth=1.6, zorder=1)
    for at, held in enumerate(every):
        axes.barh(at, held.residency.threads, 0.62, zorder=2, **_fill(look, held.reasons[0]))
        axes.annotate(
            held.words,
            (held.residency.threads, at),
            xytext=(5, 0),
            textcoords="offset points",
            va="center_baseline",
            color=look.palette.ink,
            size=size,
            bbox={"facecolor": look.palette.background, "edgecolor": "none", "pad": 0.8},
        )
    stages.name(axes, look, every)
    asides = [at for at, held in enumerate(every) if held.order > ASIDE_ORDER]
    if asides and asides[0]:
        axes.axhline(asides[0] - 0.5, color=look.palette.muted, linewidth=0.8)
    return figure


def _fill(look: Look, reason: str) -> dict:
    colour, hatch = look.palette.first, _HATCHES[reason]
    inside = look.palette.background if hatch else colour
    fill = {"facecolor": inside, "edgecolor": colour, "linewidth": 0.9}
    return {**fill, "hatch": hatch} if hatch else fill


def _legend(look: Look, every: Sequence[Held]) -> list[tuple[object, str]]:
    words = {"grid": "limited by the grid"}
    first = {held.reasons[0] for held in every}
    entries = [
        (Patch(**_fill(look, reason)), words.get(reason, f"limited by {reason}"))
        for reason in _HATCHES
        if reason in first
    ]
    limit = {"color": look.palette.second, "linestyle": FLOOR_LINE, "linewidth": 1.6}
    return [*entries, (Line2D([], [], **limit), f"the limit, {_MOST:,} threads")]
