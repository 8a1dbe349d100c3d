"""What a measured record lets one claim: factors, gains, verdicts, rates.

Every ratio is formed inside one record. The rules themselves are in ``verdicts``; a table, a page
and a plot all ask here.
"""

from dataclasses import dataclass

from evidence import models, times
from evidence.errors import EvidenceError
from evidence.measured_layout import WORK
from evidence.verdicts import Interval, ratio_interval, verdict
from evidence.verdicts import gain as gain_of_factor

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Work:
    """What one operation of a row does; None where it is not known or not its subject."""

    multiply_adds: int | None
    bytes: int | None


@dataclass(frozen=True)
class Judged:
    """A prediction and what became of it."""

    model: str
    expected: float
    factor: Interval | None  # time before / time after; None if one of them is missing
    verdict: str  # "confirmed", "refuted", "not resolved" or "not measured"
    gain: str  # "faster", "slower", "not resolved" or "not measured"


def factor(
    record: dict,
    before: str,
    after: str,
    instrument: str = "kernel",
    cache: str = "warm",
    batch: int = 1,
    shape: dict | str | None = None,
) -> Interval | None:
    """Return time of ``before`` / time of ``after`` with its noise: above 1, ``after`` is faster.

    None if one was not measured so, or no variant was timed twice, so that the noise is not known.
    Raises EvidenceError if the record has no such row.
    """
    old = times.interval(record, before, instrument, cache, batch, shape)
    new = times.interval(record, after, instrument, cache, batch, shape)
    same = times.same_difference(record, instrument, cache, batch, shape)
    if old is None or new is None or same is None:
        return None
    return ratio_interval(old, new, same)


def step(
    record: dict,
    rung: str,
    instrument: str = "kernel",
    cache: str = "warm",
    batch: int = 1,
    shape: dict | str | None = None,
) -> Interval | None:
    """Return the factor of a rung over the one that it follows; None for the first."""
    after = times.row(record, rung, shape)["after"]
    if after is None or after not in [r["name"] for r in times.rows(record, shape)]:
        return None
    return factor(record, after, rung, instrument, cache, batch, shape)


def gain(
    record: dict,
    rung: str,
    instrument: str = "kernel",
    cache: str = "warm",
    batch: int = 1,
    shape: dict | str | None = None,
) -> str:
    """Return whether a rung gained over the one before it: "faster", "slower", "not resolved".

    "not measured" where there is no factor.
    """
    found = step(record, rung, instrument, cache, batch, shape)
    return NOT_MEASURED if found is None else gain_of_factor(found.low, found.high)


def judge(record: dict, counts: dict | None, rung: str, instrument: str = "kernel") -> list[Judged]:
    """Return what became of each prediction of a rung at the first shape, as the record holds them.

    ``counts`` is the ladder's counts record; it gives the predictions where the measured record has
    none of this rung. It may be None.
    """
    found = step(record, rung, instrument) if _has(record, rung) else None
    gained = NOT_MEASURED if found is None else gain_of_factor(found.low, found.high)
    judged = []
    for model, expected in _expected(record, counts, rung):
        what = NOT_MEASURED
        if found is not None:
            what = verdict(found.low, found.value, found.high, expected)
        judged.append(Judged(model, expected, found, what, gained))
    return judged


def work(record: dict, name: str, shape: dict | str | None = None) -> Work:
    """Return what one operation of a row does: the shape's work, or a floor's own."""
    return work_of(times.at_shape(record, shape), times.row(record, name, shape))


def work_of(entry: dict, row: dict) -> Work:
    """Return the work of a row at the entry of its shape: all of it, but for what a floor says."""
    does = row.get("work", WORK)
    parts = {
        "input_bytes": entry["input_bytes"],
        "output_bytes": entry["bytes"] - entry["input_bytes"],
    }
    moved = [size for part, size in parts.items() if part in does]
    multiply_adds = entry["multiply_adds"] if "multiply_adds" in does else None
    return Work(multiply_adds, sum(moved) if moved else None)


def tflops(
    record: dict, name: str, instrument: str = "kernel", shape: dict | str | None = None
) -> float | None:
    """Return TFLOP/s: two for each multiply-add, by the median time, warm."""
    return _rate(record, name, instrument, shape, "multiply_adds", 2)


def tbps(
    record: dict, name: str, instrument: str = "kernel", shape: dict | str | None = None
) -> float | None:
    """Return TB/s: inputs read and outputs written once, by the median time, warm."""
    return _rate(record, name, instrument, shape, "bytes", 1)


def percent_of_memory(
    record: dict, name: str, instrument: str = "kernel", shape: dict | str | None = None
) -> float | None:
    """Return a row's TB/s as a share of what the machine's memory can move, in per cent.

    None where the L2 holds all of it from one launch to the next: then it is not memory that moves.
    """
    machine = record["machine"]
    if times.at_shape(record, shape)["bytes"] <= machine["l2_bytes"]:
        return None
    most, moved = memory_tbps(machine), tbps(record, name, instrument, shape)
    return None if most is None or moved is None else 100 * moved / most


def memory_tbps(machine: dict) -> float | None:
    """Return what a record's machine can read and write at most: twice its memory clock x width.

    None where the machine does not say. This is the rate of the datasheet.
    """
    memory, bus = machine["max_memory_clock_mhz"], machine["memory_bus_bits"]
    return 2 * memory * 1e6 * bus / 8 / 1e12 if memory and bus else None


def percent_of(
    record: dict,
    name: str,
    other: str,
    instrument: str = "kernel",
    shape: dict | str | None = None,
) -> float | None:
    """Return how near a row comes to another: the other's time / its time, in per cent."""
    mine = times.interval(record, name, instrument, shape=shape)
    others = times.interval(record, other, instrument, shape=shape)
    return None if mine is None or others is None else 100 * others.value / mine.value


def fastest(record: dict, names: list[str], shape: dict | str | None = None) -> str | None:
    """Return which of these rows has the least kernel time; None if none was measured."""
    there = {row["name"] for row in times.rows(record, shape)}
    measured = [
        (time.value, name)
        for name in names
        if name in there and (time := times.interval(record, name, shape=shape)) is not None
    ]
    return min(measured)[1] if measured else None


def max_relative_error(row: dict) -> float | None:
    """Return a row's largest error against the float64 reference, over all checked shapes."""
    errors = [
        shape["max_relative_error"]
        for check in row.get("check", {}).values()
        for shape in check["shapes"]
        if shape.get("max_relative_error") is not None
    ]
    return max(errors, default=None)


def _rate(record, name, instrument, shape, of_what: str, times_each: int) -> float | None:
    amount = getattr(work(record, name, shape), of_what)
    time = times.interval(record, name, instrument, shape=shape)
    if amount is None or time is None:
        return None
    return times_each * amount / (time.value * 1e-6) / 1e12


def _has(record: dict, rung: str) -> bool:
    return not times.is_sweep(record) and rung in [r["name"] for r in times.rows(record)]


def _expected(record: dict, counts: dict | None, rung: str) -> list[tuple[str, float]]:
    """Return (model, expected factor) of a rung, as recorded, or else as counted."""
    recorded = [(p["model"], p["expected"]) for p in record["predictions"] if p["rung"] == rung]
    if recorded or counts is None:
        return recorded
    known = {entry["name"]: entry for entry in counts["rungs"]}
    entry = known.get(rung)
    if entry is None or entry["after"] is None:
        return []
    found = []
    for because in entry["because"]:
        try:
            expected = models.expected_factor(because["model"], known[entry["after"]], entry)
        except EvidenceError:
            continue
        found.append((because["model"], expected))
    return found
