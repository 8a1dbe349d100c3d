"""What figures are drawn of: a record at one shape, a size sweep, or a ladder's counts."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from evidence import claims, times
from evidence.plotted import Plotted, is_numbered
from evidence.verdicts import Interval


class Subject(Protocol):
    """What every subject has."""

    source: Plotted

    @property
    def label(self) -> str:
        """What title and words call it."""

    @property
    def ladder(self) -> str:
        """The ladder that it is of."""

    @property
    def sha256(self) -> str:
        """The identity of its data: it changes when they do."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it was read from."""


class FromFiles:
    """What every subject takes from its source."""

    source: Plotted

    @property
    def ladder(self) -> str:
        """The ladder that it is of."""
        return self.source.ladder

    @property
    def sha256(self) -> str:
        """The identity of its data: it changes when they do."""
        return self.source.sha256

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it was read from."""
        return self.source.files

    @property
    def record(self) -> dict:
        """The document itself: a measured record, or counts."""
        return self.source.record


@dataclass(frozen=True)
class Sweep(FromFiles):
    """A record of several sizes."""

    source: Plotted

    @property
    def label(self) -> str:
        """What the title calls it: the record and its machine."""
        return f"{self.source.label} ({self.source.machine})"

    @property
    def shapes(self) -> list[dict[str, int]]:
        """The shapes that were measured, in the record's order."""
        return times.shapes(self.record)

    @property
    def names(self) -> list[str]:
        """The numbered rungs in order, then the peers; floors and second entries are left out."""
        rows: dict[str, dict] = {}
        for entry in self.record["shapes"]:
            for row in entry["rows"]:
                rows.setdefault(row["name"], row)
        rungs = sorted(filter(is_numbered, rows.values()), key=lambda row: row["order"])
        peers = [row for row in rows.values() if row["kind"] == "peer"]
        return [row["name"] for row in [*rungs, *peers]]

    def row(self, name: str, shape: dict) -> dict | None:
        """Return a row at a shape; None if the record lacks it there."""
        found = [row for row in times.rows(self.record, shape) if row["name"] == name]
        return found[0] if found else None

    def time(self, name: str, shape: dict, instrument: str = "kernel") -> Interval | None:
        """Return a row's time at a shape; None if the record lacks it."""
        row = self.row(name, shape)
        time = None if row is None else times.find(row, instrument)
        return None if time is None else time.interval

    def tflops(self, name: str, shape: dict) -> float | None:
        """Return a row's TFLOP/s at a shape by its kernel time; None if the record lacks it."""
        if self.time(name, shape) is None:
            return None
        return claims.tflops(self.record, name, shape=shape)


@dataclass(frozen=True)
class Counted(FromFiles):
    """A ladder's counts, made without a GPU."""

    source: Plotted

    @property
    def label(self) -> str:
        """What the title calls it."""
        return self.source.label

    @cached_property
    def rungs(self) -> list[dict]:
        """The rungs as the counts hold them, in order, asides last."""
        return sorted(self.record["rungs"], key=lambda rung: rung["order"])
