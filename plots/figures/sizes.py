"""How fast each rung is over the sizes of its matrices, against the peers."""

from collections.abc import Sequence

from matplotlib.lines import Line2D

from plots import axes as scales
from plots import frame
from plots.frame import Panel
from plots.series import NothingToDrawError
from plots.story import Column, Story, factor, plural, title
from plots.style import Look
from plots.subjects import Sweep

ORDER = 10
OF = "sizes"

_COLUMNS = (
    Column("record"),
    Column("row"),
    Column("size", 0),
    Column("kernel", 2, "us"),
    Column("rate", 2, "TFLOP/s"),
)
_MARKS = "osD^vPX*<>phd"
_APART = 1.35  # lines of text between names


def story(subjects: Sequence[Sweep]) -> Story:
    """Return what the sweep states. Raises NothingToDrawError if it has no rates."""
    sweep = subjects[0]
    _require(sweep)
    protocol = sweep.record["protocol"]
    return Story(
        title=title("rate over the size of a matrix", subjects),
        subtitle=(
            "square matrices; kernel (CUPTI), warm cache, median of "
            f"{protocol['rounds']} x {protocol['samples']} samples"
        ),
        alt=_finding(sweep),
        columns=_COLUMNS,
        rows=[
            [sweep.source.label, name, _size(shape), sweep.time(name, shape).value, rate]
            for name in sweep.names
            for shape in sweep.shapes
            if (rate := sweep.tflops(name, shape)) is not None
        ],
        notes=("A rate is 2 operations for each multiply-add over the kernel time.",),
    )


def _require(sweep: Sweep) -> None:
    if not all(len(set(shape.values())) == 1 for shape in sweep.shapes):
        raise NothingToDrawError(f"the shapes of {sweep.source.label} are not square")
    if len(sweep.shapes) < 2 or not _rates(sweep):
        raise NothingToDrawError(f"{sweep.source.label} holds no arithmetic rates at two sizes")


def _size(shape: dict[str, int]) -> int:
    return next(iter(shape.values()))


def _rates(sweep: Sweep) -> dict[str, list[tuple[int, float]]]:
    """Return (size, TFLOP/s) of every row that has one, by its name."""
    found = {
        name: [
            (_size(shape), rate)
            for shape in sweep.shapes
            if (rate := sweep.tflops(name, shape)) is not None
        ]
        for name in sweep.names
    }
    return {name: points for name, points in found.items() if points}


def _kinds(sweep: Sweep) -> dict[str, str]:
    return {row["name"]: row["kind"] for entry in sweep.record["shapes"] for row in entry["rows"]}


def _finding(sweep: Sweep) -> str:
    said, kinds = [], _kinds(sweep)
    for shape in sweep.shapes:
        best = {}
        for is_peer in (False, True):
            rates = [
                (rate, name)
                for name in sweep.names
                if (kinds[name] == "peer") == is_peer
                and (rate := sweep.tflops(name, shape)) is not None
            ]
            if rates:
                best[is_peer] = max(rates)
        if len(best) < 2:
            continue
        (rung, name), (peer, peer_name) = best[False], best[True]
        said.append(
            f"at {_size(shape):,} {name} does {rung:.1f} TFLOP/s, {factor(rung / peer)} of "
            f"{peer_name}'s {peer:.1f}"
        )
    steps = _orders(sweep)
    text = "; ".join(said) or f"{plural(len(_rates(sweep)), 'row')} were measured at no one size"
    return f"{sweep.label}, {sweep.ladder}: {text}. {steps}"


def _orders(sweep: Sweep) -> str:
    """Return whether the rungs keep the same order at every size."""
    kinds = _kinds(sweep)
    orders = []
    for shape in sweep.shapes:
        rungs = [name for name in sweep.names if kinds[name] != "peer"]
        timed = [(time.value, name) for name in rungs if (time := sweep.time(name, shape))]
        orders.append(tuple(name for _, name in sorted(timed)))
    if len(set(orders)) == 1:
        return "The rungs keep one order over all sizes."
    return f"The rungs stand in {len(set(orders))} orders over {len(orders)} sizes."


def draw(look: Look, story: Story, subjects: Sequence[Sweep]):
    """Return the figure."""
    sweep = subjects[0]
    rates, kinds = _rates(sweep), _kinds(sweep)
    size = look.variant.small
    words = [f"{name} {points[-1][1]:.1f}" for name, points in rates.items()]
    right = frame.widest(words, size) + 0.3
    panel = Panel(height=4.2 if look.is_wide else 3.4, left=0.5, right=right)
    figure, (axes,) = frame.sheet(look, story, [panel], _legend(look, sweep, rates, kinds))
    every = [point for points in rates.values() for point in points]
    x_ends = scales.ends([x for x, _ in every], 0.06)
    top = max(y for _, y in every) * 1.08
    axes.set(xscale="log", xlim=x_ends, ylim=(0, top))
    axes.grid(color=look.palette.grid, linewidth=0.8)
    axes.spines["left"].set(visible=True, color=look.palette.muted)
    axes.set_xticks(sorted({x for x, _ in every}), sorted({f"{x:g}" for x, _ in every}, key=int))
    axes.minorticks_off()
    axes.set_xlabel("rows and columns of each matrix")
    axes.set_ylabel("TFLOP/s")
    for number, (name, points) in enumerate(rates.items()):
        axes.plot(*zip(*points, strict=True), zorder=3, **_style(look, number, kinds[name]))
    _name_ends(axes, look, panel, rates, top)
    return figure


def _name_ends(axes, look: Look, panel: Panel, rates: dict, top: float) -> None:
    """Write the names beside the lines' ends, in their order, none over another."""
    size = look.variant.small
    apart = _APART * size / 72 / panel.height * top
    ends = sorted((points[-1][1], name) for name, points in rates.items())
    places = [value for value, _ in ends]
    for _ in range(200):  # push neighbours apart until none is over another
        for at in range(len(places) - 1):
            gap = places[at + 1] - places[at]
            if gap < apart:
                places[at] -= (apart - gap) / 2
                places[at + 1] += (apart - gap) / 2
        places[0] = max(places[0], 0)
        places[-1] = min(places[-1], top)
    for (value, name), y in zip(ends, places, strict=True):
        x = rates[name][-1][0]
        axes.annotate(
            f"{name} {value:.1f}",
            (x, value),
            xycoords="data",
            xytext=(1 + 0.16 / _width(look, panel), y / top),
            textcoords="axes fraction",
            va="center_baseline",
            color=look.palette.ink,
            size=size,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": look.palette.muted,
                "linewidth": 0.6,
                "shrinkA": 1,
                "shrinkB": 3,
                "relpos": (0, 0.5),
            },
        )


def _width(look: Look, panel: Panel) -> float:
    return frame.panel_width(look, panel)


def _style(look: Look, number: int, kind: str) -> dict:
    """Return a line: solid for a rung, dashed for a peer; each with a mark of its own."""
    is_peer = kind == "peer"
    colour = look.palette.second if is_peer else look.palette.first
    return {
        "color": colour,
        "linestyle": (0, (4, 1.6)) if is_peer else "-",
        "linewidth": 1.3,
        "marker": _MARKS[number % len(_MARKS)],
        "markersize": 5.5 if look.is_wide else 4.5,
        "markerfacecolor": look.palette.background if is_peer else colour,
        "markeredgecolor": colour,
    }


def _legend(look: Look, sweep: Sweep, rates: dict, kinds: dict) -> list[tuple[object, str]]:
    return [
        (Line2D([], [], **_style(look, number, kinds[name])), name)
        for number, name in enumerate(rates)
    ]
