"""Run every test that can run on this machine; say of the others why they cannot.

Labels: unit, lesson, counts, negative, tools, site, gpu. Further arguments go to ctest.
"""

import argparse
import os
import shutil
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from course import build, environment, packages
from course.errors import CANNOT_RUN_HERE, CHECK_FAILED, WRONG_USE, CourseError
from course.places import Places, make_build_folder
from course.processes import foreground
from course.terminal import say

NAME = "test"
HELP = "run every test that runs on this machine"


@dataclass(frozen=True)
class Result:
    """What became of one test."""

    name: str
    state: str  # passed, failed or skipped
    reason: str  # why it was skipped


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--label", metavar="L", help="only the tests with this label")
    parser.add_argument("--list", action="store_true", help="list the tests, run none")
    parser.add_argument(
        "--no-build", action="store_true", help="test a carried build folder with PATH's ctest"
    )
    parser.add_argument("--toolkit", metavar="PATH", default=os.environ.get("RUNGS_CUDA_ROOT"))
    parser.add_argument("ctest", nargs=argparse.REMAINDER, metavar="ARGS", help="go to ctest")


def run(options, places: Places) -> int:
    """Run the command."""
    make_build_folder(places)
    if options.no_build:
        ctest = _carried_ctest(places)
    else:
        packages.require_compiler()
        environment.ensure(places, [environment.COMPILER, environment.SITE], options.verbose)
        build.build(places, "everything", ["all"], options.toolkit, options.verbose)
        ctest = places.venv / "bin" / "ctest"
    results = places.logs / "tests.xml"
    results.unlink(missing_ok=True)
    command = [ctest, "--test-dir", places.build]
    if options.label:
        command += ["--label-regex", f"^{options.label}$"]
    if options.list:
        command.append("--show-only")
    else:
        jobs = os.environ.get("CTEST_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
        command += ["--output-on-failure", "--no-tests=error", "--parallel", jobs]
        command += ["--output-junit", results]
        say("Testing.")
    tools = environment.tool_environment(places, LC_ALL="C.UTF-8")
    code = foreground([*command, *options.ctest], env=tools)
    if options.list:
        return CHECK_FAILED if code else 0
    if not results.is_file():
        raise CourseError(
            "ctest ran no test; ./course test --list shows those there are", WRONG_USE
        )
    return _summary(read_results(results), code)


def _carried_ctest(places: Places) -> str:
    """Return the ctest on PATH. Raises CourseError if it, or the list of tests, is missing."""
    if not (places.build / "CTestTestfile.cmake").is_file():
        raise CourseError(
            f"{places.build} holds no list of tests; carry the build folder's CTestTestfile.cmake "
            "files along with its bin, to the same path, or leave --no-build out",
            CANNOT_RUN_HERE,
        )
    ctest = shutil.which("ctest")
    if ctest is None:
        raise CourseError(
            "there is no ctest on PATH; install CMake, or leave --no-build out", CANNOT_RUN_HERE
        )
    return ctest


def _summary(results: list[Result], code: int) -> int:
    """Print the skipped tests with their reasons, and how many there were of each; last line."""
    counted = dict.fromkeys(("passed", "failed", "skipped"), 0)
    for result in results:
        counted[result.state] += 1
        if result.state == "skipped":
            print(f"skipped: {result.name}: {result.reason}")
    print(", ".join(f"{count} {state}" for state, count in counted.items()), flush=True)
    return CHECK_FAILED if code or counted["failed"] or not counted["passed"] else 0


def read_results(path: Path) -> list[Result]:
    """Return what CTest's JUnit file says of each test."""
    found = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        state = {"run": "passed", "fail": "failed"}.get(case.get("status"), "skipped")
        lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines()]
        lines = [line for line in lines if line]
        given = skipped.get("message", "") if skipped is not None else ""
        reason = (lines[-1] if lines else given or "no reason given").removeprefix("skipped: ")
        found.append(Result(case.get("name", "?"), state, reason))
    return found
