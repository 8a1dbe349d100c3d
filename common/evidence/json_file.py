"""JSON files of evidence: read strictly, written whole.

Reading refuses what JSON does not know but Python would take (NaN, Infinity, a key that stands
twice). Writing goes to a temporary file that replaces the old one only once it is on the disk.
"""

import contextlib
import json
import os
import re
import tempfile
from pathlib import Path

from evidence.errors import EvidenceError

# A list of numbers as json.dumps() indents it. No text of JSON holds a line end: none is found.
_NUMBERS = re.compile(r"\[\n\s+(-?\d[\d.eE+-]*(?:,\n\s+-?\d[\d.eE+-]*)*)\n\s+\]")


def read_json(path: Path) -> object:
    """Return what a JSON file holds. Raises EvidenceError, with the file's name, if it cannot."""
    return parse_json(read_text(path), str(path))


def read_text(path: Path) -> str:
    """Return what a text file holds. Raises EvidenceError unless it is plain UTF-8 text."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise EvidenceError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise EvidenceError(f"{path}: byte {error.start} is not UTF-8 text") from None
    if "\r" in text:
        line = text.count("\n", 0, text.index("\r")) + 1
        raise EvidenceError(
            f"{path}: line {line} has a carriage return; save it with plain line ends"
        )
    return text


def parse_json(text: str, where: str) -> object:
    """Return what JSON text holds; ``where`` names it in an error.

    Raises EvidenceError for anything that is not strict JSON.
    """
    if text.startswith("\ufeff"):
        raise EvidenceError(f"{where}: begins with a byte order mark; save it as plain UTF-8")
    if not text.strip():
        raise EvidenceError(f"{where}: is empty")
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise EvidenceError(
            f"{where}: is no JSON at line {error.lineno}, column {error.colno}: {_said(error)}"
        ) from None
    except _BadJsonError as error:
        raise EvidenceError(f"{where}: {error}") from None
    except RecursionError:
        raise EvidenceError(f"{where}: is nested too deep to be a record") from None


def json_text(value: object) -> str:
    """Return a value as the text of a record: sorted keys, one space of indent, a final line end.

    A list of plain numbers stands on one line. Equal values give equal bytes. Raises EvidenceError
    for a number that is not finite.
    """
    try:
        text = json.dumps(value, sort_keys=True, indent=1, allow_nan=False, ensure_ascii=False)
    except ValueError:
        raise EvidenceError("a record cannot hold a number that is not finite") from None
    return _NUMBERS.sub(_on_one_line, text) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that a reader finds the old or the new one, never half of it.

    What is no regular file, such as a pipe or /dev/stdout, is written as it is. Raises OSError.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as out:
            out.write(text)
        return
    target = Path(os.path.realpath(path))  # a link keeps pointing where it does
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _said(error: json.JSONDecodeError) -> str:
    """Return what Python says of bad JSON, without the "at" that its own place would follow."""
    return re.sub(r"( starting)? at$|:?\s*$", "", error.msg)


def _on_one_line(numbers: re.Match) -> str:
    return "[" + re.sub(r",\n\s+", ", ", numbers[1]) + "]"


class _BadJsonError(Exception):
    """Strictness that json.loads() does not offer."""


def _refuse_constant(name: str) -> None:
    raise _BadJsonError(f"holds {name}, which is no number of JSON")


def _unique_keys(pairs: list[tuple[str, object]]) -> dict:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _BadJsonError(f"the key {twice!r} stands twice in one object")
    return found


def _umask() -> int:
    """Return the process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
