"""A record as the figures read it, at its first shape and with a warm cache."""

from dataclasses import dataclass

from evidence import claims, times
from evidence.plotted import Plotted, is_numbered
from evidence.verdicts import Interval
from plots.subjects import FromFiles


class NothingToDrawError(Exception):
    """A record holds nothing of what a figure shows. The text is a sentence."""


@dataclass(frozen=True)
class Series(FromFiles):
    """One record in a figure: the kept one, or the reader's own above it."""

    source: Plotted
    is_overlay: bool = False

    @property
    def label(self) -> str:
        """What legend and title call it: the record and its machine."""
        return f"{self.source.label} ({self.source.machine})"

    @property
    def name_in_legend(self) -> str:
        """What begins its entries of a legend that names two records."""
        return f"{self.source.label}: "

    @property
    def numbered(self) -> list[dict]:
        """The rows of the numbered rungs, in order."""
        return sorted(filter(is_numbered, times.rows(self.record)), key=lambda row: row["order"])

    @property
    def best_peer(self) -> str | None:
        """The fastest FP32 peer that the ladder compares with; None if none was measured."""
        rows = filter(self.source.settings.is_best_peer, times.rows(self.record))
        return claims.fastest(self.record, [row["name"] for row in rows])

    @property
    def floor(self) -> str | None:
        """The ladder's floor; None if it was not measured."""
        name = self.source.settings.floor
        return claims.fastest(self.record, [name]) if name else None

    def has(self, name: str) -> bool:
        """Return whether the record has a row of this name."""
        return any(row["name"] == name for row in times.rows(self.record))

    def time(self, name: str, instrument: str = "kernel") -> Interval | None:
        """Return a row's time; None if the record lacks it."""
        return times.interval(self.record, name, instrument) if self.has(name) else None

    def step(self, name: str) -> Interval | None:
        """Return a rung's factor over the one that it follows; None if there is none."""
        return claims.step(self.record, name) if self.has(name) else None

    def gain(self, name: str) -> str:
        """Return whether that factor is a gain."""
        return claims.gain(self.record, name) if self.has(name) else claims.NOT_MEASURED

    def judged(self) -> list[tuple[str, claims.Judged]]:
        """Return (rung, prediction) for all that the record froze and could judge."""
        rungs = dict.fromkeys(p["rung"] for p in self.record["predictions"])
        found = [(name, one) for name in rungs for one in claims.judge(self.record, None, name)]
        return [(name, one) for name, one in found if one.factor is not None]
