"""The command line, and how each kind of end is told."""

import argparse
import contextlib
import os
import re
import signal
import sys
from pathlib import Path

from course import signals
from course.commands import (
    bench,
    clean,
    counts,
    diff,
    emulate,
    evidence,
    listing,
    pages,
    plots,
    run,
    setup,
    site,
    test,
)
from course.errors import CHECK_FAILED, WRONG_USE, AlreadySaid, CourseError, Stopped
from course.places import Places
from course.terminal import say
from evidence import EvidenceError

COMMANDS = (
    *(run, test, listing, diff, counts, bench, evidence, emulate),
    *(plots, pages, site, setup, clean),
)

_ABOUT = """\
Rungs: a course in which every step of optimising a GPU kernel is a program.

  ./course run                       build, check and count the matmul ladder
  ./course run matmul/transposed-a   one rung and the one before it
  ./course diff quad-reads transposed-a
  ./course bench                     measure the ladder on a GPU

Each command prints what it is about to do. It needs a C++ compiler; the rest it installs
into .venv by itself. --help after a command says more.
"""


class HelpFormatter(argparse.HelpFormatter):
    """Paragraphs are filled to the terminal's width; indented lines stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        filled = []
        for part in text.strip().split("\n\n"):
            is_plain = not re.search(r"(?m)^ ", part)
            filled.append(super()._fill_text(part, width, indent) if is_plain else part)
        return "\n\n".join(filled)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence."""

    def __init__(self, **options):
        options.setdefault("formatter_class", HelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str):
        """Say what is wrong with the command line. Raises CourseError."""
        raise CourseError(f"{message}; see {self.prog} --help", WRONG_USE)


def main(repo: Path, arguments: list[str]) -> int:
    """Run one command; return its exit code.

    0 is good, 1 a check or a test failed, 2 wrong use, 77 cannot run here, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")
    signals.install()
    try:
        code = _command(repo, arguments)
        sys.stdout.flush()
        return code
    except AlreadySaid as error:
        return error.code
    except (CourseError, EvidenceError) as error:
        say(f"course: {error}")
        return getattr(error, "code", CHECK_FAILED)
    except BrokenPipeError:
        _drop_output()  # the reader of our output has had enough
        return 128 + signal.SIGPIPE
    except OSError as error:
        _drop_output()
        name = f"{error.filename}: " if error.filename else ""
        say(f"course: cannot go on: {name}{error.strerror or error}")
        return CHECK_FAILED
    except KeyboardInterrupt:
        say("course: interrupted")
        return 128 + signal.SIGINT
    except Stopped as stopped:
        return stopped.code


def parser(repo: Path) -> Parser:
    """Return the parser of the whole command line."""
    top = Parser(prog="./course", description=_ABOUT)
    commands = top.add_subparsers(metavar="COMMAND", title="commands", parser_class=Parser)
    for module in COMMANDS:
        sub = commands.add_parser(module.NAME, help=module.HELP, description=module.__doc__)
        _common_options(sub)
        module.add_arguments(sub)
        sub.set_defaults(module=module)
    return top


def _common_options(sub: Parser) -> None:
    """Add what every command takes."""
    group = sub.add_argument_group("where and how")
    group.add_argument("--build", metavar="DIR", help="the build folder (default: build)")
    group.add_argument("--verbose", action="store_true", help="show what other programs print")


def _command(repo: Path, arguments: list[str]) -> int:
    top = parser(repo)
    first = arguments[0] if arguments else "--help"
    names = [module.NAME for module in COMMANDS]
    if not first.startswith("-") and first not in names:
        raise CourseError(f"there is no command {first!r}; there is {', '.join(names)}", WRONG_USE)
    if first == run.NAME:
        arguments = _with_shape_joined(arguments)
    try:
        options, unknown = top.parse_known_args(arguments or ["--help"])
    except SystemExit as done:  # --help
        return int(done.code or 0)
    if unknown:
        prog = f"{top.prog} {first}" if first in names else top.prog
        raise CourseError(
            f"unrecognized arguments: {' '.join(unknown)}; see {prog} --help", WRONG_USE
        )
    if not hasattr(options, "module"):
        top.error("a command is missing")
    build = Path(options.build).expanduser().absolute() if options.build else repo / "build"
    return options.module.run(options, Places(repo, build))


def _with_shape_joined(arguments: list[str]) -> list[str]:
    """Return the arguments with ``--shape -5,1,1`` as one: argparse takes a minus for an option."""
    for at in range(len(arguments) - 1):
        if arguments[at] == "--shape" and re.match(r"-\d", arguments[at + 1]):
            joined = f"{arguments[at]}={arguments[at + 1]}"
            return [*arguments[:at], joined, *arguments[at + 2 :]]
    return arguments


def _drop_output() -> None:
    """Send what is still to be written nowhere, so that Python's own end says nothing."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
