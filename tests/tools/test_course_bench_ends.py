"""bench when it is not allowed to go on: signals, workers that die, and what they say wrong."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import made_up_record
import support
from bench_checkout import BenchCheckout
from checkout import lives

from course.places import Places
from evidence.json_file import json_text


class Interrupted(BenchCheckout):
    def interrupt(self, number, *arguments):
        """Start a run whose worker is busy, send a signal; return (code, stderr, seconds)."""
        self.write_workers()
        process = subprocess.Popen(
            [sys.executable, self.root / "course", *self.command(*arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(TMPDIR=str(self.temporary)),
            cwd=self.folder,
        )
        limit = time.monotonic() + 20
        children = Path(f"{self.log}.pid")
        while not (children.exists() and children.read_text("ascii").count("\n") == 2):
            self.assertLess(time.monotonic(), limit, "the worker did not get busy")
            time.sleep(0.02)
        begun = time.monotonic()
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
        return process.returncode, errors, time.monotonic() - begun

    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()

    def hold_nothing_left(self):
        pids = Path(f"{self.log}.pid").read_text("ascii").split()
        self.assertEqual([pid for pid in pids if lives(pid)], [])
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertFalse(self.record_path("made-up").parent.exists())
        self.assertFalse((self.folder / "out.json").exists())

    def test_ctrl_c_ends_everything_within_a_second(self):
        for worker in (self.program, self.peers):
            for settings in (self.program, self.peers):
                settings.pop("hang", None)
            worker["hang"] = "measure"
            Path(f"{self.log}.pid").unlink(missing_ok=True)
            keep = ("--save", "made-up", "--json", str(self.folder / "out.json"))
            code, errors, seconds = self.interrupt(signal.SIGINT, *keep)
            self.assertEqual(code, 130, errors)
            self.assertLess(seconds, 1.0)
            self.assertEqual(errors.splitlines()[-1], "course: interrupted")
            self.assertNotIn("Traceback", errors)
            self.hold_nothing_left()

    def test_a_worker_that_ignores_it_is_ended_within_a_second_too(self):
        self.program["ignore"] = True
        self.program["hang"] = "measure"
        code, errors, seconds = self.interrupt(signal.SIGINT)
        self.assertEqual(code, 130, errors)
        self.assertLess(seconds, 1.0)
        self.hold_nothing_left()

    def test_termination_ends_everything_too(self):
        self.program["hang"] = "check"
        code, errors, _ = self.interrupt(signal.SIGTERM)
        self.assertEqual(code, 128 + signal.SIGTERM, errors)
        self.hold_nothing_left()

    def test_workers_end_when_all_is_done(self):
        self.bench("--rounds", "1", check=0, env={"TMPDIR": str(self.temporary)})
        self.assertEqual(list(self.temporary.iterdir()), [])


class Progress(BenchCheckout):
    def test_a_terminal_shows_variant_instrument_round_and_time_left(self):
        self.write_workers()
        controller, terminal = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, self.root / "course", *self.command("--rounds", "2")],
            stdout=subprocess.DEVNULL,
            stderr=terminal,
            env=self.environment(TERM="xterm", COLUMNS="100", STANDIN_DELAY="0.01"),
            cwd=self.folder,
        )
        os.close(terminal)
        shown = b""
        while True:
            try:
                chunk = os.read(controller, 65536)
            except OSError:  # the terminal's other end is closed
                break
            if not chunk:
                break
            shown += chunk
        os.close(controller)
        self.assertEqual(process.wait(20), 0)
        text = shown.decode("ascii", "replace")
        where = r"round [12] of 2  (first|second|aside|lib|torch|triton)[^\r]*"
        self.assertRegex(text, where + r"  (kernel|span|queued-10+|graph-10*)  about \d+ s left")
        for line in re.split(r"[\r\n]", text):
            self.assertLess(len(line.replace("\x1b[K", "")), 100)

    def test_nothing_is_redrawn_where_there_is_no_terminal(self):
        done = self.bench("--rounds", "1", check=0)
        self.assertNotIn("\r", done.stderr)
        self.assertNotIn("\x1b", done.stderr)


class Workers(BenchCheckout):
    def test_a_worker_that_dies_is_told_with_its_last_line(self):
        death = {"do": "measure", "say": "one\nCUDA: unspecified launch failure\n\n", "code": 3}
        self.program["die"] = {**death, "variant": "aside"}
        words = "demo ended with exit code 3 at 'measure': CUDA: unspecified launch failure$"
        self.refused(1, words, "--save", "made-up")
        self.assertFalse(self.record_path("made-up").parent.exists())
        del self.program["die"]
        self.peers["die"] = {**death, "do": "open"}
        self.refused(1, "the Python peers ended with exit code 3 at 'open': CUDA: unspecified")

    def test_one_that_ends_after_an_error_is_told_with_that(self):
        self.program["answers"] = {"check/aside": {"error": "out of bounds"}}
        self.program["die"] = {"do": "check", "variant": "lib", "say": "", "code": 1}
        self.refused(1, "demo ended with exit code 1 at 'check': out of bounds$")

    def test_one_that_says_nothing_is_told_too(self):
        self.program["die"] = {"do": "hello", "say": "", "code": 77}
        self.refused(77, "demo ended with exit code 77 at 'hello': it said nothing$")

    def test_another_protocol_is_refused(self):
        self.program["answers"] = {"hello": {"protocol": "rungs-worker/9"}}
        self.refused(1, "demo speaks 'rungs-worker/9', this course rungs-worker/1; build again")

    def test_what_is_no_answer_is_refused(self):
        for said, words in (
            ("hi", "demo, its answer to 'hello': is no JSON at line 1"),
            ("[1]", "demo answered 'hello' with no object"),
        ):
            with self.subTest(said=said):
                self.program["answers"] = {"hello": said}
                self.refused(1, words)

    def test_a_refusal_to_open_ends_the_run(self):
        self.program["answers"] = {"open": {"error": "141 GB are not enough"}}
        self.refused(1, "^course: 141 GB are not enough$")

    def test_it_needs_a_gpu(self):
        device = {"kind": "cpu", "name": "CPU device", "reason": "no NVIDIA driver here"}
        self.program["hello"]["device"] = device
        words = "bench measures and so needs a GPU: no NVIDIA driver here; ./course run counts"
        self.refused(77, words)
        self.assertEqual([r["do"] for r in self.requests()], ["hello"])

    def test_two_machines_are_no_record(self):
        other = {**self.program["hello"]["machine"], "name": "Another GPU"}
        self.peers["hello"]["machine"] = other
        self.refused(1, "two machines", "--rounds", "1")

    def test_verbose_shows_what_workers_say(self):
        self.program["die"] = {"do": "close", "say": "a warning\nthe end\n", "code": 4}
        done = self.refused(1, "the end", "--rounds", "1", "--verbose")
        self.assertIn("a warning\n", done.stderr)


class WrongUse(BenchCheckout):
    """What only the program knows, with a GPU and without one."""

    def setUp(self):
        super().setUp()
        self.cpu = {"kind": "cpu", "name": "CPU device", "reason": "no NVIDIA driver here"}

    def test_a_name_that_is_none(self):
        for device in (self.program["hello"]["device"], self.cpu):
            self.program["hello"]["device"] = device
            self.refused(2, "there is no 'nonsense' here; there is first,", "--only", "nonsense")
        for name in ("second", "lib", "torch"):
            self.refused(77, "needs a GPU", "--only", name)

    def test_a_size_that_no_rung_takes(self):
        why = {name: f"{name}: M = 63 is no multiple of 16" for name in ("first", "second")}
        opened = {"sets": 1, "multiply_adds": 1, "bytes": 12, "input_bytes": 8, "prepared": {}}
        for device in (self.program["hello"]["device"], self.cpu):
            self.program["hello"]["device"] = device
            refused = {**why, "aside": "aside: M = 63 is no multiple of 32"}
            self.program["answers"] = {"open": {**opened, "refused": refused}}
            words = "--sizes: no rung takes 63; aside: M = 63 is no multiple of 32$"
            self.refused(2, words, "--sizes", "63")
            self.assertEqual(self.requests("measure"), [])
        self.program["answers"] = {"open": {**opened, "refused": why}}  # one does take it
        self.refused(77, "needs a GPU", "--sizes", "63")


class WithoutAGpu(BenchCheckout):
    def setUp(self):
        super().setUp()
        if Path("/dev/nvidiactl").exists() or Path("/dev/dxg").exists():
            self.skipTest("there is a GPU here")

    def test_nothing_is_built(self):
        self.set_up()
        words = "bench measures and so needs a GPU: .*; ./course run counts without one"
        self.sentence(77, words, "bench", "demo")
        self.assertEqual(self.called(), [])

    def test_run_on_a_gpu_is_refused_before_the_build_too(self):
        self.set_up()
        words = "^course: --device gpu needs a GPU: .*; without --device the CPU device counts$"
        self.sentence(77, words, "run", "demo", "--device", "gpu")
        self.assertEqual(self.called(), [])

    def test_what_is_wrong_use_with_a_gpu_is_so_without_one(self):
        self.set_up()
        words = "there is no 'nonsense' here; there is first, second, aside, library, library-tf32,"
        asked = ("bench", "demo", "--only", "nonsense")
        self.sentence(77, "needs a GPU", *asked)  # it may be a peer, for all that is known
        path = self.record_path("made-up")
        path.parent.mkdir()
        path.write_text(json_text(made_up_record.record()), encoding="utf-8")
        self.sentence(2, words, *asked)
        for name in ("0-first", "demo/second", "library-tf32", "floor-ffma"):
            self.sentence(77, "needs a GPU", "bench", "demo", "--only", name)
        self.sentence(2, "--python '/nowhere' is no prog", "bench", "demo", "--python", "/nowhere")
        self.assertEqual(self.called(), [])

    def test_the_real_program_says_so_too(self):
        build = Path(os.environ.get("RUNGS_BUILD", support.REPO / "build"))
        program = Places(support.REPO, build).bin / "matmul"
        if not program.exists():
            self.skipTest(f"{program.name} is not built")
        done = subprocess.run(
            [sys.executable, support.REPO / "course", "bench", "--no-build", "--build", build],
            capture_output=True,
            text=True,
            env=self.environment(),
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], "^course: bench measures and so needs a GPU")
        self.assertNotIn("Traceback", done.stderr)


class RealWorker(unittest.TestCase):
    """The ladder's own program on the CPU device, asked as the conductor asks."""

    def setUp(self):
        from course.bench.worker import Worker, workers

        build = Path(os.environ.get("RUNGS_BUILD", support.REPO / "build"))
        self.program = Places(support.REPO, build).bin / "matmul"
        if not self.program.exists():
            self.skipTest(f"{self.program.name} is not built")
        context = workers()
        started = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.worker = Worker("matmul", [self.program, "--worker", "--device", "cpu"])
        started.append(self.worker)

    def test_it_checks_and_describes_and_never_times(self):
        from course.bench.plan import Instrument

        ask = self.worker.ask
        hello = ask({"do": "hello"})
        self.assertEqual(hello["device"]["kind"], "cpu")
        self.assertIn("transposed-a", [variant["name"] for variant in hello["variants"]])
        opened = ask({"do": "open", "shape": [128, 128, 64], "cold": False})
        self.assertEqual(opened["multiply_adds"], 128 * 128 * 64)
        check = ask({"do": "check", "variant": "transposed-a", "small": False})
        self.assertTrue(check["passed"], json.dumps(check))
        (kernel,) = ask({"do": "resources", "variant": "transposed-a"})["kernels"]
        self.assertGreater(kernel["blocks_per_multiprocessor"], 0)
        how = Instrument("kernel", "warm", 1, 2)
        self.assertIn("never times", ask(how.request("transposed-a"))["missing"])
        self.assertEqual(ask({"do": "close"}), {})


if __name__ == "__main__":
    unittest.main()
