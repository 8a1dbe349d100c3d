"""How a program of the course is used, and how it refuses what cannot be done."""

import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from programs import BIN, run, rung_names

SMALL = ("--device", "cpu", "--shape", "128,64,128")


def refusals(program, shapes):
    """Return what the program's worker answers of each shape: sentences by rung's name."""
    lines = [json.dumps({"do": "open", "shape": shape}) + "\n" for shape in shapes]
    done = run(program, "--worker", "--device", "cpu", input="".join(lines))
    answers = [json.loads(line)["refused"] for line in done.stdout.splitlines()]
    return dict(zip(shapes, answers, strict=True))


class Refusals(unittest.TestCase):
    def refused(self, *arguments, program="matmul-transposed-a", code=2, **options):
        """Return the one sentence on stderr with which the program refuses."""
        done = run(program, *arguments, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr.strip()

    def test_sizes_that_are_none(self):
        for size in ("0", "-5", "1e3", "12abc", "99999999999", "", "1.5", " 64"):
            with self.subTest(size):
                sentence = self.refused("--shape", f"{size},64,64")
                self.assertIn("--shape: M = ", sentence)

    def test_a_number_of_sizes_that_is_none(self):
        for shape in ("64", "64,64", "64,64,64,64", "64x64x64"):
            with self.subTest(shape):
                self.assertIn("is not M,N,K", self.refused("--shape", shape))

    def test_sizes_that_are_no_multiples_of_the_tile(self):
        self.assertEqual(
            self.refused("--shape", "1000,1024,1024"),
            "matmul/transposed-a: M = 1000 is not a multiple of 64; "
            "the nearest good M is 1024 (or 960)",
        )
        self.assertIn("K = 48 is not a multiple of 32", self.refused("--shape", "64,64,48"))

    def test_the_ladder_names_a_size_that_all_its_rungs_do(self):
        said = self.refused("--shape", "1000,1024,1024", program="matmul")
        words = r"matmul: M = 1000 is not a multiple of (\d+); the nearest good M is (\d+)"
        tile, good = map(int, re.match(words, said).groups())
        # The tall tile has the most rows of the published rungs; a further rung may have more.
        self.assertEqual((tile % 128, good % tile), (0, 0))

    def test_sizes_beyond_grid_index_and_memory(self):
        sentence = self.refused("--shape", "4194304,64,32")
        self.assertIn("more than the grid can cover; the nearest good M is 4194240", sentence)
        self.assertIn("index with 32 bits", self.refused("--shape", "65536,65536,32"))

    def test_more_memory_than_there_is(self):
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if free > 60e9:
            self.skipTest("this machine has the 69 GB that the largest square needs")
        self.assertIn("needs 68.7 GB of memory", self.refused("--shape", "46336,46336,46336"))

    def test_unknown_options_rungs_and_devices(self):
        self.assertIn("--bogus", self.refused("--bogus"))
        self.assertIn("extra", self.refused("extra"))
        self.assertIn("tpu", self.refused("--device", "tpu"))
        sentence = self.refused("--rung", "nothing", program="matmul")
        self.assertIn('no rung is called "nothing"; there is baseline,', sentence)
        self.assertIn("--rung", self.refused("--rung", "baseline"))  # there is only one here

    def test_options_that_contradict_each_other(self):
        self.assertIn("--check", self.refused("--check", "--profile"))
        self.assertIn("a GPU does not count", self.refused("--counts", "--device", "gpu"))

    def test_a_document_that_cannot_be_written(self):
        sentence = self.refused(*SMALL, "--json", "/nowhere/at/all.json")
        self.assertEqual(sentence, "cannot write /nowhere/at/all.json: No such file or directory")
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("cannot write", self.refused(*SMALL, "--json", folder))

    def test_a_cpu_device_that_is_not_built(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = Path(folder, "alone")
            alone.write_bytes((BIN / "matmul-transposed-a").read_bytes())
            alone.chmod(0o755)
            path = {**os.environ, "LD_LIBRARY_PATH": str(BIN / "lib")}
            sentence = self.refused("--device", "cpu", program=alone, code=77, env=path)
        self.assertIn("the CPU device is not built: there is no ", sentence)

    def test_a_gpu_that_is_not_there(self):
        # The CPU device stands in for a runtime that finds no GPU.
        preloaded = {**os.environ, "LD_LIBRARY_PATH": str(BIN / "cpu-device")}
        sentence = self.refused("--device", "gpu", code=77, env=preloaded)
        self.assertIn("runs on the CPU device", sentence)


class Outputs(unittest.TestCase):
    def test_a_full_disk_is_an_error(self):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [BIN / "matmul-transposed-a", *SMALL],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "cannot write the report: No space left on device\n")
        done = run("matmul-transposed-a", *SMALL, "--json", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "cannot write /dev/full: No space left on device\n")
        self.assertTrue(Path("/dev/full").is_char_device())

    def test_a_closed_pipe_ends_the_program_quietly(self):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "w") as closed:
            done = subprocess.run(
                [BIN / "matmul-transposed-a", *SMALL],
                stdout=closed,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        self.assertEqual(done.returncode, -signal.SIGPIPE)
        self.assertEqual(done.stderr, "")

    def test_stdout_is_the_document_alone_when_asked_for(self):
        done = run("matmul-transposed-a", *SMALL, "--json", "-")
        self.assertEqual(json.loads(done.stdout)["schema"], "rungs-run/1")
        self.assertTrue(done.stderr.startswith("device: CPU device (as asked), "))

    def test_output_is_plain_ascii(self):
        done = run("matmul-transposed-a", *SMALL)
        self.assertTrue(done.stdout.isascii())
        self.assertNotIn("\x1b", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_a_locale_with_a_decimal_comma_changes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(
                ["localedef", "-i", "de_DE", "-f", "UTF-8", Path(folder, "de_DE.UTF-8")],
                capture_output=True,
                check=False,
            )
            if made.returncode != 0:
                self.skipTest("localedef cannot make de_DE.UTF-8; install the package locales")
            german = {**os.environ, "LOCPATH": folder, "LC_ALL": "de_DE.UTF-8"}
            plain, comma = (
                run("matmul-transposed-a", *SMALL, "--json", "-", env=env) for env in (None, german)
            )
        self.assertIn("0.125", comma.stderr)
        self.assertEqual((plain.stdout, plain.stderr), (comma.stdout, comma.stderr))

    def test_list_and_describe_need_no_device(self):
        listed = run("matmul", "--list")
        self.assertIn("matmul/k64  kept, after transposed-a\n", listed.stdout)
        described = json.loads(run("matmul", "--describe").stdout)
        self.assertEqual(len(described["rungs"]), len(listed.stdout.splitlines()))
        self.assertNotIn("device", described)

    def test_help_and_version(self):
        for option, expected in (("--help", "--shape TEXT"), ("--version", "matmul/transposed-a")):
            done = run("matmul-transposed-a", option)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(expected, done.stdout)


class Runs(unittest.TestCase):
    def test_rectangular_shapes(self):
        shapes = [(128, 64, 64), (128, 192, 128), (256, 128, 192), (256, 128, 384)]
        refused = refusals("matmul", shapes)
        done = run("matmul", "--device", "cpu", "--shape", "256,128,384", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rungs = json.loads(done.stdout)["rungs"]
        self.assertEqual([rung["name"] for rung in rungs], rung_names("matmul"))
        for rung in rungs:
            name, check = rung["name"], rung["check"]
            with self.subTest(name):
                checked = [tuple(one["shape"].values()) for one in check["shapes"]]
                self.assertEqual(checked, [s for s in shapes if name not in refused[s]])
                self.assertTrue(check["passed"])
                words = f"matmul/{name}\n  check:   passed at {len(checked)} shapes,"
                self.assertIn(words, done.stderr)
        # The asynchronous copy loads two steps ahead: one step along K is too few for it.
        self.assertEqual([set(refused[s]) for s in shapes], [{"async-copy"}, set(), set(), set()])

    def test_results_do_not_depend_on_the_number_of_threads(self):
        one, three = (
            run("matmul-k64", *SMALL, "--threads", threads, "--json", "-") for threads in "13"
        )
        self.assertIn(", 1 thread\n", one.stderr)
        self.assertIn(", 3 threads\n", three.stderr)
        self.assertEqual(one.stdout, three.stdout)

    def test_the_seed_changes_inputs_and_not_counts(self):
        first, second = (
            json.loads(run("matmul-k64", *SMALL, "--seed", seed, "--json", "-").stdout)
            for seed in "12"
        )
        self.assertEqual((first["seed"], second["seed"]), (1, 2))
        (first,), (second,) = first["rungs"], second["rungs"]
        self.assertNotEqual(first["check"], second["check"])
        self.assertEqual(first["counts"], second["counts"])

    def test_a_check_alone_does_not_count(self):
        document = json.loads(run("matmul-k64", *SMALL, "--check", "--json", "-").stdout)
        self.assertTrue(document["rungs"][0]["check"]["passed"])
        self.assertIsNone(document["rungs"][0]["counts"]["ptx"])

    def test_a_profiled_run_is_one_launch(self):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "counts.json")
            env = {**os.environ, "RUNGS_CPU_DEVICE_REPORT": str(report)}
            done = run("matmul-k64", *SMALL, "--profile", env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            (kernel,) = json.loads(report.read_text(encoding="utf-8"))["kernels"]
        self.assertEqual(kernel["launches"], 1)


if __name__ == "__main__":
    unittest.main()
