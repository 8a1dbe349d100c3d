"""Every command that a page shows can be typed, and those that are quick do what they should."""

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from page_commands import (
    Command,
    commands_of,
    fault,
    fault_of_inline,
    inline_of,
    page_files,
    parsed,
)
from programs import BIN, REPO, run

from course import driver
from course.errors import CANNOT_RUN_HERE, CourseError
from course.places import Places

# Commands that are not run here, and why.
NOT_RUN = {
    "counts": "the tests counts.* run it; with --save it writes the record",
    "plots": "tools.plots runs it; it draws for a minute",
    "site": "the tests of the site build it",
    "test": "it is what runs this",
    "setup": "it installs",
    "clean": "it removes the build",
}
RUN = {"run", "list", "diff", "evidence", "pages", "emulate", "bench"}
OWN_PROGRAM = "./my-program"  # what a reader has; one of the tests' programs stands in for it
STAND_IN = "tests/emulate/vector_add"


def everything():
    return [command for page in page_files() for command in commands_of(page)]


class Shown(unittest.TestCase):
    def assert_none(self, faults):
        self.assertEqual([f"{c.page.relative_to(REPO)}: {c.text}: {why}" for c, why in faults], [])

    def test_every_command_of_a_console_block_can_be_typed(self):
        found = everything()
        self.assertGreater(len(found), 100)
        self.assert_none([(c, why) for c in found if (why := fault(c))])

    def test_every_command_in_the_text_has_these_options(self):
        found = [command for page in page_files() for command in inline_of(page)]
        self.assertGreater(len(found), 30)
        self.assert_none([(c, why) for c in found if (why := fault_of_inline(c))])

    def test_every_rung_with_a_try_section_says_how_to_run_it(self):
        for page in (REPO / "lessons").glob("*/*/README.md"):
            key = f"{page.parts[-3]}/{page.parts[-2].partition('-')[2]}"
            runs = {c.words[2] for c in commands_of(page) if c.words[:2] == ("./course", "run")}
            programs = {c.words[0] for c in commands_of(page)}
            own = f"build/bin/{key.replace('/', '-')}"
            self.assertTrue(key in runs or own in programs, f"{page}: no command runs {key}")

    def test_what_cannot_be_typed_is_found(self):
        """Otherwise the tests above could not fail."""
        page = REPO / "README.md"
        for words, why in (
            ("./course run matmul/none", "no rung 'none'"),
            ("./course run --fast", "unrecognized arguments: --fast"),
            ("./course diff quad-reads", "required: B"),
            ("./course bench --only none", "no rung 'none'"),
            ("./course plots none", "no ladder 'none'"),
            ("build/bin/matmul-none", "no program build/bin/matmul-none"),
            ("build/bin/matmul --fast", "no option --fast"),
        ):
            self.assertIn(why, fault(Command(page, tuple(words.split()))), words)
        self.assertEqual(fault(Command(page, ("./course", "run", "a/b"), frozenset({"a/b"}))), "")
        for words in ("./course bild", "./course run --fast NAME", "build/bin/none --help"):
            self.assertNotEqual(fault_of_inline(Command(page, tuple(words.split()))), "", words)


class Run(unittest.TestCase):
    def chosen(self, name):
        """Return the commands ./course NAME, each once, that name nothing which a page makes."""
        found = [c for c in everything() if c.words[:2] == ("./course", name)]
        unique = {c.words: c for c in found if not c.made}
        self.assertTrue(unique, name)
        return list(unique.values())

    def course(self, command, **more):
        """Run a command of the course in this process; return its exit code and output."""
        options = parsed(command)
        for name, value in {"build": str(BIN.parent), **more}.items():
            setattr(options, name, value)
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = options.module.run(options, Places(REPO, BIN.parent))
        return code, out.getvalue()

    def assert_good(self, command, **more):
        code, output = self.course(command, **more)
        self.assertEqual(code, 0, f"{command.text}\n{output}")
        self.assertTrue(output, command.text)
        return output

    def test_each_command_is_run_or_has_a_reason_not_to_be(self):
        shown = {c.words[1] for c in everything() if c.words[0] == "./course"}
        self.assertEqual(shown - RUN - set(NOT_RUN), set())

    def test_every_difference(self):
        for command in self.chosen("diff"):
            output = self.assert_good(command)
            self.assertRegex(output, r"(?m)^@@ -\d|^The kernels of \S+ and \S+ are the same\.")

    def test_one_rung_of_each_ladder(self):
        """CTest runs every program; here it is the command, its table and what it says next."""
        first = {}
        for command in self.chosen("run"):
            name, slash, _ = parsed(command).what.partition("/")
            if slash:
                first[name] = command  # the last one that the pages show
        self.assertGreater(len(first), 2)
        for command in first.values():
            output = self.assert_good(command, no_build=True, device="cpu")
            self.assertIn(parsed(command).what.partition("/")[2], output)

    def test_the_records_and_the_numbers_of_the_pages(self):
        listed = [c for c in self.chosen("evidence") if not parsed(c).validate]
        self.assertTrue(listed)
        for command in listed:
            self.assertIn("h200-1", self.assert_good(command))
        commands = [c for c in everything() if c.words[:3] == ("./course", "pages", "--check")]
        self.assert_good(commands[0])

    def test_a_program_of_ones_own_is_counted(self):
        for command in self.chosen("emulate"):
            self.assertIn(OWN_PROGRAM, command.words)
            asked = command.words[2 : command.words.index(OWN_PROGRAM)]
            asked = [word for word in asked if word != "--no-build"]
            words = ["emulate", "--no-build", "--build", BIN.parent, *asked, BIN / STAND_IN]
            done = subprocess.run(
                [sys.executable, "-B", REPO / "course", *words], capture_output=True, text=True
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("global load", done.stdout)

    def test_measuring_needs_a_gpu(self):
        if not driver.why_no_gpu():
            self.skipTest("there is a GPU, which would be measured for minutes")
        for command in self.chosen("bench"):
            with tempfile.TemporaryDirectory() as folder, self.assertRaises(CourseError) as caught:
                json = str(Path(folder, "run.json"))
                self.course(command, no_build=True, save=None, json=json)
            self.assertEqual(caught.exception.code, CANNOT_RUN_HERE, command.text)

    def test_programs_with_more_than_a_device(self):
        """Those that have --device cpu alone are tests of their own, lessons.PROGRAM."""
        found = {c.words for c in everything() if c.words[0].startswith("build/bin/")}
        more = [words for words in found if words[1:] != ("--device", "cpu")]
        self.assertTrue(more)
        for words in sorted(more):
            done = run(words[0].removeprefix("build/bin/"), *words[1:])
            with self.subTest(words):
                self.assertEqual(done.stderr, "")
                # Over other inputs than the problem's own a check may fail; it shows the error.
                self.assertIn(done.returncode, (0, 1) if "--range" in words else (0,), done.stdout)
                self.assertIn("largest error" if "--range" in words else "", done.stdout)


if __name__ == "__main__":
    unittest.main()
