"""The difference between two marked regions. Nothing here knows Sphinx."""

from __future__ import annotations

import difflib
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
