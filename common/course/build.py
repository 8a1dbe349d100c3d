"""CMake: configured when something it depends on changed, built by target."""

import json
import os
import re
from pathlib import Path

from course import environment, packages, toolkit
from course.errors import CANNOT_RUN_HERE, CourseError
from course.places import Places, locked, make_build_folder
from course.processes import Failed, watched
from course.terminal import say, shown

# CMake's targets for the CUDA runtimes that a program finds beside itself: the CPU device, and the
# toolkit's own.
RUNTIMES = ["rungs_cpu_device", "rungs_cudart_copy"]

# CMake's target for the instruments as a library: what Python peers are measured with.
INSTRUMENTS = ["rungs_measure_library"]


def build(
    places: Places, what: str, targets: list[str], root: str | None, verbose: bool = False
) -> None:
    """Build targets, after setting up and configuring what that needs.

    ``what`` says to the reader what is built. ``root`` is the folder of a system toolkit; None
    stands for the pinned one. Raises CourseError in one sentence; what a compiler says of a source
    goes to stderr before.
    """
    packages.require_compiler()
    make_build_folder(places)
    packages.ensure([packages.CLI11, packages.GTEST], places, verbose)
    environment.ensure(places, [environment.COMPILER], verbose)
    with locked(places.build, shown(places.build)):
        _configure(places, root, verbose)
        _build(places, what, targets, verbose)


def require_built(places: Places, program: Path) -> None:
    """Raise CourseError unless a carried build holds this program."""
    if not os.access(program, os.X_OK):
        raise CourseError(
            f"{shown(program)} is not there to run without a build; carry build/bin along, "
            "or leave --no-build out",
            CANNOT_RUN_HERE,
        )


def _configure(places: Places, root: str | None, verbose: bool) -> None:
    """Run CMake's configuring step unless it was run with the same settings before."""
    architectures = ["90", *(a for a in toolkit.own_architectures() if a != "90")]
    folder = toolkit.system_root(root) if root else toolkit.pinned_root(places)
    settings = {
        "RUNGS_CUDA_ROOT": str(folder),
        "RUNGS_ARCHITECTURES": ";".join(architectures),
        "RUNGS_PYTHON": str(environment.python(places)),
        "CMAKE_BUILD_TYPE": "Release",
        "BUILD_TESTING": "ON",
    }
    stamp = places.build / "rungs-configured.json"
    state = {"settings": settings, "repo": str(places.repo), "cxx": os.environ.get("CXX", "")}
    if _holds(stamp, state) and (places.build / "build.ninja").is_file():
        return
    targets = ", ".join(f"sm_{number}" for number in architectures)
    say(f"Configuring {shown(places.build)} for {targets} with {shown(folder)}.")
    stamp.unlink(missing_ok=True)
    command = ["cmake", "-S", places.repo, "-B", places.build, "-G", "Ninja", "--fresh"]
    command += [f"-D{name}={value}" for name, value in settings.items()]
    log = places.logs / "configure.log"
    try:
        _run(places, command, "cmake", log, verbose)
    except Failed as failed:
        raise CourseError(f"{_cmake_error(failed.output)}; see {shown(log)}") from None
    stamp.write_text(json.dumps(state), encoding="utf-8")


def _build(places: Places, what: str, targets: list[str], verbose: bool) -> None:
    say(f"Building {what} in {shown(places.build)}.")
    log = places.logs / "build.log"
    command = ["cmake", "--build", places.build, "--target", *targets]
    try:
        _run(places, command, "building", log, verbose)
    except Failed as failed:
        if not verbose:
            say(_compiler_said(failed.output))
        raise CourseError(f"the build failed; everything it printed is in {shown(log)}") from None


def _run(places: Places, command: list, what: str, log: Path, verbose: bool) -> None:
    environment_of_tools = environment.tool_environment(places, LC_ALL="C.UTF-8")
    program = places.venv / "bin" / command[0]
    watched([program, *command[1:]], what, log, verbose, env=environment_of_tools)


def _holds(stamp: Path, state: dict) -> bool:
    try:
        return json.loads(stamp.read_text(encoding="utf-8")) == state
    except (OSError, ValueError):
        return False


def _cmake_error(output: str) -> str:
    """Return CMake's first error as one sentence."""
    found = re.search(r"CMake Error[^\n]*:\n\n?((?:  [^\n]*\n|\n(?=  ))+)", output)
    if found is None:
        found = re.search(r"CMake Error: ([^\n]*)", output)
    text = " ".join(found.group(1).split()) if found else "it gave no reason"
    return f"CMake cannot configure: {text.rstrip('.')}"


def _compiler_said(output: str) -> str:
    """Return what the failed steps printed, without the steps' long command lines."""
    lines = output.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("FAILED:")), 0)
    kept, skip = [], False
    for line in lines[start:]:
        if line.startswith("FAILED:"):
            skip = True  # the command line comes next
        elif skip:
            skip = False
        elif not re.match(r"\[\d+/\d+\]|ninja: build stopped", line):
            kept.append(line)
    return "\n".join(kept[-60:])
