"""The table of times: a line for each row, and above it one for each kernel of a row of several."""

from course.bench.rows import fitted, in_parts, interval
from evidence import claims, times
from evidence.numbers import format_factor
from evidence.table import Column
from evidence.verdicts import Interval

INDENT = "  "  # before the name of a kernel

_TIMES = [
    Column("rung"),
    Column("us", right=True),
    Column("+-", right=True),
    Column("TFLOP/s", right=True),
    Column("x before", right=True),
    Column("% of best peer", right=True),
    Column("% of floor", right=True),
    Column("% of memory", right=True),
    Column("expected", right=True),
    Column("verdict"),
]

_RATE = 3  # the column of TFLOP/s; TB/s where an operation multiplies nothing


def time_table(record: dict, entry: dict, rows: list[dict], compared: dict) -> str:
    """Return the table of a shape's times; ``compared`` says what they are compared with."""
    cells: list[list[str] | str] = []
    for part, row in in_parts(rows):
        if row is None:
            cells.append(part)
        else:
            cells += _time_rows(record, entry, row, compared)
    lists = [row for row in cells if not isinstance(row, str)]
    used = [i for i in range(len(_TIMES)) if i < 2 or any(row[i] not in ("-", "") for row in lists)]
    columns = list(_TIMES)
    if entry["multiply_adds"] is None:
        columns[_RATE] = Column("TB/s", right=True)
    return fitted(
        [columns[i] for i in used],
        [row if isinstance(row, str) else [row[i] for i in used] for row in cells],
    )


def _time_rows(record: dict, entry: dict, row: dict, compared: dict) -> list[list[str]]:
    """Return a row's line, and a further one for each prediction after the first."""
    name, shape, instrument = row["name"], entry["shape"], compared["instrument"]
    found = interval(row, instrument)
    if found is None:
        return [[name, *["-"] * (len(_TIMES) - 1)]]
    rate = claims.tbps if entry["multiply_adds"] is None else claims.tflops
    cells = [
        name,
        *_times_of(found),
        rate_text(rate(record, name, instrument, shape)),
        _step(record, row, instrument, shape),
        _percent(record, row, compared["best"], instrument, shape),
        _percent(record, row, compared["floor"], instrument, shape),
        _of_memory(record, entry, row, instrument),
    ]
    parts = _part_rows(row, instrument)
    judged = [] if row["kind"] in ("peer", "floor") or not compared["judges"] else claims.judge(
        record, compared["counts"], name, instrument)  # fmt: skip
    judged = [one for one in judged if one.factor is not None]
    if not judged:
        return [*parts, [*cells, "-", "-"]]
    known = marks(record)
    ends = [
        [f"{format_factor(one.expected, 2, ' ')}{known.get(one.model, one.model[0])}", one.verdict]
        for one in judged
    ]
    blank = [""] * len(cells)
    return [*parts, *([*(cells if i == 0 else blank), *end] for i, end in enumerate(ends))]


def _part_rows(row: dict, instrument: str) -> list[list[str]]:
    """Return a line for each kernel of a row of several; the row's own time is their sum."""
    parts = times.find(row, instrument).parts
    blank = [""] * (len(_TIMES) - 3)
    if len(parts) < 2:
        return []
    return [[f"{INDENT}{part.name}", *_times_of(part.interval), *blank] for part in parts]


def _times_of(found: Interval) -> list[str]:
    """Return a time, and how far the mean of a round is from it at most."""
    beyond = max(found.high - found.value, found.value - found.low, 0.0)
    return [_microseconds(found.value), _microseconds(beyond)]


def _microseconds(value: float) -> str:
    return f"{value:.2f}" if value < 1000 else f"{value:.0f}"


def rate_text(value: float | None) -> str:
    """Return a rate as tables show it."""
    return "-" if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _of_memory(record: dict, entry: dict, row: dict, instrument: str) -> str:
    if entry["multiply_adds"] is not None:
        return "-"  # its work is not counted in bytes
    percent = claims.percent_of_memory(record, row["name"], instrument, entry["shape"])
    return "-" if percent is None else f"{percent:.0f}"


def _step(record: dict, row: dict, instrument: str, shape: dict) -> str:
    factor = claims.step(record, row["name"], instrument, shape=shape)
    if factor is None:
        return "-"
    resolved = claims.gain(record, row["name"], instrument, shape=shape) in ("faster", "slower")
    return f"{'' if resolved else '~'}{format_factor(factor.value, sign='')}"


def _percent(record: dict, row: dict, other: str | None, instrument: str, shape: dict) -> str:
    names = [found["name"] for found in times.rows(record, shape)]
    if other not in names or row["kind"] == "floor" or row["math"] != "fp32":
        return "-"  # a floor is no step towards itself; other arithmetic is another operation
    percent = claims.percent_of(record, row["name"], other, instrument, shape)
    return "-" if percent is None else f"{percent:.0f}"


def marks(record: dict) -> dict[str, str]:
    """Return the least letters that tell the record's models apart, by model."""
    models = sorted({prediction["model"] for prediction in record["predictions"]})

    def mark(model: str) -> str:
        return next(
            model[:size]
            for size in range(1, len(model) + 1)
            if size == len(model) or sum(m.startswith(model[:size]) for m in models) == 1
        )

    return {model: mark(model) for model in models}
