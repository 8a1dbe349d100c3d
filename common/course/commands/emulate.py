"""Run any CUDA program without a GPU, and print what its kernels did.

Build it with CUDA 13, the shared runtime and line information:

  nvcc -cudart shared -lineinfo my-program.cu -o my-program
  ./course emulate --lines ./my-program its arguments

./course setup installs such an nvcc and prints its path. -lineinfo puts the source lines into the
counts and into the message of a fault. The program must carry PTX, as nvcc's output does unless it
is told otherwise. Faults are found with kernel, source line, block, thread and address: out of
bounds, misaligned, races in shared memory, reads of what was never written.

Options of ./course stand before PROGRAM. The exit code is the program's own; where that is 0
though the CPU device stopped a kernel, it is 1, or 77 for what the CPU device does not support.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from course import build, elf
from course.errors import CANNOT_RUN_HERE, CHECK_FAILED, WRONG_USE, AlreadySaid, CourseError
from course.ladder import require_threads
from course.output import deliver, require_writable
from course.places import Places
from course.processes import foreground
from course.tables import kernel_text, lines_table
from course.terminal import say, shown
from evidence import records

NAME = "emulate"
HELP = "run any CUDA program without a GPU and count it"

_RUNTIME = "libcudart.so.13"
_CHECKS = ("all", "none", "race", "uninitialised")


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", metavar="FILE", help="write the counts to a file (- is stdout)")
    parser.add_argument("--lines", action="store_true", help="print counts by source line too")
    parser.add_argument("--threads", metavar="N", help="threads of the CPU device")
    parser.add_argument(
        "--checks", metavar="LIST", help="all (default), none, or race,uninitialised"
    )
    parser.add_argument("--budget", metavar="N", help="warp instructions that a block may run")
    parser.add_argument(
        "--no-build", action="store_true", help="use a carried build: no pip, CMake or network"
    )
    parser.add_argument("--toolkit", metavar="PATH", help=argparse.SUPPRESS)
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS")


def run(options, places: Places) -> int:
    """Run the program; its own exit code is passed on, unless it hides a fault."""
    _require_values(options)
    program = _find(options.program)
    _require_shared_runtime(program)
    if options.json:
        require_writable(options.json)
    device = places.bin / "cpu-device"
    if options.no_build:
        if not (device / _RUNTIME).is_file():
            raise CourseError(
                f"{device / _RUNTIME} is not there; carry build/bin along", CANNOT_RUN_HERE
            )
    else:
        build.build(places, "the CPU device", build.RUNTIMES, options.toolkit, options.verbose)
    with tempfile.TemporaryDirectory(prefix="rungs-") as folder:
        report = Path(folder) / "report.json"
        say(f"Running {shown(program)} on the CPU device.")
        sys.stdout.flush()
        code = foreground([program, *options.arguments], env=_environment(options, device, report))
        if not report.is_file():
            raise CourseError(_no_report(program, code), code or CHECK_FAILED)
        if report.stat().st_size == 0:
            raise AlreadySaid(code or CHECK_FAILED)  # the CPU device itself refused
        document = records.load_report(report)
        if options.json:
            deliver(options.json, report.read_text(encoding="utf-8"))
    if options.json != "-":
        _print(document, options.lines)
    return code or _hidden(program, document.get("faults", []))


def _hidden(program: Path, faults: list[dict]) -> int:
    """Return 0 if there are none; else say which one a program that ended well passed over."""
    if not faults:
        return 0
    first = next((fault for fault in faults if fault["kind"] == "fault"), faults[0])
    is_fault = first["kind"] == "fault"
    sys.stdout.flush()
    say(
        f"course: {program.name} ended with exit code 0, but "
        f"{'a kernel of it faulted' if is_fault else 'not all of it can run on the CPU device'}: "
        f"{first['sentence']}"
    )
    return CHECK_FAILED if is_fault else CANNOT_RUN_HERE


def _require_values(options) -> None:
    """Raise CourseError for a value that the CPU device would refuse."""
    require_threads(options.threads)
    if options.budget is not None and not re.fullmatch("0*[1-9][0-9]{0,18}", options.budget):
        raise CourseError(
            f"--budget {options.budget!r} is no positive number, such as 1000000", WRONG_USE
        )
    for word in (options.checks if options.checks is not None else "all").split(","):
        if word not in _CHECKS:
            raise CourseError(
                f"--checks {options.checks!r} is neither all nor none nor a list of race and "
                "uninitialised",
                WRONG_USE,
            )


def _no_report(program: Path, code: int) -> str:
    """Return why a program left no counts."""
    if code > 128:
        return f"{program.name} was ended by the signal {code - 128} and left no counts"
    if code:
        return f"{program.name} ended with exit code {code} and left no counts"
    return f"{program.name} left no counts: it did not use the CPU device's {_RUNTIME}"


def _environment(options, device: Path, report: Path) -> dict[str, str]:
    """Return the program's environment: the CPU device is the first runtime that it finds."""
    found = dict(os.environ)
    path = [str(device), *filter(None, [found.get("LD_LIBRARY_PATH")])]
    found["LD_LIBRARY_PATH"] = os.pathsep.join(path)
    found["RUNGS_CPU_DEVICE_REPORT"] = str(report)
    found["RUNGS_CPU_DEVICE_CHECKS"] = options.checks or "all"
    for name in ("threads", "budget"):
        if getattr(options, name) is not None:
            found[f"RUNGS_CPU_DEVICE_{name.upper()}"] = getattr(options, name)
    return found


def _find(name: str) -> Path:
    """Return the program's file, as a full path. Raises CourseError if there is none to run."""
    found = shutil.which(name)
    if found is not None:
        return Path(found).absolute()
    path = Path(name)
    if path.is_dir():
        why = "it is a folder"
    elif not path.is_file():
        why = "there is no such program"
    elif os.access(path, os.X_OK):
        why = f"it is not on the PATH; ./{name} is here"
    else:
        why = "it is not executable"
    raise CourseError(f"cannot run {name}: {why}", WRONG_USE)


def _require_shared_runtime(program: Path) -> None:
    """Raise CourseError if a program brings the CUDA runtime along, or wants another version."""
    try:
        found = elf.read(program)
    except OSError as error:
        raise CourseError(f"cannot read {program}: {error.strerror}", WRONG_USE) from None
    if found is None:
        return  # a script; what it starts will show
    runtimes = [name for name in found.needed if name.startswith("libcudart.so")]
    if not runtimes and found.has_kernels:
        raise CourseError(
            f"{program} has the CUDA runtime linked into it, so no other can take its place; "
            "build it again with nvcc -cudart shared",
            WRONG_USE,
        )
    if runtimes and _RUNTIME not in runtimes:
        raise CourseError(
            f"{program} needs {runtimes[0]}, the CPU device is {_RUNTIME}; build it again with "
            "nvcc 13 -cudart shared",
            WRONG_USE,
        )
    if runtimes and found.rpath:
        raise CourseError(
            f"{program} has the RPATH {found.rpath}, which is searched before the CPU device; "
            "build it again with -Xlinker --enable-new-dtags",
            WRONG_USE,
        )


def _print(document: dict, lines: bool) -> None:
    """Print the counts of each kernel."""
    if not document["kernels"]:
        print("No kernel ran to its end.")
    for kernel in document["kernels"]:
        print(f"\n{kernel_text(kernel)}", end="")
        if lines:
            print(f"\n{lines_table(kernel)}", end="")
