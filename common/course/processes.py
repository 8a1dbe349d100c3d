"""Other programs: started, watched, and ended with us."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from pathlib import Path

from course.errors import CANNOT_RUN_HERE, CourseError
from course.signals import deferred
from course.terminal import Progress

# What another toolkit, another compiler or another build would bring into the pinned one.
_FOREIGN = (
    *("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDACXX", "CUDAFLAGS", "CUDAHOSTCXX", "CUDAARCHS"),
    *("CUDAToolkit_ROOT", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"),
    *("LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH"),
    *("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "DESTDIR", "MAKEFLAGS", "NINJA_STATUS"),
    *("CMAKE_GENERATOR", "CMAKE_TOOLCHAIN_FILE", "CMAKE_BUILD_TYPE", "CMAKE_INSTALL_PREFIX"),
    *("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "VIRTUAL_ENV", "PIP_TARGET", "PIP_PREFIX"),
    *("PIP_USER", "PIP_REQUIRE_VIRTUALENV", "RUNGS_RESTORE_LD_LIBRARY_PATH", "RUNGS_CPU_DEVICE"),
)
_PATIENCE = 1.0  # seconds that a program has to end after each signal


def clean_environment(*first_on_path: Path, **more: str) -> dict[str, str]:
    """Return the environment for the pinned build: ours, without what would change its result."""
    found = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    folders = [str(folder) for folder in first_on_path] + [found.get("PATH", os.defpath)]
    return {**found, "PATH": os.pathsep.join(folders), **more}


class Failed(Exception):
    """A program ended with an exit code other than 0."""

    def __init__(self, code: int, output: str, log: Path):
        super().__init__(f"exit code {code}")
        self.code = code
        self.output = output  # the last lines that it printed
        self.log = log  # all of them


def _start(command: list, **options) -> subprocess.Popen:
    """Start a program. Raises CourseError if it is not there or cannot be run."""
    try:
        return subprocess.Popen([str(part) for part in command], **options)
    except OSError as error:
        raise CourseError(f"cannot run {command[0]}: {error.strerror}", CANNOT_RUN_HERE) from None


def _end(process: subprocess.Popen) -> None:
    """End a program that leads a group of its own, and all that it started."""
    with deferred():
        _end_group(process)


def _end_group(process: subprocess.Popen) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        limit = time.monotonic() + _PATIENCE
        while time.monotonic() < limit:
            process.poll()
            if not _group_lives(process.pid):
                return
            time.sleep(0.02)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def foreground(command: list, **options) -> int:
    """Run a program with our terminal; return its exit code, 128 + n if the signal n ended it."""
    process = None
    try:
        with deferred():
            process = _start(command, **options)
        code = process.wait()
    except BaseException:
        if process is not None:
            _end_foreground(process)
        raise
    return 128 - code if code < 0 else code


def _end_foreground(process: subprocess.Popen) -> None:
    """End a program that shares our terminal, which has told it of a Ctrl-C too."""
    with deferred():
        for step in (lambda: None, process.terminate, process.kill):
            step()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
                return


def watched(
    command: list,
    what: str,
    log: Path | None = None,
    verbose: bool = False,
    merge_errors: bool = True,
    **options,
) -> str:
    """Run a program to its end while showing its progress; return the last lines that it printed.

    ``what`` names the work on the progress line. ``log`` is the file that gets everything printed;
    ``verbose`` shows it on stderr as it comes. With ``merge_errors`` the program's stderr is part
    of it, else it goes to ours. Raises Failed if the exit code is not 0.
    """
    kept: deque[str] = deque(maxlen=2000)
    process = None
    try:
        with deferred():
            process = _start(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if merge_errors else None,
                process_group=0,  # so that it can be ended with all that it starts
                **options,
            )
        with contextlib.ExitStack() as stack:
            stack.callback(process.stdout.close)
            out = stack.enter_context(log.open("wb")) if log else None
            progress = stack.enter_context(Progress(what))
            for chunk in _lines(process.stdout, progress):
                if out:
                    out.write(chunk)
                text = chunk.decode("utf-8", "replace")
                kept.append(text)
                progress.update(text)
                if verbose:
                    os.write(2, chunk)
        code = process.wait()
    except BaseException:
        if process is not None:
            _end(process)
        raise
    if code != 0:
        raise Failed(128 - code if code < 0 else code, "".join(kept), log)
    return "".join(kept)


def _lines(pipe, progress: Progress):
    """Yield lines as they come, keeping the clock of the progress line going between them."""
    os.set_blocking(pipe.fileno(), False)
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if not selector.select(0.2):
                progress.update()
                continue
            chunk = os.read(pipe.fileno(), 65536)
            if not chunk:
                break
            *lines, rest = (rest + chunk).splitlines(keepends=True)
            if rest.endswith((b"\n", b"\r")):
                lines, rest = [*lines, rest], b""
            yield from lines
    if rest:
        yield rest
