"""The parts of a kernel file that a page shows. Nothing here knows Sphinx."""

from __future__ import annotations

import re
from pathlib import Path

from evidence import EvidenceError
from evidence.regions import Region, region

_NAMESPACE = re.compile(r"namespace \S+ \{")
_KERNEL = "// [kernel]"


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
    last = next(index for index, line in enumerate(lines) if line.strip() == _KERNEL)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    if first >= last:
        raise EvidenceError(f"{path}: there are no constants between the namespace and the kernel")
    return Region(first + 1, lines[first:last])
