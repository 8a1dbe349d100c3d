"""What the tests of the lessons share: where the programs are, and running one."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "common"))

from evidence import lessons  # noqa: E402  # it stands in common

BIN = Path(os.environ["RUNGS_BIN"])


def run(program, *arguments, **options):
    """Run a program of the build and return how it ended, with its output as text."""
    return subprocess.run(
        [BIN / program, *arguments], capture_output=True, text=True, check=False, **options
    )


def counted(ladder):
    """Run a ladder's program on the CPU device; return how it ended, and its document."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{ladder}.json")
        done = run(ladder, "--device", "cpu", "--json", path)
        return done, json.loads(path.read_text(encoding="utf-8"))


def rung_names(ladder):
    """Return the names of a ladder's rungs, in its order, as its folders give them."""
    return [rung.name for rung in lessons.rungs(REPO, ladder)]


def rung_folders():
    """Return the folder of every rung of every ladder."""
    return sorted(path for path in (REPO / "lessons").glob("*/*") if path.is_dir())


def ladder_and_name(folder):
    """Return ("matmul", "transposed-a") for lessons/matmul/3-transposed-a."""
    return folder.parent.name, folder.name.partition("-")[2]
