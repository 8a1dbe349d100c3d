"""Hardware counters of each rung, read by Nsight Compute in runs of their own."""

import os
import tempfile
from pathlib import Path

from course import ncu
from course.bench.conductor import Row
from course.errors import WRONG_USE, CourseError
from course.places import Places
from course.processes import Failed, watched
from course.terminal import say, shown
from evidence.counters import COUNTERS


def wanted(names: list[str]) -> dict[str, tuple[str, str]]:
    """Return metric and unit of each counter. Raises CourseError for a name that is none."""
    for name in names:
        if name not in COUNTERS:
            raise CourseError(f"there is no counter {name!r} in evidence.counters", WRONG_USE)
    return {name: (COUNTERS[name].metric, COUNTERS[name].unit) for name in names}


def require_programs(places: Places, ladder: str, described: dict) -> None:
    """Raise CourseError if the program of a rung is missing: a kept record would lack its counters.

    A carried build may have the ladder's own program alone.
    """
    for rung in described["rungs"]:
        path = places.bin / f"{ladder}-{rung['name']}"
        if not path.is_file():
            raise CourseError(
                f"{shown(path)} is not there, and --counters runs it; carry every program of the "
                "ladder, or leave --counters out",
                WRONG_USE,
            )


def read(places: Places, ladder: str, names: list[str], rows: list[Row], verbose: bool) -> None:
    """Give every measured rung its counters, or why there are none.

    Each rung's own program runs once under ncu, with one launch and no timing. Where ncu says that
    counters may not be read, it is not asked again.
    """
    asked, program = wanted(names), ncu.find()
    rungs = [row for row in rows if row.is_rung and row.missing is None and row.again_of is None]
    say(f"Reading {len(asked)} hardware counters of {len(rungs)} rungs with Nsight Compute.")
    refused = "ncu (Nsight Compute) is not on PATH" if program is None else ""
    refused = refused or ("" if asked else "lessons name no counters")
    for row in rungs:
        if not refused:
            row.counters = _of_rung(places, f"{ladder}-{row.asked}", program, asked, verbose)
            if "ERR_NVGPUCTRPERM" in row.counters.get("missing", ""):
                refused = row.counters["missing"]
        if refused:
            row.counters = {"missing": refused}


def _of_rung(places: Places, name: str, program: str, asked: dict, verbose: bool) -> dict:
    path = places.bin / name
    if not path.is_file():
        return {"missing": f"{shown(path)} is not there"}
    metrics = [metric for metric, _ in asked.values()]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RUNGS_")}
    with tempfile.TemporaryDirectory(prefix="rungs-ncu-") as folder:
        log = Path(folder) / "ncu.csv"
        line = ncu.command(metrics, log, [path, "--profile", "--device", "gpu"], program)
        try:
            said = watched(line, f"ncu  {name}", verbose=verbose, env=environment)
        except Failed as failed:
            said = failed.output
        text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    found = ncu.counters(text, asked)
    return found or {"missing": f"ncu read nothing: {ncu.reason(text + said)}"}
