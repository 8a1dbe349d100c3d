"""Tries: one change to a rung's kernel that the reader makes, and what comes of it.

``lessons/LADDER/N-RUNG/try.patch`` is a patch that ``git apply`` takes, with a head before it::

    Without the padding every single store is an eight-way conflict.

    ptx/shared_store_wavefronts: 2621440 becomes 4718592
    ptx/shared_load_wavefronts: stays 12582912

The first paragraph says why. Each line below it is a count of the rung's, by its path in the
ladder's counts record, before and after the change. Where the CPU device must refuse the changed
kernel, one line stands in their place, with what the program prints; ``...`` is any text::

    refused: race: ... reads 4 bytes at shared address 0x400, ... (baseline.cu:40, ...)
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from evidence import lessons, numbers, records
from evidence.errors import EvidenceError
from evidence.json_file import read_text

FILE_NAME = "try.patch"
COUNTED = ("ptx", "sass")  # what the page argues of a rung, nothing counts

_NUMBER = r"-?\d+(?:\.\d+)?"
_COUNT = re.compile(
    rf"(?P<path>\S+): (?:(?P<before>{_NUMBER}) becomes (?P<after>{_NUMBER})"
    rf"|stays (?P<same>{_NUMBER}))"
)
_REFUSED = re.compile(r"refused: (?P<text>\S.*)")


@dataclass(frozen=True)
class Change:
    """A count before and after the change; the same twice where it stays."""

    path: str
    before: int | float
    after: int | float

    @property
    def stays(self) -> bool:
        """True for a count that the change leaves alone."""
        return self.before == self.after


@dataclass(frozen=True)
class Try:
    """One try: why, the counts that it changes or the refusal that it meets, and the patch."""

    why: str
    changes: tuple[Change, ...]
    refusal: str | None  # what the CPU device says of the changed kernel; None if it runs
    patch: str  # the lines from "--- a/..." on

    def is_refused_by(self, said: str) -> bool:
        """Return whether a program that said this said the refusal."""
        parts = (re.escape(part) for part in (self.refusal or "").split("..."))
        return self.refusal is not None and re.search(".*?".join(parts), said) is not None

    @property
    def needs_machine_code(self) -> bool:
        """True if one of the counts is of the machine code."""
        return any(change.path.startswith("sass/") for change in self.changes)


def path_of(rung: lessons.Rung) -> Path:
    """Return where a rung's try is kept."""
    return rung.folder / FILE_NAME


def load(path: Path) -> Try:
    """Return the try of the rung in whose folder ``path`` is.

    Raises EvidenceError, in one sentence, unless it is whole, changes the rung's own kernel and
    nothing else, and its counts before the change are those of the ladder's counts record.
    """
    path = Path(path)
    folder = path.absolute().parent
    repo = folder.parents[2]
    found = parse(read_text(path), lessons.rung(repo, folder.parent.name, folder.name), str(path))
    if found.changes:
        record = records.load_counts(records.counts_path(repo, folder.parent.name))
        _require_recorded(found, lessons.order_and_name(folder.name)[1], record, str(path))
    return found


def parse(text: str, rung: lessons.Rung, where: str) -> Try:
    """Return the try that ``text`` is, without a look at the counts record.

    ``where`` names the text in an error. Raises EvidenceError, in one sentence, if it is none.
    """
    head, patch = _split(text, where)
    _require_patch(patch, rung, where)
    why, _, rest = head.strip().partition("\n\n")
    if not why or _said(why.split("\n")[0]):
        raise EvidenceError(f"{where}: begins with no paragraph that says why")
    refusal, changes = None, []
    for line in filter(None, rest.split("\n")):
        said = _said(line)
        if said is None:
            raise EvidenceError(
                f"{where}: {line!r} is no count of the head; "
                "write 'PATH: N becomes N', 'PATH: stays N' or 'refused: TEXT'"
            )
        if isinstance(said, str) and refusal is not None:
            raise EvidenceError(f"{where}: has two refusals; a program stops at the first")
        if isinstance(said, str):
            refusal = said
            continue
        if said.path in [change.path for change in changes]:
            raise EvidenceError(f"{where}: {said.path} stands twice")
        if said.stays and " becomes " in line:
            raise EvidenceError(
                f"{where}: {said.path} becomes what it was; "
                f"write '{said.path}: stays {line.rpartition(' ')[2]}'"
            )
        changes.append(said)
    if not changes and refusal is None:
        raise EvidenceError(f"{where}: names no count and no refusal; nothing could be checked")
    if changes and refusal is not None:
        raise EvidenceError(f"{where}: names counts and a refusal; what is refused is not counted")
    return Try(" ".join(why.split()), tuple(changes), refusal, patch)


