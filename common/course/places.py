"""The folders that a command works in."""

import contextlib
import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from course.errors import WRONG_USE, CourseError
from course.terminal import say


@dataclass(frozen=True)
class Places:
    """Where things are: given by the command line, the same for every command."""

    repo: Path
    build: Path

    @property
    def venv(self) -> Path:
        """The virtual environment: in the repository, or in the build folder if that cannot be."""
        inside = self.repo / ".venv"
        if inside.exists() or os.access(self.repo, os.W_OK):
            return inside
        return self.build / "venv"

    @property
    def bin(self) -> Path:
        """What a build leaves for running: this folder alone can be carried elsewhere."""
        return self.build / "bin"

    @property
    def logs(self) -> Path:
        """What set-up and build printed."""
        return self.build / "log"


def make_build_folder(places: Places) -> None:
    """Make the build folder. Raises CourseError with what would work if it cannot be made."""
    try:
        places.logs.mkdir(parents=True, exist_ok=True)
        writable = os.access(places.logs, os.W_OK)
        reason = "it is not writable"
    except OSError as error:
        writable, reason = False, error.strerror
    if not writable:
        raise CourseError(
            f"cannot build in {places.build}: {reason}; name another folder with --build DIR",
            WRONG_USE,
        )


@contextlib.contextmanager
def locked(folder: Path, what: str):
    """Hold a folder for this command alone; a second one waits until the first is done."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Waiting for another ./course that is at work on {what}.")
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(handle)
