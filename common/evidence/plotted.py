"""What figures are drawn from: kept records and size sweeps, counts, a reader's own record.

What cannot be drawn is refused here, before anything is installed or drawn.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evidence import lessons, measured, records, times
from evidence.errors import EvidenceError
from evidence.json_file import json_text
from evidence.ladder_settings import LadderSettings
from evidence.ladder_settings import load as load_settings
from evidence.ladder_settings import path_of as settings_path
from evidence.table import ascii_text

_LONGEST_LABEL = 32


@dataclass(frozen=True)
class Plotted:
    """A record that is drawn: what it is called, what it holds, and what its ladder says."""

    label: str  # the namespace of a kept record, the file's name of a reader's own, or "counts"
    record: dict  # measured, or the ladder's counts
    settings: LadderSettings
    counts: dict | None = None  # the ladder's counts record, where one is kept
    files: tuple[Path, ...] = ()  # that all this was read from

    @property
    def ladder(self) -> str:
        """The ladder that was measured."""
        return self.record["ladder"]

    @property
    def machine(self) -> str:
        """The name of the machine that was measured."""
        return ascii_text(self.record["machine"]["name"])

    @cached_property
    def sha256(self) -> str:
        """The identity of what is drawn: it changes with the record, the counts or the settings."""
        documents = [self.label, repr(self.settings), self.record, self.counts]
        return hashlib.sha256(json_text(documents).encode("utf-8")).hexdigest()


def kept(repo: Path, ladder: str) -> list[Plotted]:
    """Return the records kept of a ladder at its own shape, by namespace.

    Raises EvidenceError if there is no such ladder, no record of it, or one is no good.
    """
    _require_ladder(repo, ladder)
    found = _read(repo, ladder, is_sweep=False)
    if not found:
        raise EvidenceError(
            f"no record of {ladder} is kept; ./course bench {ladder} --save NAME makes one"
        )
    return found


def sweeps(repo: Path, ladder: str) -> list[Plotted]:
    """Return the size sweeps kept of a ladder, by namespace: none where none is kept.

    Raises EvidenceError if there is no such ladder, or one is no good.
    """
    _require_ladder(repo, ladder)
    return _read(repo, ladder, is_sweep=True)


def counted(repo: Path, ladder: str) -> Plotted | None:
    """Return a ladder's counts; None where none are kept.

    Raises EvidenceError if there is no such ladder, or its counts are no good.
    """
    _require_ladder(repo, ladder)
    counts, files = _counts(repo, ladder)
    if counts is None:
        return None
    return Plotted("counts", counts, load_settings(repo, ladder), counts, files)


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
    settings = load_settings(repo, record["ladder"])
    counts, files = _counts(repo, record["ladder"])
    return Plotted(_label(path, record), record, settings, counts, (Path(path), *files))


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


def _require_ladder(repo: Path, ladder: str) -> None:
    known = lessons.ladders(repo)
    if ladder not in known:
        raise EvidenceError(f"there is no ladder {ladder!r}; there is {', '.join(known)}")


def _read(repo: Path, ladder: str, is_sweep: bool) -> list[Plotted]:
    """Return the records, or else the sweeps, that are kept of a ladder."""
    stem = measured.path_of(repo, "any", ladder, is_sweep).stem
    found = [path for path in measured.paths(repo, ladder) if path.stem == stem]
    if not found:
        return []
    settings = load_settings(repo, ladder)
    counts, files = _counts(repo, ladder)
    return [
        Plotted(path.parent.name, records.load_record(path), settings, counts, (path, *files))
        for path in found
    ]


def _counts(repo: Path, ladder: str) -> tuple[dict | None, Sequence[Path]]:
    """Return a ladder's counts, None without, and the files that say what a ladder is."""
    path = records.counts_path(repo, ladder)
    files = [file for file in (path, settings_path(repo, ladder)) if file.is_file()]
    return (records.load_counts(path) if path.is_file() else None), tuple(files)


def _label(path: Path, record: dict) -> str:
    """Return what a record's file is called; of one that is kept, its namespace."""
    path = Path(path).absolute()
    name = ascii_text(path.parent.name if path.stem == record["ladder"] else path.stem)
    if len(name) <= _LONGEST_LABEL:
        return name or "overlay"
    return f"{name[: _LONGEST_LABEL - 3]}..."
