"""The times of a measured record: found by row and instrument, as intervals.

A time is microseconds of one operation. Its interval is the lowest round mean, the median of all
samples, and the highest round mean.
"""

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from evidence.errors import EvidenceError
from evidence.verdicts import Interval

_BATCHED = ("queued", "graph")

# CUPTI's kernel records make each block up to so much longer, measured on an H200 against graphs of
# the same launches with and without CUPTI. Many short blocks show it.
_US_A_BLOCK = 0.00012
_MANY_BLOCKS = 10_000
_SHOWS = 0.001  # as a share of the kernel's time
_LABEL = re.compile(r"(span|kernel|awaited|submit|(?:queued|graph)-([1-9]\d*))(-cold)?")


@dataclass(frozen=True)
class Part:
    """One kernel of an operation: all its launches in one operation together."""

    name: str  # its own name, without namespaces, template arguments and parameters
    kernel: dict  # as the record holds it
    interval: Interval


@dataclass(frozen=True)
class Time:
    """What one instrument said of one row; ``missing`` says why it said nothing."""

    instrument: str
    cache: str
    batch: int
    rounds: tuple[tuple[float, ...], ...] = ()
    kernels: tuple[dict, ...] = ()
    missing: str | None = None

    @property
    def samples(self) -> list[float]:
        """Every sample of every round, in order."""
        return [sample for one in self.rounds for sample in one]

    @property
    def interval(self) -> Interval | None:
        """Lowest round mean, median of all samples, highest round mean; None if missing."""
        if self.missing is not None:
            return None
        return _interval(self.rounds)

    @property
    def parts(self) -> list[Part]:
        """The kernels of an operation, in the order of their first launch.

        Of two kernels with one name the second is called ``NAME-2``.
        """
        found: list[Part] = []
        names = [kernel_name(kernel["name"]) for kernel in self.kernels]
        for index, kernel in enumerate(self.kernels):
            before = names[:index].count(names[index])
            name = f"{names[index]}-{before + 1}" if before else names[index]
            found.append(Part(name, kernel, _interval(kernel["rounds"])))
        return found

    @property
    def label(self) -> str:
        """What this is called in anchors and tables: ``kernel``, ``graph-10``, ``span-cold``."""
        return label(self.instrument, self.cache, self.batch)


def _interval(rounds: Sequence[Sequence[float]]) -> Interval:
    means = [statistics.fmean(one) for one in rounds]
    samples = [sample for one in rounds for sample in one]
    return Interval(min(means), statistics.median(samples), max(means))


def kernel_name(name: str) -> str:
    """Return a kernel's own name: ``tree_pass`` of ``void reduction::tree::tree_pass<8>(int)``."""
    inner, depth = "", 0
    for sign in name.replace("(anonymous namespace)", ""):
        if sign in "<(":
            if sign == "(" and depth == 0:
                break
            depth += 1
        elif sign in ">)":
            depth -= 1
        elif depth == 0:
            inner += sign
    words = re.findall(r"[^\s:]+", inner)
    return words[-1] if words else name


def label(instrument: str, cache: str = "warm", batch: int = 1) -> str:
    """Return the short name of a way to measure: ``kernel``, ``graph-10``, ``span-cold``."""
    name = f"{instrument}-{batch}" if instrument in _BATCHED else instrument
    return f"{name}-cold" if cache == "cold" else name


def parse_label(text: str) -> tuple[str, str, int] | None:
    """Return (instrument, cache, batch) of a short name; None if it is none."""
    match = _LABEL.fullmatch(text)
    if match is None:
        return None
    batch = int(match[2]) if match[2] else 1
    return match[1].split("-")[0], "cold" if match[3] else "warm", batch


def shape_text(shape: dict[str, int]) -> str:
    """Return a shape as anchors write it, ``1024x1024x1024``: sizes in the order of their names."""
    return "x".join(str(shape[name]) for name in sorted(shape))


def shape_words(shape: dict[str, int]) -> str:
    """Return a shape in words, ``M = 1024, N = 64``: sizes in the record's order."""
    return ", ".join(f"{name} = {size}" for name, size in shape.items())


def shape_prefix(record: dict, entry: dict) -> str:
    """Return what anchors of a shape's entry begin with: nothing where it need not be named."""
    if not is_sweep(record) and entry is record["shapes"][0]:
        return ""
    return f"{shape_text(entry['shape'])}/"


def shapes(record: dict) -> list[dict]:
    """Return the shapes of a record, in its order."""
    return [entry["shape"] for entry in record["shapes"]]


