"""The virtual environment: made once, mended when half-made, renewed when its list changes.

Each list of requirements that is fully installed leaves a stamp in the environment, written last.
An environment without the stamp of its list was interrupted or belongs to an older list.
"""

import hashlib
import json
import shutil
import sys
import time
from pathlib import Path

from course import packages, toolkit
from course.errors import CourseError
from course.places import Places, locked, make_build_folder
from course.processes import Failed, clean_environment, watched
from course.terminal import say, shown

COMPILER = "requirements.txt"
SITE = "requirements-site.txt"

_PURPOSE = {
    COMPILER: "the pinned CUDA compiler, CMake and Ninja (434 MB)",
    SITE: "what builds the site, draws and runs the tests (390 MB)",
}
# What a list brings; a missing one means that the environment was damaged.
_BRINGS = {COMPILER: ("cmake", "ninja"), SITE: ("sphinx-build", "ruff", "clang-format")}


def ensure(places: Places, lists: list[str], verbose: bool = False) -> None:
    """Make the virtual environment with these lists of requirements, where it is not there yet.

    Raises CourseError, in one sentence, if it cannot be made.
    """
    if _is_ready(places, lists):
        return
    make_build_folder(places)
    folder = places.venv.parent
    with locked(folder, shown(places.venv)):
        if not _is_sound(places):
            _create(places, verbose)
        for name in lists:
            if not _is_installed(places, name):
                _install(places, name, verbose)
        root = toolkit.pinned_root(places)
        if COMPILER in lists:
            if root is None:
                raise CourseError(
                    f"{shown(places.venv)} holds no nvcc; remove the folder and try again"
                )
            toolkit.make_links(root)


def python(places: Places) -> Path:
    """Return the environment's Python."""
    return places.venv / "bin" / "python"


def tool_environment(places: Places, **more: str) -> dict[str, str]:
    """Return the clean environment with the virtual environment's programs first on PATH."""
    return clean_environment(places.venv / "bin", **more)


def _is_ready(places: Places, lists: list[str]) -> bool:
    root = toolkit.pinned_root(places)
    linked = root is not None and (root / "lib64" / "libcudart.so").exists()
    return _is_sound(places) and linked and all(_is_installed(places, n) for n in lists)


def _identity(places: Places) -> dict:
    """Return what an environment is bound to: it cannot be moved, nor used by another Python."""
    version = ".".join(map(str, sys.version_info[:2]))
    return {"folder": str(places.venv), "python": version}


def _stamp(places: Places, name: str) -> Path:
    return places.venv / f"rungs-{Path(name).stem}.json"


def _is_sound(places: Places) -> bool:
    """Return whether the environment itself was made to its end, here, by this Python."""
    return _read(_stamp(places, "venv")) == _identity(places) and python(places).exists()


def _is_installed(places: Places, name: str) -> bool:
    programs = [places.venv / "bin" / program for program in _BRINGS[name]]
    installed = _read(_stamp(places, name)) == _wanted(places, name)
    return installed and all(program.exists() for program in programs)


def _wanted(places: Places, name: str) -> dict:
    """Return what the stamp of a list says when the list is installed."""
    try:
        data = (places.repo / name).read_bytes()
    except OSError as error:
        raise CourseError(f"cannot read {places.repo / name}: {error.strerror}") from None
    return {**_identity(places), "list": hashlib.sha256(data).hexdigest()}


def _read(stamp: Path) -> dict | None:
    try:
        return json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _create(places: Places, verbose: bool) -> None:
    """Make the environment anew."""
    if places.venv.is_symlink():
        raise CourseError(
            f"{shown(places.venv)} is a link; remove it, so that ./course can make its own"
        )
    packages.ensure([packages.VENV], places, verbose)
    state = "making it anew" if places.venv.exists() else "making it"
    say(f"The virtual environment {shown(places.venv)}: {state}.")
    try:
        if places.venv.exists():
            shutil.rmtree(places.venv)
    except OSError as error:
        raise CourseError(f"cannot remove {shown(places.venv)}: {error.strerror}") from None
    _step([sys.executable, "-m", "venv", places.venv], "venv", places, verbose)
    _write_stamp(_stamp(places, "venv"), _identity(places))


def _install(places: Places, name: str, verbose: bool) -> None:
    """Install a list of requirements."""
    stamp = _stamp(places, name)
    stamp.unlink(missing_ok=True)
    say(f"Installing {name}: {_PURPOSE[name]}.")
    start = time.monotonic()
    command = [python(places), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--no-input", "--progress-bar", "off", "-r", places.repo / name]
    _step(command, "pip", places, verbose)
    _write_stamp(stamp, _wanted(places, name))
    say(f"  done in {time.monotonic() - start:.0f} s")


def write_stamps(places: Places, lists: list[str]) -> None:
    """Mark the environment as made here, with these lists installed."""
    _write_stamp(_stamp(places, "venv"), _identity(places))
    for name in lists:
        _write_stamp(_stamp(places, name), _wanted(places, name))


def _write_stamp(stamp: Path, value: dict) -> None:
    temporary = stamp.with_suffix(".tmp")
    temporary.write_text(json.dumps(value), encoding="utf-8")
    temporary.replace(stamp)


def _step(command: list, name: str, places: Places, verbose: bool) -> None:
    """Run a step of the set-up. Raises CourseError with the reason that the step itself gave."""
    log = places.logs / f"{name}.log"
    try:
        watched(command, name, log, verbose, env=clean_environment())
    except Failed as failed:
        raise CourseError(f"{name} failed: {_reason(failed.output)}; see {shown(log)}") from None


def _reason(output: str) -> str:
    """Return the line of a program's output that says why it failed."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    return (errors or lines or ["it said nothing"])[-1].rstrip(".")
