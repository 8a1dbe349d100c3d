"""Marked regions of a source file.

A region stands between ``// [name]`` and ``// [/name]``, each on a line of its own. A marker that
is missing, stands twice or in the wrong order is an error, so that no page quietly shows the wrong
code.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from evidence.errors import EvidenceError

_NAMESPACE = re.compile(r"namespace \S+ \{")
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


def source_region(path: Path, name: str) -> Region:
    """Return the region ``name`` of a kernel file.

    A kernel file has one order: claim, constants, kernel, launch, description. So the region
    ``constants`` needs no markers: it is what stands between the namespace and the kernel.
    Raises EvidenceError if a line that begins or ends the region is not there exactly once.
    """
    if name != "constants":
        return region(path, name)
    region(path, "kernel")  # its markers end the constants; they are held to the same rules
    lines = path.read_text(encoding="utf-8").splitlines()
    opening = [index for index, line in enumerate(lines) if _NAMESPACE.fullmatch(line)]
    if len(opening) != 1:
        raise EvidenceError(f"{path}: {len(opening)} lines open a namespace; it must be one")
    first = opening[0] + 1
    last = next(index for index, line in enumerate(lines) if line.strip() == "// [kernel]")
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    if first >= last:
        raise EvidenceError(f"{path}: there are no constants between the namespace and the kernel")
    return Region(first + 1, lines[first:last])


def _only_line(lines: list[str], marker: str, where: str) -> int:
    """Return the index of the one line that is ``marker``."""
    found = [index for index, line in enumerate(lines) if line.strip() == marker]
    if len(found) != 1:
        times = "is missing" if not found else f"stands {len(found)} times"
        raise EvidenceError(f"{where}: the line {marker} {times}; it must stand once")
    return found[0]