def is_sweep(record: dict) -> bool:
    """Return whether a record is of a sweep over sizes: kernel and graph times at several."""
    ways = {way["name"] for way in record["protocol"]["instruments"]}
    return len(record["shapes"]) > 1 and ways == {"kernel", "graph"}


def at_shape(record: dict, shape: dict | str | None = None) -> dict:
    """Return the entry of a shape: its work and its rows; None stands for the first.

    A ladder's first shape is the one that it was counted at; a sweep has no such.

    Raises EvidenceError if there is no such shape, or none was named of a sweep.
    """
    entries = record["shapes"]
    if shape is None:
        if not is_sweep(record):
            return entries[0]
        raise EvidenceError(f"the record holds {len(entries)} shapes; name one")
    wanted = sorted(shape.items()) if isinstance(shape, dict) else shape
    for entry in entries:
        here = entry["shape"]
        if wanted in (sorted(here.items()), shape_text(here)):
            return entry
    known = ", ".join(shape_text(entry["shape"]) for entry in entries)
    name = shape_text(shape) if isinstance(shape, dict) else shape
    raise EvidenceError(f"the record has no shape {name}; it has {known}")


def rows(record: dict, shape: dict | str | None = None) -> list[dict]:
    """Return the rows of a shape, in the record's order."""
    return at_shape(record, shape)["rows"]


def row(record: dict, name: str, shape: dict | str | None = None) -> dict:
    """Return the row of this name. Raises EvidenceError if there is none."""
    for found in rows(record, shape):
        if found["name"] == name:
            return found
    raise EvidenceError(f"the record has no row '{name}'")


def find(row: dict, instrument: str = "kernel", cache: str = "warm", batch: int = 1) -> Time | None:
    """Return what an instrument said of a row; None if it was never asked.

    What was asked and gave nothing is a Time with the reason in ``missing``.
    """
    if "missing" in row:
        return Time(instrument, cache, batch, missing=row["missing"])
    for time in row["times"]:
        if (time["instrument"], time["cache"], time["batch"]) == (instrument, cache, batch):
            return _time(time)
    return None


def crowded(row: dict) -> str | None:
    """Return a sentence if CUPTI may have made a row's kernel time longer, with the graph's time.

    That is so where a grid has more than 10,000 blocks, and these are short.
    """
    kernel = find(row)
    if kernel is None or kernel.interval is None:
        return None
    blocks = max((math.prod(one["grid"]) for one in kernel.kernels), default=0)
    measured = kernel.interval.value
    if blocks <= _MANY_BLOCKS or blocks * _US_A_BLOCK < _SHOWS * measured:
        return None
    graphs = [t for t in all_times(row) if t.instrument == "graph" and t.interval is not None]
    graph = max((t for t in graphs if t.cache == "warm"), key=lambda t: t.batch, default=None)
    beside = f"{graph.label} takes {graph.interval.value:.2f} us" if graph else "no graph was timed"
    return (
        f"{row['name']} has {blocks} short blocks, and CUPTI adds a little to each: its kernel "
        f"time is {measured:.2f} us, and {beside}"
    )


def all_times(row: dict) -> list[Time]:
    """Return every time of a row, in the record's order."""
    return [_time(time) for time in row.get("times", [])]


def _time(time: dict) -> Time:
    how = (time["instrument"], time["cache"], time["batch"])
    if "missing" in time:
        return Time(*how, missing=time["missing"])
    return Time(*how, tuple(map(tuple, time["rounds"])), tuple(time.get("kernels", ())))


def interval(
    record: dict,
    name: str,
    instrument: str = "kernel",
    cache: str = "warm",
    batch: int = 1,
    shape: dict | str | None = None,
) -> Interval | None:
    """Return a row's time as an interval; None if it was not measured so."""
    time = find(row(record, name, shape), instrument, cache, batch)
    return None if time is None else time.interval


def same_difference(
    record: dict,
    instrument: str = "kernel",
    cache: str = "warm",
    batch: int = 1,
    shape: dict | str | None = None,
) -> float | None:
    """Return by how much a variant entered twice differed from itself: a ratio, 1 or above.

    It is the largest of the record's such pairs at this shape, of medians; None where no variant
    was timed twice by this instrument.
    """
    ratios = []
    for again in rows(record, shape):
        if again["again_of"] is None:
            continue
        first = interval(record, again["again_of"], instrument, cache, batch, shape)
        time = find(again, instrument, cache, batch)
        second = time.interval if time is not None else None
        if first is not None and second is not None:
            ratios.append(max(first.value / second.value, second.value / first.value))
    return max(ratios, default=None)
