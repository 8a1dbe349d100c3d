"""A worker: a process that answers one line of JSON with one line of JSON.

The protocol is rungs-worker/1. An answer {"error": "one sentence"} refuses a request.
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
import time

from course.errors import CANNOT_RUN_HERE, CHECK_FAILED, CourseError
from course.signals import deferred
from evidence import EvidenceError
from evidence.json_file import parse_json

PROTOCOL = "rungs-worker/1"

_TICK = 0.1  # seconds between two looks at a worker that is busy
_PATIENCE = 600.0  # seconds that one answer may take: Triton compiles in some of them
_FAREWELL = 5.0  # seconds that a worker has to end by itself
_GRACE = 0.3  # seconds between SIGTERM and SIGKILL


class RequestRefused(CourseError):
    """A worker answered that it cannot do what was asked; the text is its sentence."""


class Worker:
    """One process, its pipes, and the last lines that it said on stderr."""

    def __init__(self, name: str, command: list, env: dict | None = None, verbose: bool = False):
        """Start the process. Raises CourseError if it cannot be run."""
        self.name = name
        self._verbose = verbose
        self._rest = b""
        self._refusal = "it said nothing"  # the last; a lost device ends the worker after it
        self._said = 0  # bytes of stderr that were shown
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed by end())
        try:
            with deferred():
                self._process = subprocess.Popen(
                    [str(part) for part in command],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    env=env,
                    process_group=0,  # so that a Ctrl-C is ours alone, and all of it can be ended
                )
        except OSError as error:
            self._errors.close()
            raise CourseError(
                f"cannot run {command[0]}: {error.strerror}", CANNOT_RUN_HERE
            ) from None
        os.set_blocking(self._process.stdout.fileno(), False)

    def ask(self, request: dict, tick=lambda: None) -> dict:
        """Return the answer to a request. ``tick`` is called ten times a second meanwhile.

        Raises RequestRefused with the worker's own sentence, CourseError if it died, or if what it
        said is no answer.
        """
        try:
            self._process.stdin.write(json.dumps(request, allow_nan=False).encode() + b"\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ConnectionResetError):
            raise self._died(request) from None
        line = self._line(request, tick)
        try:
            answer = parse_json(line.decode("utf-8", "replace"), f"{self.name}, its answer to "
                                f"{request['do']!r}")  # fmt: skip
        except EvidenceError as error:
            raise CourseError(str(error)) from None
        if not isinstance(answer, dict):
            raise CourseError(f"{self.name} answered {request['do']!r} with no object")
        if "error" in answer:
            self._refusal = str(answer["error"])
            raise RequestRefused(self._refusal)
        return answer

    def _line(self, request: dict, tick) -> bytes:
        """Return the next line of the worker."""
        limit = time.monotonic() + _PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                tick()
                self._echo()
                if not selector.select(_TICK):
                    if time.monotonic() > limit:
                        raise CourseError(
                            f"{self.name} gave no answer to {request['do']!r} in {_PATIENCE:.0f} s"
                        )
                    continue
                chunk = os.read(self._process.stdout.fileno(), 1 << 20)
                if not chunk:
                    raise self._died(request)
                self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        self._echo()
        return line

    def _echo(self) -> None:
        """With --verbose, show what the worker said on stderr since the last time."""
        if self._verbose:
            text = os.pread(self._errors.fileno(), 1 << 16, self._said)
            self._said += len(text)
            if text:
                os.write(2, text)

    def _died(self, request: dict) -> CourseError:
        """Return the error that says how a worker ended, with the last line that it said."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self._echo()
        code = self._process.poll()
        if code is None:
            ending = "closed its output"
        elif code < 0:
            ending = f"was ended by signal {-code}"
        else:
            ending = f"ended with exit code {code}"
        size = os.fstat(self._errors.fileno()).st_size
        tail = os.pread(self._errors.fileno(), 4096, max(0, size - 4096))
        lines = [line.strip() for line in tail.decode("utf-8", "replace").splitlines()]
        last = next((line for line in reversed(lines) if line), self._refusal)
        return CourseError(
            f"{self.name} {ending} at {request['do']!r}: {last}",
            CANNOT_RUN_HERE if code == CANNOT_RUN_HERE else CHECK_FAILED,
        )

    def finish(self) -> None:
        """Let the worker end by itself: it does when nothing more can be asked."""
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_FAREWELL)

    def signal(self, number: int) -> None:
        """Send a signal to the worker and all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def has_ended(self) -> bool:
        """Return whether the worker itself is gone."""
        return self._process.poll() is not None

    def close(self) -> None:
        """Close our ends of its pipes."""
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._errors.close()


@contextlib.contextmanager
def workers():
    """Give a list for workers; whatever happens, none of them lives after this context."""
    started: list[Worker] = []
    try:
        yield started
        for worker in started:
            worker.finish()
    finally:
        with deferred():
            _end(started)


def _end(started: list[Worker]) -> None:
    """End workers and their children, all at once: it takes no longer than _GRACE and a bit.

    Who has not gone by then is killed. A child that its worker left behind is killed with it.
    """
    for number, patience in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, _FAREWELL)):
        limit = time.monotonic() + patience
        for worker in started:
            worker.signal(number)
        while time.monotonic() < limit and not all(worker.has_ended() for worker in started):
            time.sleep(0.01)
    for worker in started:
        worker.close()
