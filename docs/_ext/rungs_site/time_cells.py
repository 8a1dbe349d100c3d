"""Cells and rows of the tables of times: medians with their ranges, rates and their shares."""

from __future__ import annotations

from evidence import claims, times
from evidence.times import Time
from evidence.verdicts import Interval
from rungs_site import kept_records, lesson
from rungs_site.directives import NOTHING
from rungs_site.tables import Cell, paragraph, small


def part_rows(way: Time, found: list[Time | None]) -> list[list[Cell]]:
    """Return a row for each kernel of the variants that launch several; their sum follows."""
    of_several = [
        {part.name: part.interval for part in time.parts} if time and len(time.parts) > 1 else {}
        for time in found
    ]
    names = dict.fromkeys(name for parts in of_several for name in parts)
    return [
        [[paragraph(way.label), small(name)], *(time_cell(p.get(name)) for p in of_several)]
        for name in names
    ]


def kernel_cell(row: dict) -> Cell:
    """Return a cell with a row's kernel time and, of a rung of several kernels, each one's."""
    time = None if "missing" in row else times.find(row)
    if time is None or time.interval is None:
        return NOTHING
    parts = time.parts if len(time.parts) > 1 and row["kind"] not in ("peer", "floor") else []
    lines = [small(f"{p.name} {kept_records.format_time(p.interval.value)}") for p in parts]
    return [*lines, *time_cell(time.interval)]


def share_rows(
    ladder: lesson.Ladder, record: dict, shape: dict, names: list[str]
) -> list[list[Cell]]:
    """Return a rate, and its shares of the floor's and the memory's, where work is bytes moved."""
    if unit(record) != "TB/s":
        return []
    floor = kept_records.floor(ladder, record, shape)
    rows: list[list[Cell]] = [["TB/s", *(rate(record, name, shape) for name in names)]]
    if floor:
        shares = [claims.percent_of(record, name, floor, shape=shape) for name in names]
        cells = [
            NOTHING if name == floor else number(share, "{:.1f} %")
            for name, share in zip(names, shares, strict=True)
        ]
        rows.append(["of the floor", *cells])
    shares = [claims.percent_of_memory(record, name, shape=shape) for name in names]
    if any(share is not None for share in shares):
        rows.append(["of the memory", *(number(share, "{:.1f} %") for share in shares)])
    return rows


def rate_cell(record: dict, name: str, shape: dict) -> Cell:
    """Return a row's rate; of bytes also as a share of what the memory moves."""
    share = None
    if unit(record) == "TB/s":
        share = claims.percent_of_memory(record, name, shape=shape)
    if share is None:
        return rate(record, name, shape)
    return [paragraph(rate(record, name, shape)), small(f"{share:.1f} % of memory")]


def of_memory(record: dict) -> str:
    """Return a sentence on what the machine's memory moves, where work is bytes moved."""
    most = claims.memory_tbps(record["machine"])
    if unit(record) != "TB/s" or most is None:
        return ""
    return (
        f" The memory moves {most:.2f} TB/s by its clock and width; what the L2 holds is no share "
        "of that."
    )


def time_cell(interval: Interval | None) -> Cell:
    """Return a cell with a time and, beneath it, the range of its round means."""
    if interval is None:
        return NOTHING
    value = paragraph(kept_records.format_time(interval.value))
    return [value, small(kept_records.format_range(interval))]


def unit(record: dict) -> str:
    """Return the unit of a record's rates: bytes count where an operation multiplies nothing."""
    return "TB/s" if record["shapes"][0]["multiply_adds"] is None else "TFLOP/s"


def rate(record: dict, name: str, shape: dict | None = None) -> str:
    """Return a row's rate by its kernel time, in the record's unit."""
    if unit(record) == "TB/s":
        return number(claims.tbps(record, name, shape=shape), "{:.2f}")
    return number(claims.tflops(record, name, shape=shape), "{:.1f}")


def number(value: float | None, form: str) -> str:
    """Return a number in this form; a dash where there is none."""
    return NOTHING if value is None else form.format(value)
