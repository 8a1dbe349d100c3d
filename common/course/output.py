"""Results that the reader asked to have in a file."""

import os
import sys
from pathlib import Path

from course.errors import WRONG_USE, CourseError
from evidence.json_file import write_whole


def require_writable(name: str) -> None:
    """Raise CourseError if a file cannot be written: better before a long run than after it."""
    if name == "-":
        return
    path = Path(name)
    folder = path.absolute().parent
    if path.is_dir():
        problem = "it is a folder"
    elif not folder.is_dir():
        problem = f"there is no folder {folder}"
    elif not os.access(path if path.exists() else folder, os.W_OK):
        problem = "it is not writable"
    else:
        return
    raise CourseError(f"cannot write {name}: {problem}; name another file", WRONG_USE)


def deliver(name: str, text: str) -> None:
    """Write text to a file as a whole, or to stdout for ``-``. Raises CourseError if it fails."""
    if name == "-":
        sys.stdout.write(text)
        return
    try:
        write_whole(Path(name), text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CourseError(f"cannot write {name}: {error.strerror}; nothing was kept") from None
