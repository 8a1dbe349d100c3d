"""Marked regions of a source file.

A region stands between ``// [name]`` and ``// [/name]``, each on a line of its own. A marker that
is missing, stands twice or in the wrong order is an error, so that no page quietly shows the wrong
code.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from evidence.errors import EvidenceError

_MARKER = re.compile(r"\s*// \[/?[a-z][a-z0-9-]*\]\s*")


@dataclass(frozen=True)
class Region:
    """The lines between two markers, without the markers."""

    first_line: int  # the number of the first line in its file, counted from 1
    lines: list[str]  # without line ends; other regions' markers are left out

    @property
    def text(self) -> str:
        """The region as one string."""
        return "\n".join(self.lines) + "\n"


def region(path: Path, name: str) -> Region:
    """Return the region ``name`` of the file ``path``.

    Raises EvidenceError if the file or one of the two markers is not there exactly once.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise EvidenceError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise EvidenceError(f"{path} is not UTF-8 text") from None
    return region_of(text, name, str(path))


def region_of(text: str, name: str, where: str) -> Region:
    """Return the region ``name`` of source ``text``; ``where`` names the source in an error."""
    lines = text.splitlines()
    first = _only_line(lines, f"// [{name}]", where)
    last = _only_line(lines, f"// [/{name}]", where)
    if last < first:
        raise EvidenceError(f"{where}: // [/{name}] stands before // [{name}]")
    inside = [line for line in lines[first + 1 : last] if not _MARKER.fullmatch(line)]
    return Region(first + 2, inside)


def _only_line(lines: list[str], marker: str, where: str) -> int:
    """Return the index of the one line that is ``marker``."""
    found = [index for index, line in enumerate(lines) if line.strip() == marker]
    if len(found) != 1:
        times = "is missing" if not found else f"stands {len(found)} times"
        raise EvidenceError(f"{where}: the line {marker} {times}; it must stand once")
    return found[0]
