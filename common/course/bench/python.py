"""Which Python runs the peers that are written in it, and how it is started."""

import os
import shutil
import subprocess
from pathlib import Path

from course.errors import WRONG_USE, CourseError
from course.places import Places

_HAS_TORCH = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
_LIBRARY = Path("lib") / "librungs-measure.so"

NOT_FOUND = "no python3 on PATH can import torch; name one that can with --python PATH"


def find(asked: str | None) -> str | None:
    """Return the Python that was asked for, else the first on PATH that can import torch.

    None if there is none. Raises CourseError if the one that was asked for cannot be run.
    """
    if asked is not None:
        program = shutil.which(asked) or shutil.which(str(Path(asked).expanduser().absolute()))
        if program is None:
            raise CourseError(f"--python {asked!r} is no program that can be run", WRONG_USE)
        return program
    seen = set()
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        program = shutil.which("python3", path=folder) if folder else None
        if program and program not in seen and _has_torch(program):
            return program
        seen.add(program)
    return None


def _has_torch(program: str) -> bool:
    command = [program, "-B", "-c", _HAS_TORCH]
    try:
        # From the root folder, so that no torch of the current one is meant.
        done = subprocess.run(command, capture_output=True, timeout=30, cwd="/", check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def command(places: Places, program: str, ladder: str) -> list:
    """Return the command line of the Python worker."""
    library = places.bin / _LIBRARY
    return [program, "-B", "-m", "peers.worker", ladder, "--library", library]


def environment(places: Places) -> dict[str, str]:
    """Return our environment with the course's own modules first."""
    paths = [str(places.repo / "common"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
