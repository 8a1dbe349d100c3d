"""How the command ends when it is not allowed to go on: signals, pipes, full and closed output."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from checkout import Checkout, lives


class Signals(Checkout):
    def setUp(self):
        super().setUp()
        self.set_up()
        self.build_ladder()

    def interrupt(self, number, *arguments):
        """Start a run that is busy, send it a signal; return (exit code, stderr, its children)."""
        process = subprocess.Popen(
            [sys.executable, self.root / "course", "run", "demo", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(STANDIN_SLEEP="60"),
            cwd=self.folder,
        )
        children = Path(f"{self.log}.pid")
        limit = time.monotonic() + 20
        while not (children.exists() and children.read_text("utf-8").count("\n") == 2):
            self.assertLess(time.monotonic(), limit, "the ladder's program did not start")
            time.sleep(0.02)
        begun = time.monotonic()
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
        self.assertLess(time.monotonic() - begun, 8)
        return process.returncode, errors, children.read_text("utf-8").split()

    def test_ctrl_c_ends_the_children_and_leaves_no_file(self):
        out = self.folder / "out.json"
        before = sorted(self.folder.iterdir())
        code, errors, children = self.interrupt(signal.SIGINT, "--json", str(out))
        self.assertEqual(code, 130)
        self.assertEqual(errors.splitlines()[-1], "course: interrupted")
        self.assertNotIn("Traceback", errors)
        self.assertEqual([pid for pid in children if lives(pid)], [])
        left = set(self.folder.iterdir()) - set(before)
        self.assertEqual({path.name for path in left}, {"log", "log.pid"})

    def test_termination_ends_the_children_too(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            Path(f"{self.log}.pid").unlink(missing_ok=True)
            code, errors, children = self.interrupt(number)
            self.assertEqual(code, 128 + number)
            self.assertNotIn("Traceback", errors)
            self.assertEqual([pid for pid in children if lives(pid)], [])

    def test_the_next_command_goes_on_as_if_nothing_had_been(self):
        self.interrupt(signal.SIGINT)
        self.course("run", "demo", check=0)


class Output(Checkout):
    def setUp(self):
        super().setUp()
        self.set_up()
        self.build_ladder()
        self.save_counts()

    def test_a_closed_pipe_ends_it_quietly(self):
        for arguments in (["list"], ["list", "--json"], ["diff", "first", "second"], ["--help"]):
            reading, writing = os.pipe()
            os.close(reading)
            done = self.course(*arguments, stdout=writing, stderr=subprocess.PIPE)
            os.close(writing)
            self.assertEqual(done.stderr, "", arguments)
            self.assertIn(done.returncode, (0, 128 + signal.SIGPIPE), arguments)

    def test_full_output_is_an_error(self):
        with Path("/dev/full").open("w", encoding="utf-8") as full:
            for arguments in (["list"], ["run", "demo"], ["run", "demo", "--json", "-"]):
                done = self.course(*arguments, stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 1, done.stderr)
                last = done.stderr.splitlines()[-1]
                self.assertEqual(last, "course: cannot go on: No space left on device")
                self.assertNotIn("Traceback", done.stderr)

    def test_a_file_that_cannot_be_written_is_named_before_the_run(self):
        (self.folder / "folder").mkdir()
        for name, words in (
            (self.folder / "none/out.json", "there is no folder .*none"),
            (self.folder / "folder", "it is a folder"),
            ("/proc/version/x", "there is no folder"),
        ):
            self.log.unlink(missing_ok=True)
            self.sentence(2, f"cannot write .*: {words}", "run", "demo", "--json", str(name))
            self.assertEqual(self.called(), [])

    def test_a_full_file_keeps_nothing(self):
        self.sentence(
            1,
            "cannot write /dev/full: No space left on device",
            "run",
            "demo",
            "--json",
            "/dev/full",
        )

    def test_a_pipe_can_be_the_file(self):
        done = self.course("run", "demo", "--json", "/dev/stdout", check=0)
        end = done.stdout.index("\ndemo, M") if "\ndemo, M" in done.stdout else None
        self.assertEqual(json.loads(done.stdout[:end].split("demo, M = ")[0]), self.document)

    def test_a_decimal_comma_changes_nothing(self):
        usual = self.course("run", "demo", check=0).stdout
        for locale in ("de_DE.UTF-8", "de_DE", "C", "POSIX", "nonsense"):
            found = self.course("run", "demo", check=0, env={"LC_ALL": locale, "LANG": locale})
            self.assertEqual(found.stdout, usual)

    def test_an_output_in_ascii_can_name_any_path(self):
        env = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
        (self.places.bin / "demo").unlink()
        self.sentence(77, r"K\\xfcrs/build/bin/demo", "run", "demo", "--no-build", env=env)

    def test_nothing_is_coloured_off_a_terminal(self):
        source = self.root / "lessons/demo/1-second/second.cu"
        source.write_text(source.read_text("utf-8").replace("2.0f", "3.0f"), "utf-8")
        for arguments in (["diff", "first", "second"], ["run", "demo"], ["list"]):
            done = self.course(*arguments, check=0, env={"TERM": "xterm"})
            self.assertNotIn("\x1b", done.stdout + done.stderr)
            self.assertNotIn("\r", done.stdout + done.stderr)

    def test_on_a_terminal_there_are_colours_unless_they_are_refused(self):
        source = self.root / "lessons/demo/1-second/second.cu"
        source.write_text(source.read_text("utf-8").replace("2.0f", "3.0f"), "utf-8")
        for env, coloured in (({"NO_COLOR": None}, True), ({"NO_COLOR": "1"}, False)):
            text = self.on_a_terminal("diff", "first", "second", env={"TERM": "xterm", **env})
            self.assertEqual("\x1b[32m+" in text, coloured)

    def test_progress_is_shown_on_a_terminal(self):
        env = {"TERM": "xterm", "STANDIN_SLEEP": "0.5"}
        self.assertIn("running  ", self.on_a_terminal("run", "demo", env=env))

    def on_a_terminal(self, *arguments, env):
        """Return what the command prints on a terminal."""
        controller, terminal = os.openpty()
        self.course(*arguments, check=0, env=env, stdout=terminal, stderr=terminal)
        os.close(terminal)
        found = b""
        try:
            while chunk := os.read(controller, 65536):
                found += chunk
        except OSError:
            pass  # everything was read
        os.close(controller)
        return found.decode("utf-8")


if __name__ == "__main__":
    unittest.main()
