"""A copy of the command in a folder of its own, with stand-ins for what takes long.

The folder's name holds a space and an umlaut, so that every test of the command is one of such
paths too. The stand-ins are shell scripts: CMake and CTest, the ladder's program, and a toolkit
that is only there. What they do is told by environment variables.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import documents
import support

from course import environment
from course.places import Places
from evidence import records
from evidence.json_file import json_text

RUNGS = (("first", None, 0, 4), ("second", "first", 1, 2), ("aside", "first", 1001, 6))

_GROUP = "shared, per multiply-add"
TABLES = {
    "columns": [
        {
            "heading": "reads",
            "group": _GROUP,
            "quantity": "shared_reads_per_multiply_add",
            "counts": ["argued", "ptx", "sass"],
            "meaning": "shared-memory reads for each multiply-add.",
        },
        {
            "heading": "wavefronts",
            "group": _GROUP,
            "quantity": "shared_wavefronts_per_multiply_add",
            "counts": ["ptx"],
        },
    ],
    "models": ["reads", "wavefronts"],
}

# cmake: configures and builds nothing. STANDIN_CMAKE is what it prints before it fails.
_CMAKE = """\
echo "$@" >> "$STANDIN_LOG"
build=; while [ $# -gt 0 ]; do case $1 in -B|--build) shift; build=$1;; esac; shift; done
if [ -n "$STANDIN_CMAKE" ]; then printf '%b' "$STANDIN_CMAKE"; exit 1; fi
touch "$build/build.ninja"
"""

# demo: STANDIN_SLEEP keeps it busy, STANDIN_CODE is its exit code.
_LADDER = """\
echo "$@" >> "$STANDIN_LOG"
out=; while [ $# -gt 0 ]; do case $1 in --json) shift; out=$1;; esac; shift; done
echo "demo/first: checked"
if [ -n "$STANDIN_SLEEP" ]; then
  echo $$ > "$STANDIN_LOG.pid"; sleep "$STANDIN_SLEEP" & echo $! >> "$STANDIN_LOG.pid"; wait
fi
[ "${STANDIN_CODE:-0}" -lt 2 ] || echo "demo: no" >&2
[ "${STANDIN_CODE:-0}" -ge 2 ] || cp "${0%/*}/demo.json" "$out"
exit "${STANDIN_CODE:-0}"
"""

# ctest: STANDIN_RESULTS is the JUnit file that it leaves.
_CTEST = """\
out=; while [ $# -gt 0 ]; do case $1 in --output-junit) shift; out=$1;; esac; shift; done
[ -z "$STANDIN_RESULTS" ] || printf '%s' "$STANDIN_RESULTS" > "$out"
exit "${STANDIN_CODE:-0}"
"""


class Checkout(unittest.TestCase):
    """A test case with the copy in self.root, and self.course() to run its command."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rungs-test-")
        self.addCleanup(temporary.cleanup)
        Path(temporary.name).chmod(0o755)
        self.folder = Path(temporary.name)
        self.root = self.folder / "der Kürs"
        self.log = self.folder / "log"
        self.places = Places(self.root, self.root / "build")
        self.root.mkdir()
        for name in ("course", "requirements.txt", "requirements-site.txt"):
            shutil.copy(support.REPO / name, self.root)
        for name in ("course", "evidence"):
            ignored = shutil.ignore_patterns("__pycache__")
            source = support.REPO / "common" / name
            shutil.copytree(source, self.root / "common" / name, ignore=ignored)
        support.write_lessons(self.root, "0-first", "1-second", "x1-aside")
        settings = self.root / "lessons" / "demo" / "ladder.json"
        settings.write_text(json.dumps(TABLES), encoding="utf-8")
        self.document = documents.run(self.root, *RUNGS)

    def course(self, *arguments, check=None, **options):
        """Run ./course; with ``check`` hold its exit code to that. Return the finished process."""
        done = subprocess.run(
            [sys.executable, self.root / "course", *arguments],
            capture_output="stdout" not in options,
            text=True,
            env=self.environment(**options.pop("env", {})),
            cwd=options.pop("cwd", self.folder),
            timeout=60,
            check=False,
            **options,
        )
        if check is not None:
            self.assertEqual(done.returncode, check, done.stdout or "" + (done.stderr or ""))
        return done

    def sentence(self, code, words, *arguments, **options):
        """Hold that ./course ends with this code and, last on stderr, one sentence with words."""
        done = self.course(*arguments, **options)
        self.assertEqual(done.returncode, code, f"{done.stdout}\n{done.stderr}")
        last = done.stderr.splitlines()[-1]
        self.assertTrue(last.startswith("course: "), done.stderr)
        self.assertRegex(last, words)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def environment(self, **more):
        """Return the environment of the command: ours, and the stand-ins' settings."""
        base = {k: v for k, v in os.environ.items() if not k.startswith(("RUNGS_", "STANDIN_"))}
        base.update({"STANDIN_LOG": str(self.log), "TERM": "dumb", **more})
        return {name: value for name, value in base.items() if value is not None}

    def called(self):
        """Return the command lines that the stand-ins were called with."""
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    def stand_in(self, path, script):
        """Write a stand-in for a program."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
        path.chmod(0o755)

    def set_up(self):
        """Leave the copy as a finished set-up would, with stand-ins for its programs."""
        venv = self.places.venv
        for name in ("ninja", "sphinx-build", "ruff", "clang-format"):
            self.stand_in(venv / "bin" / name, "exit 0\n")
        self.stand_in(venv / "bin" / "cmake", _CMAKE)
        self.stand_in(venv / "bin" / "ctest", _CTEST)
        (venv / "bin" / "python").symlink_to(sys.executable)
        toolkit = venv / "lib/python3.11/site-packages/nvidia/cu13"
        self.stand_in(toolkit / "bin" / "nvcc", "exit 0\n")
        (toolkit / "lib64").mkdir()
        (toolkit / "lib64/libcudart.so").touch()
        environment.write_stamps(self.places, [environment.COMPILER, environment.SITE])

    def build_ladder(self, document=None):
        """Leave the programs of the ladder as a build would."""
        self.stand_in(self.places.bin / "demo", _LADDER)
        text = json.dumps(document or self.document)
        (self.places.bin / "demo.json").write_text(text, encoding="utf-8")

    def save_counts(self, change=None):
        """Write the ladder's counts record; ``change`` may doctor its text. Return its path."""
        path = records.counts_path(self.root, "demo")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json_text(records.counts_record(self.root, self.document))
        path.write_text(change(text) if change else text, encoding="utf-8")
        return path


def lives(pid):
    """Return whether a process is there and is no zombie."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1][1] != "Z"
    return False
