"""The difference between two marked regions. Nothing here knows Sphinx."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class DiffLine:
    """One line of a difference; ``sign`` is ``" "``, ``"+"`` or ``"-"``.

    ``before`` and ``after`` are indices into the two regions' lines; None on the side that
    does not have the line.
    """

    sign: str
    before: int | None
    after: int | None


def diff_lines(
    before: Sequence[str], after: Sequence[str], context: int = 3
) -> list[list[DiffLine]]:
    """Return the difference as hunks, with up to ``context`` equal lines around each change.

    Equal regions give no hunk.
    """
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    hunks = []
    for group in matcher.get_grouped_opcodes(context):
        hunk = []
        for tag, old_low, old_high, new_low, new_high in group:
            if tag == "equal":
                pairs = zip(range(old_low, old_high), range(new_low, new_high), strict=True)
                hunk += [DiffLine(" ", old, new) for old, new in pairs]
                continue
            hunk += [DiffLine("-", old, None) for old in range(old_low, old_high)]
            hunk += [DiffLine("+", None, new) for new in range(new_low, new_high)]
        hunks.append(hunk)
    return hunks


_BEGINS = re.compile(r"(?:template|__global__|__device__|static|inline)\b")
_CALLED = re.compile(r"\b(?!__)(\w+)\(")


def function_at(lines: Sequence[str], index: int) -> str:
    """Return the name of the function whose body holds a line; empty if it is in none.

    A function begins at the left margin, and so does the brace that ends it.
    """
    for at in range(min(index, len(lines) - 1), -1, -1):
        if at < index and lines[at].startswith("}"):
            return ""
        if _BEGINS.match(lines[at]):
            head = " ".join(lines[at : index + 1]).partition("{")
            found = _CALLED.search(head[0])
            return found[1] if found and head[1] else ""
    return ""
