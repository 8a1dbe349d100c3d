"""Which measured records figures are drawn from: those that are kept, and a reader's own.

A size sweep is left out: the figures are of a ladder at its own shape. What cannot be drawn is
refused here, before anything is installed or drawn.
"""

from dataclasses import dataclass
from pathlib import Path

from evidence import lessons, measured, records, times
from evidence.errors import EvidenceError
from evidence.ladder_settings import LadderSettings
from evidence.ladder_settings import load as load_settings
from evidence.table import ascii_text

_LONGEST_LABEL = 32


@dataclass(frozen=True)
class Plotted:
    """A record that is drawn: what it is called, what it holds, and what its ladder says."""

    label: str  # the namespace of a kept record, the file's name of a reader's own
    record: dict
    settings: LadderSettings

    @property
    def ladder(self) -> str:
        """The ladder that was measured."""
        return self.record["ladder"]

    @property
    def machine(self) -> str:
        """The name of the machine that was measured."""
        return ascii_text(self.record["machine"]["name"])


def kept(repo: Path, ladder: str) -> list[Plotted]:
    """Return the records kept of a ladder, by namespace.

    Raises EvidenceError if there is no such ladder, no record of it, or one is no good.
    """
    known = lessons.ladders(repo)
    if ladder not in known:
        raise EvidenceError(f"there is no ladder {ladder!r}; there is {', '.join(known)}")
    found = [path for path in measured.paths(repo, ladder) if path.stem == ladder]
    if not found:
        raise EvidenceError(
            f"no record of {ladder} is kept; ./course bench {ladder} --save NAME makes one"
        )
    settings = load_settings(repo, ladder)
    return [Plotted(p.parent.name, records.load_record(p), settings) for p in found]


def has_kept(repo: Path, ladder: str) -> bool:
    """Return whether a record of a ladder is kept that figures can be drawn from."""
    return any(path.stem == ladder for path in measured.paths(repo, ladder))


def overlay(repo: Path, path: Path, ladder: str | None = None) -> Plotted:
    """Return a reader's own record, to be drawn over the kept ones of its ladder.

    Raises EvidenceError if it is no record, of another ladder than ``ladder``, or a size sweep, or
    if no numbered rung of it has a kernel time.
    """
    record = records.load_record(path)
    if ladder is not None and record["ladder"] != ladder:
        raise EvidenceError(
            f"{path}: is of the ladder {record['ladder']}; it cannot be drawn over {ladder}"
        )
    if times.is_sweep(record):
        raise EvidenceError(f"{path}: is a sweep over sizes; a record of one shape can be drawn")
    if record["ladder"] not in lessons.ladders(repo):
        raise EvidenceError(
            f"{path}: is of {record['ladder']!r}, which is no ladder of this course"
        )
    if not any(
        is_numbered(r) and times.find(r) and times.find(r).interval for r in times.rows(record)
    ):
        raise EvidenceError(
            f"{path}: no numbered rung has a kernel time; measure them with ./course bench "
            f"{record['ladder']} --json FILE"
        )
    return Plotted(_label(path, record), record, load_settings(repo, record["ladder"]))


def require_same_shape(below: Plotted, above: Plotted) -> None:
    """Raise EvidenceError if two records are not of one shape: their times are no pair."""
    shapes = [one.record["shapes"][0]["shape"] for one in (below, above)]
    if shapes[0] != shapes[1]:
        raise EvidenceError(
            f"{above.label} is of {times.shape_words(shapes[1])}, {below.label} of "
            f"{times.shape_words(shapes[0])}; only records of one shape are drawn together"
        )


def is_numbered(row: dict) -> bool:
    """Return whether a row is a numbered rung: no aside, no peer, no floor, no second entry."""
    is_rung = row["kind"] not in ("peer", "floor") and row["again_of"] is None
    return is_rung and row["order"] < lessons.ASIDE_ORDER


def _label(path: Path, record: dict) -> str:
    """Return what a record's file is called; of one that is kept, its namespace."""
    path = Path(path).absolute()
    name = ascii_text(path.parent.name if path.stem == record["ladder"] else path.stem)
    if len(name) <= _LONGEST_LABEL:
        return name or "overlay"
    return f"{name[: _LONGEST_LABEL - 3]}..."
