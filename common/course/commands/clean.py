"""Remove what the course made: the build folder, and with --all the virtual environment too."""

import shutil
from pathlib import Path

from course.errors import WRONG_USE, CourseError
from course.places import Places
from course.terminal import shown

NAME = "clean"
HELP = "remove the build folder (--all: the virtual environment too)"


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--all", action="store_true", help="remove .venv too")


def run(options, places: Places) -> int:
    """Run the command."""
    _require_ours(places.build)
    for folder in [places.build, *([places.venv] if options.all else [])]:
        if folder.exists():
            print(f"Removing {shown(folder)}")
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise CourseError(f"cannot remove {folder}: {error.strerror}") from None
    return 0


def _require_ours(build: Path) -> None:
    """Raise CourseError if a folder was not made by a build: --build may name anything."""
    marks = ("log", "CMakeCache.txt", "build.ninja", "bin")
    if build.exists() and any(build.iterdir()) and not any((build / m).exists() for m in marks):
        raise CourseError(f"{build} does not look like a build folder; nothing removed", WRONG_USE)
