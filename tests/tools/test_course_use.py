"""The command line: what is wrong is said in one sentence, with what would work."""

import subprocess
import sys
import unittest

import support
from checkout import Checkout

from course import ladder
from course.commands.diff import difference
from course.errors import CourseError
from course.main import COMMANDS
from evidence import lessons


class WrongUse(Checkout):
    def test_unknown_command_option_ladder_and_rung(self):
        for arguments, words in (
            (["bild"], "no command 'bild'; there is run, test, list, diff"),
            (["--fast"], "see ./course --help"),
            (["run", "--fast"], "unrecognized arguments: --fast; see ./course run --help$"),
            (["run", "--dev=cpu", "demo"], "unrecognized arguments: --dev=cpu"),
            (["run", "--device", "tpu"], "invalid choice: 'tpu'"),
            (["run", "--shape"], "--shape: expected one argument"),
            (["run", "matmull"], "no ladder 'matmull'; there is demo"),
            (["run", "demo/third"], "no rung 'third' in demo; there is first, second, aside"),
            (["run", "demo/"], "no rung '' in demo"),
            (["run", ""], "no ladder ''"),
            (["list", "none"], "no ladder 'none'; there is demo"),
            (["counts", "none"], "no ladder 'none'"),
            (["diff", "first"], "required: B"),
            (["diff", "first", "third"], "no rung 'third'; there is demo/first, demo/second"),
            (["diff", "none/first", "first"], "no ladder 'none'"),
            (["emulate"], "required: PROGRAM"),
            (["emulate", "./no-such-program"], "cannot run ./no-such-program: there is no such"),
            (["emulate", __file__], "it is not executable"),
        ):
            with self.subTest(arguments=arguments):
                done = self.sentence(2, words, *arguments)
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))

    def test_help_for_the_whole_and_for_each_command(self):
        self.assertIn("usage: ./course", self.course(check=0).stdout)
        whole = self.course("--help", check=0).stdout
        for name in ("run", "test", "list", "diff", "counts", "emulate", "site", "setup", "clean"):
            self.assertRegex(whole, rf"\n    {name} +\w")
            text = self.course(name, "--help", check=0).stdout
            self.assertIn("--build DIR", text)
            self.assertTrue(text.isascii())

    def test_help_fits_a_terminal_of_80_columns(self):
        for name in ("", *(module.NAME for module in COMMANDS)):
            text = self.course(*filter(None, [name]), "--help", check=0).stdout
            wide = [line for line in text.splitlines() if len(line) >= 80]
            self.assertEqual(wide, [], name)

    def test_of_many_rungs_an_unknown_name_leads_to_those_that_come_near(self):
        for name, words in (
            ("matmul/transpose", "did you mean transposed-a"),
            ("transpose", "did you mean matmul/transposed-a"),
            ("matmul/zzz", "./course list names them all"),
            ("zzz", "./course list names them all"),
        ):
            with self.subTest(name), self.assertRaises(CourseError) as caught:
                ladder.find_rung(support.REPO, name)
            self.assertIn(words, str(caught.exception))

    def test_another_system_is_refused_in_one_sentence(self):
        run = f"import platform, runpy, sys; {{}}; runpy.run_path({str(support.REPO / 'course')!r})"
        for change in ("sys.platform = 'win32'", "platform.machine = lambda: 'aarch64'"):
            command = [sys.executable, "-B", "-c", run.format(change)]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (77, ""), done.stderr)
            self.assertRegex(done.stderr, r"^course: runs on Linux on x86-64, .*; this is .*\n$")

    def test_it_runs_from_anywhere_and_through_a_link(self):
        self.save_counts()
        (self.folder / "c").symlink_to(self.root / "course")
        self.assertIn("second", self.course("list", cwd="/", check=0).stdout)


class Diff(Checkout):
    def test_the_marked_regions_with_the_lines_of_their_files(self):
        source = self.root / "lessons/demo/1-second/second.cu"
        text = source.read_text(encoding="utf-8")
        source.write_text(
            "// One line more.\n" + text.replace("* 2.0f", "* 4.0f"), encoding="utf-8"
        )
        for names in (
            ("first", "second"),
            ("demo/first", "demo/second"),
            ("0-first", "demo/1-second"),
        ):
            lines = self.course("diff", *names, check=0).stdout.splitlines()
            self.assertEqual(lines[0], "--- lessons/demo/0-first/first.cu")
            self.assertEqual(lines[1], "+++ lessons/demo/1-second/second.cu")
            self.assertEqual(lines[2], "@@ -8,3 +9,3 @@")
            self.assertIn("-  c[threadIdx.x] = a[threadIdx.x] * 2.0f;  // why", lines)
            self.assertIn("+  c[threadIdx.x] = a[threadIdx.x] * 4.0f;  // why", lines)
            self.assertEqual(source.read_text(encoding="utf-8").splitlines()[8], lines[3][1:])

    def test_constants_are_compared_too(self):
        rungs = [lessons.rung(support.REPO, "matmul", name) for name in ("transposed-a", "k64")]
        lines = difference(support.REPO, *rungs)
        self.assertEqual(
            [line[:25] for line in lines if line[0] == "+"][1:], ["+constexpr int k_step = 64"[:25]]
        )
        source = rungs[1].source.read_text(encoding="utf-8").splitlines()
        start, count = map(int, lines[2].split("+")[1].split(" ")[0].split(","))
        shown = [line[1:] for line in lines[3:] if line[0] in " +"]
        self.assertEqual(shown, source[start - 1 : start - 1 + count])

    def test_equal_kernels_and_a_lost_marker(self):
        said = self.course("diff", "first", "second", check=0).stdout
        self.assertTrue(said.endswith("are the same.\n"))
        source = self.root / "lessons/demo/1-second/second.cu"
        source.write_text("constexpr int threads = 8;\n" + source.read_text("utf-8"), "utf-8")
        said = self.course("diff", "first", "lessons/demo/1-second/", check=0).stdout
        self.assertIn("are the same.\nTheir files differ in launch or", said)
        self.assertIn("lessons/demo/1-second/second.cu", said)
        source.write_text(source.read_text("utf-8").replace("// [kernel]\n", ""), "utf-8")
        self.sentence(1, r"second.cu: the line // \[kernel\] is missing", "diff", "first", "second")


if __name__ == "__main__":
    unittest.main()
