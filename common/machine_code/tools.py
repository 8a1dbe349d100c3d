"""The toolkit's programs: where they are, and running them."""

import re
import shutil
import subprocess
from pathlib import Path

from machine_code.errors import MachineCodeError


def find(toolkit: Path, name: str) -> Path | None:
    """Return a program of the toolkit, else the one on PATH, else None.

    Many toolkits come without the disassemblers; those of any newer one read the same cubins.
    """
    own = toolkit / "bin" / name
    if own.is_file():
        return own
    elsewhere = shutil.which(name)
    return Path(elsewhere) if elsewhere else None


def run(program: Path, *arguments: object, folder: Path | None = None) -> str:
    """Return what a program prints; raise MachineCodeError if it fails."""
    command = [str(program), *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise MachineCodeError(
            f"{program.name} failed with exit code {done.returncode}: {said[-1] if said else ''}"
        )
    return done.stdout


def version(program: Path) -> str:
    """Return a program's version, as in 13.0.88."""
    match = re.search(r"\bV(\d+(?:\.\d+)+)", run(program, "--version"))
    if match is None:
        raise MachineCodeError(f"{program.name} does not say its version")
    return match[1]
