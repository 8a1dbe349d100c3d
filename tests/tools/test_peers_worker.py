"""The Python peers' worker, with a made-up torch, triton and measuring library."""

import array
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support

STAND_INS = Path(__file__).resolve().parent / "peers_stand_ins"
BUILD = os.environ.get("RUNGS_BUILD")
M, N, K = 64, 128, 32


def compiled(folder, name, *options):
    """Compile the made-up library; skip where no compiler is."""
    compiler = shutil.which(os.environ.get("CXX", "c++")) or shutil.which("g++")
    if compiler is None:
        raise unittest.SkipTest("no C++ compiler for the made-up measuring library")
    library = Path(folder) / name
    subprocess.run(
        [compiler, "-std=c++20", "-shared", "-fPIC", *options, f"-I{support.REPO / 'common'}"]
        + [STAND_INS / "measure.cpp", "-o", library],
        check=True,
    )
    return library


class WorkerCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="peers ü ")))
        cls.library = compiled(cls.folder, "librungs-measure.so")

    def environment(self, torch, **more):
        paths = [str(support.REPO / "common"), *([str(STAND_INS)] if torch else [])]
        kept = {name: value for name, value in os.environ.items() if "TF32" not in name}
        return {**kept, "PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "error", **more}

    def command(self, ladder="matmul", library=None):
        # -S: no torch of this machine's own.
        worker = [sys.executable, "-S", "-B", "-m", "peers.worker", ladder]
        return [*worker, "--library", str(library or self.library)]

    def ask(self, *requests, torch=True, library=None, **environment):
        """Return the answers to requests, which may be texts, and what it said on stderr."""
        lines = [r if isinstance(r, str) else json.dumps(r) for r in requests]
        done = subprocess.run(
            self.command(library=library),
            input="".join(f"{line}\n" for line in lines),
            env=self.environment(torch, **environment),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(requests))
        return answers, done.stderr

    def inputs(self, m=M, n=N, k=K):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        a = array.array("f", [(i % 7) - 3 for i in range(m * k)])
        b = array.array("f", [(i % 5) - 2 for i in range(k * n)])
        (folder / "A.f32").write_bytes(a.tobytes())
        (folder / "B.f32").write_bytes(b.tobytes())
        return folder, a, b

    def open(self, folder, cold=False, shape=(M, N, K)):
        return {"do": "open", "shape": list(shape), "cold": cold, "folder": str(folder)}


class WithTorch(WorkerCase):
    def test_hello_names_software_environment_and_variants(self):
        (hello,), _ = self.ask({"do": "hello"}, NVIDIA_TF32_OVERRIDE="0")
        self.assertEqual(hello["protocol"], "rungs-worker/1")
        self.assertEqual(hello["ladder"], "matmul")
        python = ".".join(map(str, sys.version_info[:3]))
        self.assertEqual(
            hello["software"], {"python": python, "torch": "2.11.0+made-up", "triton": "3.6.0"}
        )
        self.assertEqual(hello["environment"], {"NVIDIA_TF32_OVERRIDE": "0"})
        self.assertEqual(
            hello["variants"],
            [
                {"name": name, "kind": "peer", "math": "fp32", "order": None, "after": None}
                for name in ("torch", "triton")
            ],
        )

    def test_both_write_the_product(self):
        folder, a, b = self.inputs()
        out = [Path(tempfile.mkdtemp(dir=self.folder)) for _ in range(2)]
        answers, _ = self.ask(
            self.open(folder),
            {"do": "output", "variant": "torch", "folder": str(out[0])},
            {"do": "output", "variant": "triton", "folder": str(out[1])},
            {"do": "close"},
        )
        self.assertEqual(answers[3], {})
        columns = [b[col::N] for col in range(N)]
        rows = [a[row * K : (row + 1) * K] for row in range(M)]
        product = [sum(x * y for x, y in zip(r, c, strict=True)) for r in rows for c in columns]
        for answer, where in zip(answers[1:3], out, strict=True):
            self.assertEqual(answer, {"outputs": {"C": {"file": "C.f32"}}})
            found = array.array("f")
            found.frombytes((where / "C.f32").read_bytes())
            self.assertEqual(list(found), product)

    def test_open_says_what_triton_chose(self):
        folder, *_ = self.inputs()
        (opened,), said = self.ask(self.open(folder))
        self.assertEqual(opened["sets"], 1)
        self.assertEqual(opened["bytes"], 4 * (M * K + K * N + M * N))
        self.assertEqual(opened["refused"], {})
        # At M = 64 a block of 128 rows does not fit: 8 of the 16 are left.
        note = "64x128x32, 8 warps, 3 stages, the best of 8 configurations"
        self.assertEqual(opened["prepared"], {"triton": note})
        self.assertIn("a library says something", said)  # on stderr, not among the answers

    def test_a_configuration_that_does_not_run_is_left_out(self):
        folder, *_ = self.inputs()
        (opened,), _ = self.ask(self.open(folder), FAKE_TRITON_REFUSES="64x64")
        self.assertIn("best of 4 configurations (4 more do not run)", opened["prepared"]["triton"])

    def test_a_variant_that_cannot_do_a_shape_is_refused_alone(self):
        folder, *_ = self.inputs(64, 96, 32)
        measure = {"do": "measure", "instrument": "span", "samples": 2}
        answers, _ = self.ask(
            self.open(folder, shape=(64, 96, 32)),
            {**measure, "variant": "triton"},
            {**measure, "variant": "torch"},
        )
        self.assertEqual(list(answers[0]["refused"]), ["triton"])
        self.assertIn("N = 96", answers[0]["refused"]["triton"])
        self.assertEqual(answers[1], {"missing": answers[0]["refused"]["triton"]})
        self.assertEqual(answers[2]["samples"], [1.5, 1.5])

    def test_measure_passes_the_library_what_it_was_asked(self):
        folder, *_ = self.inputs()
        answers, _ = self.ask(
            self.open(folder),
            {"do": "measure", "variant": "torch", "instrument": "queued", "cache": "warm",
             "samples": 3, "batch": 2},
        )  # fmt: skip
        self.assertEqual(
            answers[1],
            {"unit": "us", "samples": [1.5] * 3, "instrument": "queued", "stream": 0x5EED},
        )

    def test_cold_sets_are_four_times_the_cache(self):
        folder, *_ = self.inputs()
        footprint = 4 * (M * K + K * N + M * N)
        sets = -(-4 * 50_000 // footprint)
        graph = {"do": "measure", "variant": "torch", "instrument": "graph", "cache": "cold"}
        answers, _ = self.ask(
            self.open(folder, cold=True),
            {**graph, "samples": 1, "batch": sets},
            {**graph, "samples": 1, "batch": sets - 1},
            self.open(folder),
            {**graph, "instrument": "span"},
        )
        self.assertEqual(answers[0]["sets"], sets)
        self.assertEqual(answers[1]["samples"], [1.5])
        self.assertIn("buffer sets", answers[2]["missing"])
        self.assertIn("warm cache alone", answers[4]["error"])

    def test_warm_launches_take_the_sets_that_are_asked_for_in_turn(self):
        folder, *_ = self.inputs()
        graph = {"do": "measure", "variant": "torch", "instrument": "graph", "samples": 1}
        places = {}
        for count in (1, 3):
            opened = {**self.open(folder), "buffers": count}
            answers, said = self.ask(opened, {**graph, "batch": 6}, FAKE_TORCH_SAYS="1")
            self.assertEqual(answers[0]["sets"], count)
            self.assertEqual(answers[1]["samples"], [1.5])
            lines = [line for line in said.splitlines() if line.startswith("product")]
            places[count] = lines[-6:]
        self.assertEqual(len(set(places[1])), 1)
        self.assertEqual(len(set(places[3][:3])), 3)
        self.assertEqual(places[3][:3], places[3][3:])
        answers, _ = self.ask(
            {**self.open(folder), "buffers": 3}, {**graph, "batch": 1}, {**graph, "batch": 2}
        )
        words = "replays on as many of 3 buffer sets, which the cache may hold"
        self.assertEqual(answers[1], {"missing": f"a graph of 1 launch {words}"})
        self.assertEqual(answers[2], {"missing": f"a graph of 2 launches {words}"})
        answers, _ = self.ask({**self.open(folder), "buffers": 0})
        self.assertEqual(answers[0], {"error": '"buffers" is no positive whole number'})

    def test_what_a_launch_raises_is_the_reason(self):
        folder, *_ = self.inputs()
        answers, _ = self.ask(
            self.open(folder),
            {"do": "measure", "variant": "torch", "instrument": "graph", "samples": 5},
            FAKE_TORCH_FAILS_AFTER="3",
        )
        self.assertEqual(answers[1], {"missing": "the launch failed: CUDA error: made up"})

    def test_what_is_asked_wrongly_is_an_error_and_the_next_is_answered(self):
        folder, *_ = self.inputs()
        wrong = [
            ("no json", "JSON"),
            ("[]", "object"),
            ({"do": "check"}, "there is hello"),
            ({"do": "measure", "variant": "torch", "instrument": "span"}, "no shape is open"),
            ({"do": "open", "shape": [64, 64], "folder": "x"}, "3 positive sizes"),
            ({"do": "open", "shape": [64, 64, True], "folder": "x"}, "3 positive sizes"),
            ({"do": "open", "shape": [64, 64, 0], "folder": "x"}, "3 positive sizes"),
            ({"do": "open", "shape": [64, 64, 64]}, "folder"),
            (self.open(folder / "absent"), "A.f32 cannot be read"),
            (self.open(folder, shape=(M, N, 2 * K)), "the shape needs"),
            (self.open(folder), None),
            ({"do": "measure", "variant": "x", "instrument": "span"}, "there is torch, triton"),
            ({"do": "measure", "variant": "torch"}, "instrument"),
            (
                {"do": "measure", "variant": "torch", "instrument": "span", "samples": 0},
                "positive",
            ),
            (
                {"do": "measure", "variant": "torch", "instrument": "span", "cache": "hot"},
                "warm and cold",
            ),
            (
                {"do": "output", "variant": "torch", "folder": str(folder / "absent")},
                "cannot be written",
            ),
            ({"do": "hello"}, None),
        ]
        answers, _ = self.ask(*(request for request, _ in wrong))
        for (request, words), answer in zip(wrong, answers, strict=True):
            if words is None:
                self.assertNotIn("error", answer, request)
            else:
                self.assertIn(words, answer["error"], request)

    def test_a_library_that_does_not_load_is_what_all_miss(self):
        for library in (self.folder / "absent.so", compiled(self.folder, "old.so", "-DOLD")):
            (hello,), _ = self.ask({"do": "hello"}, library=library)
            for variant in hello["variants"]:
                self.assertIn(library.name, variant["missing"])
                self.assertIn("build again", variant["missing"])

    def test_it_is_interrupted_quietly(self):
        for slow in ("", "1"):  # while it waits for a request, and while it imports torch
            with subprocess.Popen(
                self.command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self.environment(torch=True, FAKE_TORCH_IS_SLOW=slow),
            ) as worker:
                worker.stdin.write(b'{"do":"hello"}\n')
                worker.stdin.flush()
                (worker.stderr if slow else worker.stdout).readline()
                worker.send_signal(signal.SIGINT)
                code = worker.wait(10)
                said = worker.stderr.read()
            self.assertEqual(code, 130)
            self.assertNotIn(b"Traceback", said)
            self.assertNotIn(b"Interrupt", said)

    def test_an_unknown_ladder_is_wrong_use(self):
        for name in ("absent", "../matmul"):
            done = subprocess.run(
                self.command(ladder=name),
                stdin=subprocess.DEVNULL,
                env=self.environment(torch=True),
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 2)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


class WithoutTorch(WorkerCase):
    def missing(self, **how):
        folder, *_ = self.inputs()
        measure = {"do": "measure", "variant": "torch", "instrument": "span"}
        answers, _ = self.ask({"do": "hello"}, self.open(folder), measure, **how)
        sentences = [variant["missing"] for variant in answers[0]["variants"]]
        self.assertEqual(len(sentences), 2)
        for sentence in sentences:
            self.assertEqual(len(sentence.splitlines()), 1)
        self.assertEqual(answers[1]["refused"], {})
        self.assertEqual(answers[2], {"missing": sentences[0]})
        return answers[0], sentences

    def test_no_torch(self):
        hello, sentences = self.missing(torch=False)
        self.assertEqual(list(hello["software"]), ["python"])
        for sentence in sentences:
            self.assertIn("no PyTorch", sentence)

    def test_a_torch_that_cannot_be_imported(self):
        _, sentences = self.missing(FAKE_TORCH="broken")
        self.assertIn("libtorch_cuda.so", sentences[0])

    def test_a_torch_without_cuda_and_one_without_a_gpu(self):
        hello, sentences = self.missing(FAKE_TORCH="no-cuda")
        self.assertIn("without CUDA", sentences[0])
        self.assertIn("torch", hello["software"])
        _, sentences = self.missing(FAKE_TORCH="no-gpu")
        self.assertIn("no GPU", sentences[0])

    def test_no_triton_leaves_torch(self):
        alone = self.folder / "torch alone"
        shutil.copytree(STAND_INS / "torch", alone / "torch", dirs_exist_ok=True)
        paths = os.pathsep.join([str(support.REPO / "common"), str(alone)])
        (hello,), _ = self.ask({"do": "hello"}, PYTHONPATH=paths)
        torch, triton = hello["variants"]
        self.assertNotIn("missing", torch)
        self.assertIn("no Triton", triton["missing"])


class TheLadder(unittest.TestCase):
    def test_its_tensors_are_those_of_the_problem(self):
        from peers import ladders

        module = ladders.load("matmul")
        header = (support.REPO / "lessons/matmul/matmul.hpp").read_text(encoding="utf-8")
        sizes = ", ".join(f'"{name}"' for name in module.SIZES)
        self.assertIn(f".sizes = {{{sizes}}}", header)
        for name, extents in {**module.INPUTS, **module.OUTPUTS}.items():
            inside = ", ".join(f'"{extent}"' for extent in extents)
            self.assertIn(f'{{"{name}", {{{inside}}}', header)

    def test_its_configurations_are_sixteen_with_the_best_known(self):
        from peers import ladders

        module = ladders.load("matmul")
        self.assertEqual(len(set(module.CONFIGURATIONS)), 16)
        self.assertIn(module.Configuration(64, 128, 32, 8, 3), module.CONFIGURATIONS)


@unittest.skipUnless(
    BUILD and (Path(BUILD) / "bin/lib/librungs-measure.so").exists(),
    "the measuring library is not built",
)
class TheRealLibrary(unittest.TestCase):
    def test_it_loads_and_answers(self):
        from peers.library import Library

        library = Library(Path(BUILD) / "bin/lib/librungs-measure.so")
        answer = library.measure("hourglass", 3, 1, lambda index: None, 0)
        self.assertIn("hourglass", answer["error"])


if __name__ == "__main__":
    unittest.main()
