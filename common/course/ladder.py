"""The programs of a ladder: which to build, how to run them, and what they wrote."""

import os
import re
import tempfile
from pathlib import Path

from course import build
from course.errors import CANNOT_RUN_HERE, CHECK_FAILED, WRONG_USE, AlreadySaid, CourseError
from course.places import Places
from course.processes import Failed, watched
from evidence import EvidenceError, lessons, records
from evidence.json_file import read_json

DEFAULT = "matmul"


def add_options(parser) -> None:
    """Add the options of the commands that run a ladder."""
    add_build_options(parser)
    parser.add_argument("--threads", metavar="N", help="threads of the CPU device")


def add_build_options(parser) -> None:
    """Add the options that say what is built, and with which toolkit."""
    parser.add_argument(
        "--no-build", action="store_true", help="run a carried build: no pip, CMake or network"
    )
    parser.add_argument(
        "--toolkit",
        metavar="PATH",
        default=os.environ.get("RUNGS_CUDA_ROOT"),
        help="build with this CUDA toolkit instead of the pinned one (or RUNGS_CUDA_ROOT)",
    )


def require_threads(text: str | None) -> None:
    """Raise CourseError unless --threads is left out or a number that the CPU device takes."""
    if text is not None and not (re.fullmatch("[0-9]{1,9}", text) and 1 <= int(text) <= 1024):
        raise CourseError(f"--threads {text!r} is not a number from 1 to 1024", WRONG_USE)


def require_shape(repo: Path, ladder: str, text: str | None) -> None:
    """Raise CourseError unless --shape is left out or a list of sizes.

    How many there are is held to the ladder's record, if it was counted; what sizes an operation
    and a rung take, 0 among them, their program says.
    """
    if text is None:
        return
    words, count = text.split(","), _size_count(repo, ladder)
    whole = all(re.fullmatch("[0-9]{1,10}", word) and int(word) < 2**31 for word in words)
    if not whole or (count and len(words) != count):
        what = f"{count} whole numbers" if count else "whole numbers"
        raise CourseError(
            f"--shape {text!r} is not {what} from 0 to {2**31 - 1} with commas between", WRONG_USE
        )


def _size_count(repo: Path, ladder: str) -> int | None:
    """Return how many sizes a ladder's shape has, from its record; None if it has no record."""
    try:
        return len(records.load_counts(records.counts_path(repo, ladder))["shape"])
    except EvidenceError:
        return None


def split(repo: Path, name: str) -> tuple[str, str | None]:
    """Return (ladder, rung or None) of LADDER or LADDER/RUNG; a rung's folder is its name too.

    Raises CourseError, with the names there are, if there is no such ladder or rung.
    """
    if name.startswith("lessons/"):  # a path that the shell completed
        name = name.removeprefix("lessons/").rstrip("/")
    ladder, _, rung = name.partition("/")
    try:
        lessons.rungs(repo, ladder)
        found = lessons.rung(repo, ladder, rung) if "/" in name else None
    except EvidenceError as error:
        raise CourseError(str(error), WRONG_USE) from None
    return ladder, found.name if found else None


def split_or_find(repo: Path, name: str) -> tuple[str, str | None]:
    """Return (ladder, rung or None) of LADDER, LADDER/RUNG, or RUNG if only one ladder has it."""
    if "/" not in name and name not in lessons.ladders(repo):
        found = _rungs_called(repo, name)
        if len(found) == 1:
            return found[0].ladder, found[0].name
    return split(repo, name)


def _rungs_called(repo: Path, name: str) -> list[lessons.Rung]:
    """Return the rungs of all ladders that have this name, or this folder."""
    return [
        rung
        for ladder in lessons.ladders(repo)
        for rung in lessons.rungs(repo, ladder)
        if name in (rung.name, rung.folder.name)
    ]


def find_rung(repo: Path, name: str) -> lessons.Rung:
    """Return the rung called LADDER/RUNG, or RUNG if only one ladder has it; a folder's name too.

    Raises CourseError if there is none, or more than one.
    """
    if "/" in name:
        ladder, rung = split(repo, name)
        return lessons.rung(repo, ladder, rung)
    found = _rungs_called(repo, name)
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(rung.key for rung in found)
        raise CourseError(f"there is more than one rung {name!r}: {keys}", WRONG_USE)
    every = [rung for lad in lessons.ladders(repo) for rung in lessons.rungs(repo, lad)]
    words = lessons.hint(name, {rung.key: rung.name for rung in every})
    raise CourseError(f"there is no rung {name!r}; {words}", WRONG_USE)


def prepare(places: Places, ladder: str, options) -> Path:
    """Build the programs of a ladder, unless a carried build is asked for; return the ladder's.

    Raises CourseError for a --threads that the program would refuse.
    """
    require_threads(getattr(options, "threads", None))
    program = places.bin / ladder
    if options.no_build:
        build.require_built(places, program)
    else:
        names = [f"{ladder}-{rung.name}" for rung in lessons.rungs(places.repo, ladder)]
        targets = [ladder, *names, *build.RUNTIMES, *build.INSTRUMENTS]
        build.build(places, f"the {ladder} ladder", targets, options.toolkit, options.verbose)
    return program


def run_document(
    program: Path, arguments: list[str], what: str, verbose: bool = False
) -> tuple[dict, str, int]:
    """Run a ladder's program; return its document, the document's text, and its exit code.

    The program's own errors go to stderr. Raises CourseError with the program's exit code if it
    wrote no document; AlreadySaid if that code means that it has said why.
    """
    with tempfile.TemporaryDirectory(prefix="rungs-") as folder:
        path = Path(folder) / "run.json"
        code = 0
        try:
            watched(
                [program, *arguments, "--json", path],
                what,
                verbose=verbose,
                merge_errors=False,
            )
        except Failed as failed:
            code = failed.code
        if not path.is_file() and code in (WRONG_USE, CANNOT_RUN_HERE):
            raise AlreadySaid(code)
        if not path.is_file():
            ending = f"ended with exit code {code}" if code else "wrote no document"
            raise CourseError(f"{program.name} {ending}", code or CHECK_FAILED)
        return records.load_run(path), path.read_text(encoding="utf-8"), code


def describe(program: Path, verbose: bool = False) -> dict:
    """Return the descriptions of a ladder's rungs, as its program knows them."""
    with tempfile.TemporaryDirectory(prefix="rungs-") as folder:
        path = Path(folder) / "describe.json"
        try:
            watched(
                [program, "--describe", "--json", path],
                "reading",
                None,
                verbose,
                merge_errors=False,
            )
        except Failed as failed:
            raise CourseError(f"{program.name} --describe failed", failed.code) from None
        return read_json(path)