def same(said: int | float, counted: int | float) -> bool:
    """Return whether a count of a head is a count of a record, to the last digit."""
    return Decimal(repr(said)) == Decimal(repr(counted))


def _said(line: str) -> Change | str | None:
    """Return the count or the refusal that a line of the head states; None if it is neither."""
    if refused := _REFUSED.fullmatch(line):
        return refused["text"]
    match = _COUNT.fullmatch(line)
    if match is None:
        return None
    before, after = (_number(match[name] or match["same"]) for name in ("before", "after"))
    return Change(match["path"], before, after)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _split(text: str, where: str) -> tuple[str, str]:
    """Return the head and the patch, which begins at the first line of ``--- ``."""
    start = re.search(r"(?m)^--- ", text)
    if start is None:
        raise EvidenceError(f"{where}: has no patch; it begins with a line '--- a/lessons/...'")
    return text[: start.start()], text[start.start() :]


def _require_patch(patch: str, rung: lessons.Rung, where: str) -> None:
    """Raise EvidenceError unless a patch changes the rung's kernel, and that file alone."""
    file = "/".join(rung.source.parts[-4:])
    lines = patch.split("\n")
    if len(lines) < 2 or not lines[1].startswith("+++ "):
        raise EvidenceError(f"{where}: the line behind {lines[0]!r} must begin with '+++ '")
    left = {" ": 0, "-": 0, "+": 0}  # lines that the hunk still has, by their sign
    hunks = 0
    for number, line in enumerate(lines):
        if left[" "] > 0 or left["-"] > 0 or left["+"] > 0:
            _take(line, left, where)
        elif line.startswith(("--- ", "+++ ")):
            side = "a" if line.startswith("-") else "b"
            if number > 1 or line[4:] != f"{side}/{file}":
                raise EvidenceError(f"{where}: {line!r}: a try changes {file} and nothing else")
        elif line.startswith("@@ "):
            left = _hunk(line, where)
            hunks += 1
        elif line:
            raise EvidenceError(f"{where}: {line!r} stands between the hunks of the patch")
    if any(left.values()):
        raise EvidenceError(f"{where}: the patch ends inside a hunk")
    if not hunks:
        raise EvidenceError(f"{where}: the patch has no hunk, a line that begins with '@@ '")


def _hunk(line: str, where: str) -> dict[str, int]:
    """Return how many lines a hunk has of the old file and of the new one, by its first line."""
    match = re.match(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", line)
    if match is None:
        raise EvidenceError(f"{where}: {line!r} is no first line of a hunk")
    return {" ": 0, "-": int(match[1] or 1), "+": int(match[2] or 1)}


def _take(line: str, left: dict[str, int], where: str) -> None:
    """Count one line of a hunk off what the hunk still has."""
    sign = line[:1] or " "  # an empty line is an empty line of both files
    if sign not in left:
        raise EvidenceError(f"{where}: {line!r} is no line of a hunk")
    for side in "-+":
        if sign in (side, " "):
            left[side] -= 1
    if min(left.values()) < 0:
        raise EvidenceError(f"{where}: a hunk has more lines than its first line says")


def _require_recorded(found: Try, name: str, record: dict, where: str) -> None:
    """Raise EvidenceError unless every count before the change is the record's."""
    known = {entry["name"]: entry for entry in record["rungs"]}
    if name not in known:
        raise EvidenceError(f"{where}: {name} is not counted yet; ./course counts --save does it")
    rung = known[name]
    for change in found.changes:
        kind = change.path.partition("/")[0]
        if kind not in COUNTED or numbers.is_of_one_line(change.path):
            raise EvidenceError(
                f"{where}: {change.path} is no path of what is counted, "
                "such as ptx/barriers or sass/registers"
            )
        try:
            counted = numbers.look_up(rung["counts"], change.path)
        except numbers.NumberError as error:
            raise EvidenceError(f"{where}: of {rung['key']} {error}") from None
        if not same(change.before, counted):
            raise EvidenceError(
                f"{where}: {change.path} is {counted} before the change, not {change.before}"
            )
