"""Measured records as the pages show them: which are kept, and what they compare with.

A record is ``docs/evidence/NAMESPACE/LADDER.json``, its size sweep ``LADDER-sizes.json``. Nothing
here judges: times, factors and verdicts come from the package ``evidence``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sphinx.environment import BuildEnvironment

from evidence import claims, measured, page_links, predictions, times
from evidence.numbers import format_factor
from evidence.times import Time
from evidence.verdicts import Interval
from rungs_site.lesson import Ladder

SIZES = "-sizes"


@dataclass(frozen=True)
class Kept:
    """A record that is kept: the namespace it is kept under, its file and what it holds."""

    namespace: str
    path: Path
    record: dict

    def row(self, name: str, shape: dict | None = None) -> dict | None:
        """Return the row of a variant, at the first shape if none is given; None if not there."""
        rows = times.rows(self.record, shape or self.record["shapes"][0]["shape"])
        return next((row for row in rows if row["name"] == name), None)


def kept(env: BuildEnvironment, ladder: str, suffix: str = "") -> list[Kept]:
    """Return the records kept of a ladder, by namespace; the page being read depends on them."""
    found = []
    for path in kept_paths(Path(env.srcdir), ladder, suffix):
        env.note_dependency(str(path))
        found.append(Kept(path.parent.name, path, page_links.load(path)))
    return found


def kept_paths(repo: Path, ladder: str, suffix: str = "") -> list[Path]:
    """Return the files of the records kept of a ladder, by namespace."""
    return [path for path in measured.paths(repo, ladder) if path.stem == ladder + suffix]


def hardware_counts(env: BuildEnvironment, ladder: str, name: str) -> tuple[str, dict]:
    """Return the first namespace that has hardware counts of a rung, and these by their names.

    Both are empty where no record has any.
    """
    for one in kept(env, ladder):
        row = one.row(name) or {}
        counted = row.get("counters", {})
        if counted and "missing" not in counted:
            return one.namespace, counted
    return "", {}


def number_label(file: Path, anchor: str) -> str:
    """Return the label under which a number of a measured record or of a study is found."""
    return f"{file.parent.name}/{file.stem}#{anchor}"


def section_label(file: Path) -> str:
    """Return the label of a measured record's own section on the page behind the numbers."""
    return number_label(file, "")


def stale_rungs(ladder: Ladder, record: dict, names: Sequence[str]) -> list[str]:
    """Return which of these rungs have changed since the record was made."""
    sentences = measured.stale(ladder.repo, record)
    return [
        name for name in names if any(s.startswith(f"{ladder.name}/{name} ") for s in sentences)
    ]


def best_peer(ladder: Ladder, record: dict, shape: dict | None = None) -> str | None:
    """Return the name of the fastest FP32 peer by kernel time; None if none was measured.

    Which peers count, the ladder's ladder.json says. Without a shape, at the first one.
    """
    shape = shape or record["shapes"][0]["shape"]
    names = [row["name"] for row in times.rows(record, shape) if ladder.settings.is_best_peer(row)]
    return claims.fastest(record, names, shape)


def floor(ladder: Ladder, record: dict, shape: dict | None = None) -> str | None:
    """Return the name of the ladder's floor, which its ladder.json names; None if not measured."""
    shape = shape or record["shapes"][0]["shape"]
    name = ladder.settings.floor
    return claims.fastest(record, [name], shape) if name else None


def ways(record: dict) -> list[Time]:
    """Return the ways to measure in the order of the record's protocol, without a time."""
    return [Time(i["name"], i["cache"], i["batch"]) for i in record["protocol"]["instruments"]]


def format_time(value: float) -> str:
    """Return a time in microseconds, without its unit."""
    return f"{value:,.2f}"


def format_range(interval: Interval) -> str:
    """Return the lowest and the highest mean of a round."""
    return f"{format_time(interval.low)} to {format_time(interval.high)}"


def format_factor_range(interval: Interval) -> str:
    """Return what a measured factor may also be: noise shows in the third decimal."""
    return f"{format_factor(interval.low, 3)} to {format_factor(interval.high, 3)}"


def edited_predictions(ladder: Ladder, name: str, ones: list[Kept]) -> list[str]:
    """Return a sentence for each prediction of a rung that is not as its first record froze it."""
    holding = [one for one in ones if any(p["rung"] == name for p in one.record["predictions"])]
    if not holding:
        return []
    first = min(holding, key=lambda one: one.record["date"])  # of one day, the first namespace
    now = {(p["rung"], p["model"]): p for p in predictions.of_counts(ladder.record)}
    sentences = predictions.differences(first.record, now, first.namespace)
    return [text for text in sentences if text.startswith(f"{ladder.name}/{name}, ")]
