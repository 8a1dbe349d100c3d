"""Show how the kernels of two rungs differ: their marked regions, line by line."""

import difflib
import sys
from pathlib import Path

from course import ladder
from course.places import Places
from course.terminal import shown, use_colour
from evidence import lessons, regions

NAME = "diff"
HELP = "show how the kernels of two rungs differ"

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
    return (
        f"\nTheir files differ in constants, launch or description: diff {shown(old)} {shown(new)}"
    )


def difference(repo: Path, before: lessons.Rung, after: lessons.Rung) -> list[str]:
    """Return the unified difference of two kernels, with the line numbers of their files."""
    old, new = regions.region(before.source, "kernel"), regions.region(after.source, "kernel")
    names = [rung.source.relative_to(repo).as_posix() for rung in (before, after)]
    matcher = difflib.SequenceMatcher(None, old.lines, new.lines, autojunk=False)
    found = [f"--- {names[0]}", f"+++ {names[1]}"]
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
    return found if len(found) > 2 else []
