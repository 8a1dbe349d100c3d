"""Nsight Compute: how it is asked for counters, and how its raw CSV page is read."""

import csv
import shutil
from pathlib import Path

_USUAL = Path("/usr/local/cuda/bin/ncu")  # where a toolkit puts it without touching PATH
_MICROSECONDS = {"s": 1e6, "second": 1e6, "ms": 1e3, "msecond": 1e3, "us": 1.0, "usecond": 1.0}
_MICROSECONDS |= {"ns": 1e-3, "nsecond": 1e-3}


def find() -> str | None:
    """Return the path of ncu; None if it is not there."""
    return shutil.which("ncu") or (str(_USUAL) if _USUAL.is_file() else None)


def command(metrics: list[str], log: Path, program: list, ncu: str = "ncu") -> list[str]:
    """Return the command line that runs ``program`` and writes its counters to ``log`` as CSV.

    Clocks are left as they are, so that durations are those of a free run.
    """
    options = ["--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"]
    options += ["--log-file", str(log), "--metrics", ",".join(metrics)]
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
    """Read a counter: whole where it is one. Thousands may be separated."""
    value = float(text.replace(",", ""))
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

    Of several launches, what is a sum is added up; a ratio of several cannot be formed from the
    ratios, so it is left out. So is what this version of ncu does not know.
    """
    units, rows = page(log)
    found = {}
    for name, (metric, unit) in wanted.items():
        values = [row[metric] for row in rows if row.get(metric) not in (None, "", "n/a")]
        if len(values) != len(rows) or not rows:
            continue
        if len(rows) > 1 and not metric.endswith(".sum"):
            continue
        total = sum(map(number, values))
        if unit == "us":
            total = round(total * _MICROSECONDS.get(units.get(metric, "us"), 1.0), 3)
        found[name] = total
    return found
