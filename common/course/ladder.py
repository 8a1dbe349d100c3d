"""The programs of a ladder: which to build, how to run them, and what they wrote."""

import os
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
    parser.add_argument(
        "--no-build", action="store_true", help="run a carried build: no pip, CMake or network"
    )
    parser.add_argument(
        "--toolkit",
        metavar="PATH",
        default=os.environ.get("RUNGS_CUDA_ROOT"),
        help="build with this CUDA toolkit instead of the pinned one (or RUNGS_CUDA_ROOT)",
    )
    parser.add_argument("--threads", metavar="N", help="threads of the CPU device")


def split(repo: Path, name: str) -> tuple[str, str | None]:
    """Return (ladder, rung or None) of LADDER or LADDER/RUNG.

    Raises CourseError, with the names there are, if there is no such ladder or rung.
    """
    ladder, _, rung = name.partition("/")
    try:
        lessons.rungs(repo, ladder)
        if "/" in name:
            lessons.rung(repo, ladder, rung)
    except EvidenceError as error:
        raise CourseError(str(error), WRONG_USE) from None
    return ladder, rung if "/" in name else None


def find_rung(repo: Path, name: str) -> lessons.Rung:
    """Return the rung called LADDER/RUNG, or RUNG if only one ladder has it.

    Raises CourseError if there is none, or more than one.
    """
    if "/" in name:
        ladder, rung = split(repo, name)
        return lessons.rung(repo, ladder, rung)
    found = [
        rung
        for ladder in lessons.ladders(repo)
        for rung in lessons.rungs(repo, ladder)
        if rung.name == name
    ]
    if len(found) == 1:
        return found[0]
    keys = [rung.key for rung in found]
    keys = keys or [r.key for lad in lessons.ladders(repo) for r in lessons.rungs(repo, lad)]
    what = "more than one rung" if found else "no rung"
    raise CourseError(f"there is {what} {name!r}; there is {', '.join(keys)}", WRONG_USE)


def prepare(places: Places, ladder: str, options) -> Path:
    """Build the programs of a ladder, unless a carried build is asked for; return the ladder's."""
    program = places.bin / ladder
    if options.no_build:
        build.require_built(places, program)
    else:
        names = [f"{ladder}-{rung.name}" for rung in lessons.rungs(places.repo, ladder)]
        targets = [ladder, *names, *build.RUNTIMES]
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
