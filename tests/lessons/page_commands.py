"""The commands that the pages show: read out of their text, and held to the command's own parser.

Nothing is run here. A console block's line begins with ``$``; behind two spaces stands a note.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from programs import BIN, REPO, run

from course import ladder
from course.errors import CourseError
from course.main import parser
from evidence import EvidenceError, lessons

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`((?:\./course|build/bin/)[^`]*)`(?!`)")
_PARSER = parser(REPO)
_MADE = re.compile(r"lessons/([a-z-]+)/x?\d+-([a-z0-9-]+)$")


@dataclass(frozen=True)
class Command:
    """One command line of a page."""

    page: Path
    words: tuple[str, ...]
    made: frozenset[str] = frozenset()  # rungs that the page makes before it, LADDER/RUNG

    @property
    def text(self):
        """The line as one would type it."""
        return shlex.join(self.words)


def page_files():
    """Return every page whose commands are held."""
    lessons_pages = sorted((REPO / "lessons").rglob("README.md"))
    return [REPO / "README.md", *sorted((REPO / "docs").glob("*.md")), *lessons_pages]


def commands_of(page):
    """Return the commands of a page's console blocks that are the course's own, in its order."""
    found, made = [], set()
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if not line.startswith("$ "):
                continue
            words = tuple(shlex.split(re.split(r" {2,}", line[2:].strip())[0]))
            if words[0] == "./course" or words[0].startswith("build/bin/"):
                found.append(Command(page, words, frozenset(made)))
            elif words[0] == "cp" and (match := _MADE.search(words[-1])):
                made.add(f"{match[1]}/{match[2]}")
    return found


def inline_of(page):
    """Return the commands in a page's text; they may hold words to be replaced."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
    return [Command(page, tuple(m.split())) for m in _INLINE.findall(text)]


def fault(command):
    """Return what is wrong with a command, in one sentence; empty if nothing is."""
    try:
        if command.words[0] == "./course":
            _require_names(command, parsed(command))
        else:
            _require_program(command.words)
    except (CourseError, EvidenceError) as error:
        return str(error)
    return ""


def fault_of_inline(command):
    """Return which option of a command in the text is none; words to be replaced are let pass."""
    name, *rest = command.words
    options = {re.split(r"[=\]]", word.strip("[]"))[0] for word in rest if "--" in word[:3]}
    if name == "./course":
        if not rest or rest[0].startswith(("-", "COMMAND", "...")):
            return ""
        known = _subparsers().get(rest[0])
        if known is None:
            return f"there is no command {rest[0]}"
        unknown = options - set(known._option_string_actions)
    elif re.search(r"[A-Z.]", name) or (BIN / name.removeprefix("build/bin/")).is_dir():
        return ""
    else:
        program = BIN / name.removeprefix("build/bin/")
        if not program.is_file():
            return f"there is no program {name}"
        unknown = {option for option in options if option not in _help(program)}
    return f"no option of {name}: {', '.join(sorted(unknown))}" if unknown else ""


def parsed(command):
    """Return the options of a ./course command. Raises CourseError where the command would."""
    options, unknown = _PARSER.parse_known_args(command.words[1:])
    if unknown:
        raise CourseError(f"unrecognized arguments: {' '.join(unknown)}")
    return options


def _subparsers():
    return next(a.choices for a in _PARSER._actions if isinstance(a.choices, dict))


def _require_names(command, options):
    """Raise unless every ladder and rung that a command names is there, or made by its page."""
    name = command.words[1]
    if name == "run" and options.what not in command.made:
        ladder.split_or_find(REPO, options.what)
    if name == "diff":
        for rung in (options.before, options.after):
            if rung not in command.made:
                ladder.find_rung(REPO, rung)
    if getattr(options, "ladder", None) is not None:
        ladder.split(REPO, options.ladder)
    for only in getattr(options, "only", []):
        lessons.rung(REPO, options.ladder, only)


def _require_program(words):
    program = BIN / words[0].removeprefix("build/bin/")
    if not program.is_file():
        raise CourseError(f"there is no program {words[0]}")
    for word in words[1:]:
        option = word.partition("=")[0]
        if option.startswith("--") and option not in _help(program):
            raise CourseError(f"{words[0]} has no option {option}")


def _help(program, known={}):  # noqa: B006  (asked once a program)
    if program not in known:
        known[program] = set(re.findall(r"--[a-z-]+", run(program, "--help").stdout))
    return known[program]
