"""How everything is written: formatters and linters agree, and rules that no linter knows."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import support

REPO = support.REPO
TOOLS = Path(sys.executable).parent
SKIPPED_FOLDERS = {".git", ".venv", "build", "__pycache__", ".ruff_cache", ".pytest_cache"}
CPP = {".cu", ".cuh", ".hpp", ".cpp", ".h"}


def files(*suffixes):
    """Yield the repository's own files, of these suffixes if any are given."""
    git = ["git", "-C", str(REPO), "ls-files", "-z"]
    try:
        done = subprocess.run(git, capture_output=True, text=True, check=True)
        found = [REPO / name for name in done.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        found = everything()  # a copy without its history
    for path in found:
        if path.is_file() and (not suffixes or path.suffix in suffixes):
            yield path


def everything():
    """Yield every file below the repository but those that the course makes."""
    for folder, names, found in os.walk(REPO):
        names[:] = sorted(
            n for n in names if n not in SKIPPED_FOLDERS and not n.startswith("build-")
        )
        for name in sorted(found):
            yield Path(folder, name)


def tool(name):
    """Return the pinned tool of the virtual environment that runs this test."""
    path = TOOLS / name
    if not path.exists():
        raise unittest.SkipTest(f"{name} is not in {TOOLS}; ./course test installs it")
    return str(path)


class Formatters(unittest.TestCase):
    def run_tool(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=REPO, check=False)
        self.assertEqual(done.returncode, 0, f"{done.stdout}{done.stderr}"[:4000])

    def test_clang_format(self):
        sources = [str(path) for path in files(*CPP)]
        self.run_tool(tool("clang-format"), "--dry-run", "-Werror", *sources)

    def test_ruff_check(self):
        self.run_tool(tool("ruff"), "check", "--no-cache", ".")

    def test_ruff_format(self):
        self.run_tool(tool("ruff"), "format", "--check", "--no-cache", ".")


class Rules(unittest.TestCase):
    def test_lesson_code_is_at_most_84_columns_wide(self):
        wide = [
            f"{path.relative_to(REPO)}:{number}: {len(line)} columns"
            for path in files(*CPP)
            if path.is_relative_to(REPO / "lessons")
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if len(line) > 84
        ]
        self.assertEqual(wide, [])

    def test_no_file_names_a_place_of_one_machine(self):
        # A user's home, a work folder: none of them is on the reader's machine.
        made_up = r"home/(?:someone|x)/"
        places = re.compile(rf"(?<![\w./$}}])/(?!{made_up})(?:home|root|work|Users|scratch|mnt)/\w")
        found = []
        for path in files():
            text = path.read_bytes()
            if b"\0" in text[:4096] or path == Path(__file__).resolve():
                continue
            for number, line in enumerate(text.decode("utf-8", "replace").splitlines(), 1):
                if places.search(line):
                    found.append(f"{path.relative_to(REPO)}:{number}: {line.strip()[:80]}")
        self.assertEqual(found, [])

    def test_text_ends_in_one_line_end_and_lines_in_no_space(self):
        suffixes = (*CPP, ".py", ".md", ".txt", ".cmake", ".toml", ".json", ".css", ".sh")
        bad = []
        for path in files(*suffixes):
            text = path.read_bytes()
            if text and (not text.endswith(b"\n") or text.endswith(b"\n\n")):
                bad.append(f"{path.relative_to(REPO)}: its end")
            if b"\r" in text or re.search(rb"[ \t]\n", text):
                bad.append(
                    f"{path.relative_to(REPO)}: a carriage return or a space before a line end"
                )
        self.assertEqual(bad, [])

    def test_commands_can_be_run(self):
        for name in ("course", ".ci/run"):
            self.assertTrue(os.access(REPO / name, os.X_OK), name)

    def test_every_requirement_is_pinned(self):
        for name in ("requirements.txt", "requirements-site.txt"):
            for line in (REPO / name).read_text(encoding="utf-8").splitlines():
                if line and not line.startswith("#"):
                    self.assertRegex(line, r"^[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*$", name)


if __name__ == "__main__":
    unittest.main()
