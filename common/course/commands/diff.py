"""Show how two rungs differ in their constants and kernels, line by line."""

import difflib
import sys
from pathlib import Path

from course import ladder
from course.places import Places
from course.terminal import shown, use_colour
from evidence import EvidenceError, lessons, regions

NAME = "diff"
HELP = "show how the kernels of two rungs differ"
REGIONS = ("constants", "kernel")  # of a rung's source, in this order

_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("before", metavar="A", help="a rung: LADDER/RUNG, or RUNG alone")
    parser.add_argument("after", metavar="B", help="another rung")


def run(options, places: Places) -> int:
    """Run the command."""
    before = ladder.find_rung(places.repo, options.before)
    after = ladder.find_rung(places.repo, options.after)
    lines = difference(places.repo, before, after)
    if not lines:
        print(f"The kernels of {before.key} and {after.key} are the same.{_rest(before, after)}")
    colour = use_colour(sys.stdout)
    for line in lines:
        start = _COLOURS.get(line[:1]) if colour else None
        print(f"{start}{line}\x1b[0m" if start else line)
    return 0


def _rest(before: lessons.Rung, after: lessons.Rung) -> str:
    """Return where the rest of two files may be compared, if it differs."""
    old, new = (rung.source for rung in (before, after))
    if old == new or old.read_bytes() == new.read_bytes():
        return ""
    return f"\nTheir files differ in launch or description: diff {shown(old)} {shown(new)}"


def difference(repo: Path, before: lessons.Rung, after: lessons.Rung) -> list[str]:
    """Return the unified difference of constants and kernels, with the files' line numbers."""
    names = [rung.source.relative_to(repo).as_posix() for rung in (before, after)]
    hunks = []
    for name in REGIONS:
        old, new = (_region(rung.source, name) for rung in (before, after))
        hunks += _hunks(old, new)
    return [f"--- {names[0]}", f"+++ {names[1]}", *hunks] if hunks else []


def _region(source: Path, name: str) -> regions.Region:
    """Return a region of a source; of one without constants an empty one."""
    try:
        return regions.source_region(source, name)
    except EvidenceError:
        if name == "kernel":
            raise
        return regions.Region(1, [])


def _hunks(old: regions.Region, new: regions.Region) -> list[str]:
    """Return the hunks of two regions, three equal lines around each change."""
    matcher = difflib.SequenceMatcher(None, old.lines, new.lines, autojunk=False)
    found = []
    for group in matcher.get_grouped_opcodes(3):
        first, last = group[0], group[-1]
        found.append(
            f"@@ -{old.first_line + first[1]},{last[2] - first[1]} "
            f"+{new.first_line + first[3]},{last[4] - first[3]} @@"
        )
        for tag, a, b, c, d in group:
            if tag == "equal":
                found += [f" {line}" for line in old.lines[a:b]]
                continue
            found += [f"-{line}" for line in old.lines[a:b]]
            found += [f"+{line}" for line in new.lines[c:d]]
    return found
