"""What PyPI does not have: a few packages of the system.

On Debian and its kin they are installed when we may (root), else the exact line is printed. Other
systems have their own names for them; there CMake fetches the libraries at a pinned release.
"""

import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from course.errors import CANNOT_RUN_HERE, CourseError
from course.places import Places
from course.processes import Failed, clean_environment, watched
from course.terminal import say


@dataclass(frozen=True)
class Package:
    """A Debian package, and how to see that what it brings is there."""

    name: str
    purpose: str
    needed: bool  # False: it is fetched at a pinned release, or its tests are skipped

    def is_missing(self) -> bool:
        """Return whether what the package brings is not there."""
        return not _PRESENT[self.name]()


def _has_header(name: str) -> bool:
    return any(Path(root, name).is_file() for root in ("/usr/include", "/usr/local/include"))


def _has_browser() -> bool:
    return any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))


def _has_fonts() -> bool:
    roots = ("/usr/share/fonts", "/usr/local/share/fonts")
    return any(next(Path(root).rglob("*Mono*.ttf"), None) for root in roots)


def _has_venv() -> bool:
    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


_PRESENT = {
    "python3-venv": _has_venv,
    "libcli11-dev": lambda: _has_header("CLI/CLI.hpp"),
    "libgtest-dev": lambda: _has_header("gtest/gtest.h"),
    "chromium": _has_browser,
    "fonts-liberation": _has_fonts,
}

VENV = Package("python3-venv", "the virtual environment", needed=True)
CLI11 = Package("libcli11-dev", "the programs' command line", needed=False)
GTEST = Package("libgtest-dev", "the unit tests", needed=False)
CHROMIUM = Package("chromium", "the site's tests in a browser", needed=False)
FONTS = Package("fonts-liberation", "the browser's letters", needed=False)


def require_compiler() -> None:
    """Raise CourseError if there is no C++ compiler for the host code."""
    asked = os.environ.get("CXX")
    names = [asked.split()[0]] if asked and asked.strip() else ["c++", "g++", "clang++"]
    if not any(shutil.which(name) for name in names):
        raise CourseError(
            f"there is no C++ compiler ({', '.join(names)}) on PATH; install g++ 12 or newer, "
            f"on Debian: {_line(['g++'])}",
            CANNOT_RUN_HERE,
        )


def ensure(packages: list[Package], places: Places, verbose: bool) -> None:
    """Install what is missing of these packages, or say how.

    Raises CourseError if one that is needed is missing and cannot be installed here.
    """
    missing = [package for package in packages if package.is_missing()]
    if not missing:
        return
    names = [package.name for package in missing]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _install(names, places, verbose)
        missing = [package for package in missing if package.is_missing()]
    for package in missing:
        if package.needed:
            raise CourseError(
                f"{package.purpose} needs the package {package.name}; install it with: "
                f"{_line(names)}",
                CANNOT_RUN_HERE,
            )
    if missing:
        purposes = " and ".join(package.purpose for package in missing)
        say(f"Not installed: {', '.join(p.name for p in missing)}, for {purposes}.")
        say(f"  On Debian: {_line([p.name for p in missing])}")


def _install(names: list[str], places: Places, verbose: bool) -> None:
    """Install Debian packages; the list of packages is fetched if it is missing or old."""
    say(f"Installing {', '.join(names)} with apt-get.")
    environment = clean_environment(DEBIAN_FRONTEND="noninteractive", LC_ALL="C.UTF-8")
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=120", "-q"]
    install = [*apt, "install", "-y", "--no-install-recommends", *names]
    log = places.logs / "apt.log"
    for command, may_fail in ((install, True), ([*apt, "update"], True), (install, False)):
        try:
            watched(command, "apt-get", log, verbose, env=environment)
        except Failed as failed:
            if not may_fail:
                errors = [x for x in failed.output.splitlines() if x.startswith("E:")]
                say(f"apt-get failed: {errors[-1] if errors else failed.output.strip()[-200:]}")
        else:
            if command is install:
                return


def _line(names: list[str]) -> str:
    """Return the line that installs these packages."""
    prefix = "" if os.geteuid() == 0 else "sudo "
    return f"{prefix}apt-get install {' '.join(names)}"
