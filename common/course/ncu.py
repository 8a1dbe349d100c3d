"""Nsight Compute: how it is asked for counters, and how its raw CSV page is read."""

import csv
import re
import shutil
from pathlib import Path

_USUAL = Path("/usr/local/cuda/bin/ncu")  # where a toolkit puts it without touching PATH
_MICROSECONDS = {"s": 1e6, "second": 1e6, "ms": 1e3, "msecond": 1e3, "us": 1.0, "usecond": 1.0}
_DURATION = "gpu__time_duration.sum"
_MICROSECONDS |= {"ns": 1e-3, "nsecond": 1e-3}


def find() -> str | None:
    """Return the path of ncu; None if it is not there."""
    return shutil.which("ncu") or (str(_USUAL) if _USUAL.is_file() else None)


def command(metrics: list[str], log: Path, program: list, ncu: str = "ncu") -> list[str]:
    """Return the command line that runs ``program`` and writes its counters to ``log`` as CSV.

    Clocks are left as they are, so that durations are those of a free run. A metric that ncu tells
    apart, by opcode for instance, is asked for with what is wanted of it: ``metric[BAR]``.
    """
    names = list(dict.fromkeys(metric.partition("[")[0] for metric in metrics))
    options = ["--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"]
    options += ["--log-file", str(log), "--metrics", ",".join(names)]
    if any("[" in metric for metric in metrics):
        options += ["--print-metric-instances", "details"]
    return [ncu, *options, *map(str, program)]


def page(log: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return the units by column, and a row {column: text} for each launch.

    Both are empty if the log holds no page: then ncu could not read.
    """
    lines = log.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return {}, []
    rows = list(csv.DictReader(line for line in lines[start:] if line.startswith('"')))
    return (rows[0], rows[1:]) if rows else ({}, [])


def number(text: str) -> int | float:
    """Read a counter: whole where it is one. Thousands may be separated.

    Behind one that ncu tells apart stand its parts; they are left out.
    """
    value = float(text.partition(" (")[0].replace(",", ""))
    return int(value) if value == int(value) else value


def reason(said: str) -> str:
    """Return why ncu read nothing: its line that names an error, else its last one."""
    lines = [line.strip().strip("=").strip() for line in said.splitlines()]
    lines = [line for line in lines if line]
    errors = [line for line in lines if "ERR_" in line] or [
        line for line in lines if line.startswith("ERROR")
    ]
    found = (errors or lines[-1:] or ["it said nothing"])[0]
    return found.removeprefix("ERROR==").strip().rstrip(".")


def counters(log: str, wanted: dict[str, tuple[str, str]]) -> dict[str, int | float]:
    """Return counters by our names; ``wanted`` gives the metric and the unit of each.

    Of several launches, what is a sum is added up. A ratio of several cannot be formed from the
    ratios: it is that of the launch that took longest, and is left out if durations were not asked
    for. So is what this version of ncu does not know.
    """
    units, rows = page(log)
    found = {}
    for name, (metric, unit) in wanted.items():
        values = [_value(row, metric) for row in rows]
        if not rows or None in values:
            continue
        if metric.endswith((".sum", "]")):
            total = sum(values)
        elif (longest := _longest(rows)) is not None:
            total = values[longest]
        else:
            continue
        if unit == "us":
            total = round(total * _MICROSECONDS.get(units.get(metric, "us"), 1.0), 3)
        found[name] = total
    return found


def _value(row: dict[str, str], metric: str) -> int | float | None:
    """Return a launch's value of a metric, or of the part that is named behind it; None if none.

    Parts are printed as ``total (BAR: 16; EXIT: 8)``. One that is not among them is 0.
    """
    name, _, part = metric.partition("[")
    text = row.get(name) or "n/a"
    if not part:
        return None if text == "n/a" else number(text)
    listed = re.fullmatch(r"[^(]*\((.*)\)\s*", text, re.DOTALL)
    if listed is None:
        return None
    parts = dict(one.strip().rpartition(": ")[::2] for one in listed[1].split(";"))
    return number(parts.get(part.rstrip("]"), "0"))


def _longest(rows: list[dict[str, str]]) -> int | None:
    """Return which launch took longest; None of several without a duration."""
    durations = [_value(row, _DURATION) for row in rows]
    if len(rows) > 1 and None in durations:
        return None
    return max(range(len(rows)), key=lambda index: durations[index] or 0)
