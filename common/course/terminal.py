"""What a command says while it works: on stderr, so that stdout holds the result alone."""

import contextlib
import os
import shutil
import sys
import time
from pathlib import Path


def say(text: str) -> None:
    """Say in a line what is about to be done."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def shown(path: Path) -> str:
    """Return a path as a reader in the current folder would write it."""
    with contextlib.suppress(OSError, ValueError):
        return str(Path(path).relative_to(Path.cwd()))
    return str(path)


def use_colour(stream) -> bool:
    """Return whether a stream may be coloured: a terminal, and NO_COLOR is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Progress:
    """One line on a terminal that is rewritten in place; nothing anywhere else.

    Used as a context: the line is gone when the context ends.
    """

    def __init__(self, what: str):
        self._what = what
        self._start = time.monotonic()
        self._last = ""
        self._on = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._drawn = 0.0

    def __enter__(self):
        """Begin to show progress."""
        return self

    def __exit__(self, *_):
        """Take the line away."""
        if self._on and self._drawn:
            self._write("\r\x1b[K")

    def update(self, detail: str | None = None) -> None:
        """Show the time so far, and the latest detail."""
        if detail is not None:
            self._last = detail.strip()
        now = time.monotonic()
        if not self._on or now - self._drawn < 0.1:
            return
        self._drawn = now
        width = shutil.get_terminal_size().columns - 1
        line = f"{self._what}  {now - self._start:.0f} s  {self._last}"
        self._write("\r\x1b[K" + line[:width])

    def say(self, text: str) -> None:
        """Say a line that stays, above the progress line."""
        if self._on and self._drawn:
            self._write("\r\x1b[K")
        say(text)

    @staticmethod
    def _write(text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()
