"""Signals that ask a command to end, and the moments in which they have to wait.

Between the start of a program and the place where we know of it, an interruption would leave that
program running for ever. Such moments defer it.
"""

import contextlib
import signal

from course.errors import Stopped

_depth = 0
_pending: list[int] = []


def install() -> None:
    """Let SIGINT raise KeyboardInterrupt, and SIGTERM and SIGHUP raise Stopped."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # started by nohup, or in the background
            signal.signal(number, _arrived)


@contextlib.contextmanager
def deferred():
    """Hold back what signals raise until the end of this context."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
    if _depth == 0 and _pending:
        number = _pending[0]
        _pending.clear()
        _raise(number)


def _arrived(number: int, _frame) -> None:
    if _depth:
        _pending.append(number)
    else:
        _raise(number)


def _raise(number: int) -> None:
    raise KeyboardInterrupt if number == signal.SIGINT else Stopped(number)
