"""The worker mode of a ladder's program, through the program itself, on the CPU device."""

import array
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPO = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPO / "common"))

from evidence import source_hash  # noqa: E402

BIN = Path(os.environ["RUNGS_BIN"])
OPEN = {"do": "open", "shape": [128, 64, 128]}  # a shape that every rung takes
FACTS = ["name", "registers", "static_shared_bytes", "dynamic_shared_bytes", "local_bytes"]
FACTS += ["block_threads", "blocks", "blocks_per_multiprocessor"]


def ask(*requests, program="matmul", words=("--device", "cpu")):
    """Return the answers to requests (objects, or lines as they are) and the exit code."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in requests]
    # A program in another folder than the build's has no CPU device of its own.
    path = {} if program == "matmul" else {"LD_LIBRARY_PATH": str(BIN / "cpu-device")}
    done = subprocess.run(
        [BIN / program, "--worker", *words],
        env={**os.environ, **path},
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def sum_c(folder, size):
    """Write the right C of a square problem of this size into the folder, by plain sums."""
    a, b = array.array("f"), array.array("f")
    for name, tensor in (("A", a), ("B", b)):
        tensor.frombytes((folder / f"{name}.f32").read_bytes())
    c = array.array("f", bytes(4 * size * size))
    for row in range(size):
        for col in range(size):
            c[row * size + col] = sum(a[row * size + k] * b[k * size + col] for k in range(size))
    (folder / "C.f32").write_bytes(c.tobytes())
    return c


class Worker(unittest.TestCase):
    def answers(self, *requests, **options):
        said, code = ask(*requests, **options)
        self.assertEqual(code, 0)
        self.assertEqual(len(said), len(requests))
        return said

    def error(self, *requests):
        answer = self.answers(*requests)[-1]
        self.assertEqual(list(answer), ["error"])
        return answer["error"]

    def test_it_ends_with_its_input(self):
        self.assertEqual(ask(), ([], 0))

    def test_hello_says_what_there_is(self):
        [hello] = self.answers({"do": "hello"})
        self.assertEqual(hello["protocol"], "rungs-worker/1")
        self.assertEqual(hello["ladder"], "matmul")
        self.assertEqual(hello["device"]["kind"], "cpu")
        self.assertEqual(hello["machine"]["multiprocessors"], 132)
        self.assertEqual(hello["machine"]["l2_bytes"], 62914560)
        self.assertRegex(hello["software"]["cuda_runtime"], r"^13\.\d+$")
        variants = {one["name"]: one for one in hello["variants"]}
        self.assertEqual(hello["variants"][0]["name"], "baseline")
        self.assertIsNone(variants["baseline"]["after"])
        expected = {"name": "k64", "kind": "kept", "math": "fp32", "order": 4}
        self.assertEqual(variants["k64"], {**expected, "after": "transposed-a"})

    def test_open_says_how_large_it_is(self):
        warm, cold = self.answers(OPEN, {**OPEN, "shape": [256, 256, 256], "cold": True})
        self.assertEqual(warm["sets"], 1)
        self.assertEqual(warm["multiply_adds"], 128 * 64 * 128)
        self.assertEqual(warm["bytes"], 4 * (128 * 128 + 128 * 64 + 128 * 64))
        self.assertEqual(warm["input_bytes"], 4 * (128 * 128 + 128 * 64))
        self.assertEqual(warm["refused"], {})
        self.assertEqual(cold["bytes"], 3 * 4 * 256 * 256)
        self.assertEqual(cold["sets"], 4 * 62914560 // cold["bytes"])

    def test_open_has_as_many_sets_as_launches_take_in_turn(self):
        two, cold = self.answers(
            {**OPEN, "buffers": 2},
            {**OPEN, "shape": [256, 256, 256], "cold": True, "buffers": 2},
        )
        self.assertEqual(two["sets"], 2)
        self.assertEqual(cold["sets"], 4 * 62914560 // cold["bytes"])
        self.assertEqual(
            self.error({**OPEN, "buffers": 0}), '"buffers" is no positive whole number'
        )

    def test_open_fills_inputs_by_ranges_until_the_next_open(self):
        with tempfile.TemporaryDirectory() as name:
            self.answers(
                {**OPEN, "ranges": {"A": [9.5, 10.5], "B": [1, 1]}},
                {"do": "export", "folder": name},
            )
            a, b = (array.array("f", Path(name, f"{t}.f32").read_bytes()) for t in "AB")
            self.assertGreaterEqual(min(a), 9.5)
            self.assertLess(min(a), 9.51)
            self.assertGreater(max(a), 10.49)
            self.assertEqual(set(b), {1.0})
            answers = self.answers(
                {**OPEN, "ranges": {"A": [1, 1], "B": [1, 1]}},
                {"do": "check", "variant": "baseline"},
                OPEN,
                {"do": "export", "folder": name},
            )
            self.assertEqual(answers[1]["shapes"][0]["max_relative_error"], 0)  # all C are 128
            self.assertLess(min(array.array("f", Path(name, "B.f32").read_bytes())), 0)

    def test_ranges_that_cannot_be_filled_are_refused(self):
        for ranges, sentence in (
            ({"X": [0, 1]}, '"ranges": no input is called "X"; there is A, B'),
            ({"A": [1, 0]}, '"ranges": the range of A ends below its beginning'),
            ({"A": [0, 1e40]}, '"ranges": the range of A is not finite'),
            ({"A": 1}, '"ranges" is not ranges such as {"X": [0, 1]}'),
        ):
            self.assertEqual(self.error({**OPEN, "ranges": ranges}), sentence)

    def test_open_names_the_variants_that_refuse_the_shape(self):
        short, odd, low, answer = self.answers(
            {"do": "open", "shape": [128, 64, 64]},
            {"do": "open", "shape": [128, 64, 96]},
            {"do": "open", "shape": [128, 64, 32]},
            {"do": "check", "variant": "k64"},
        )
        sentence = "async-copy: K = 64 is less than 128; the nearest good K is 128"
        self.assertEqual(short["refused"], {"async-copy": sentence})
        sentence = "k64: K = 96 is not a multiple of 64; the nearest good K is 64 (or 128)"
        self.assertEqual(odd["refused"]["k64"], sentence)
        sentence = "k64: K = 32 is less than 64; the nearest good K is 64"
        self.assertEqual(low["refused"]["k64"], sentence)
        self.assertNotIn("transposed-a", low["refused"])
        self.assertEqual(answer, {"error": sentence})

    def test_check_compares_with_the_reference(self):
        _, one, all_shapes = self.answers(
            OPEN,
            {"do": "check", "variant": "transposed-a"},
            {"do": "check", "variant": "transposed-a", "small": True},
        )
        self.assertTrue(one["passed"])
        self.assertEqual(
            [shape["shape"] for shape in one["shapes"]], [{"M": 128, "N": 64, "K": 128}]
        )
        self.assertLess(0, one["shapes"][0]["max_relative_error"])
        self.assertLess(one["shapes"][0]["max_relative_error"], one["shapes"][0]["tolerance"])
        self.assertTrue(all_shapes["passed"])
        self.assertEqual(len(all_shapes["shapes"]), 4)

    def test_floors_check_themselves(self):
        hello, opened = self.answers({"do": "hello"}, OPEN)
        floors = [one["name"] for one in hello["variants"] if one["kind"] == "floor"]
        self.assertTrue(floors)
        self.assertEqual(opened["refused"], {})
        variants = {one["name"]: one for one in hello["variants"]}
        self.assertEqual(variants["floor-ffma"]["work"], ["multiply_adds"])
        self.assertEqual(variants["floor-copy"]["work"], ["input_bytes", "output_bytes"])
        self.assertEqual(variants["floor-read"]["work"], ["input_bytes"])
        for name in floors:
            self.assertEqual(
                variants[name]["source_hash"], source_hash.floor_hash(REPO, name), name
            )
        checks = self.answers(OPEN, *({"do": "check", "variant": f} for f in floors))
        for name, check in zip(floors, checks[1:], strict=True):
            self.assertTrue(check["passed"], name)

    def test_another_program_takes_inputs_and_gives_outputs(self):
        size = 64
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            opened = {"do": "open", "shape": [size] * 3}
            _, files = self.answers(opened, {"do": "export", "folder": name})
            self.assertEqual(files["inputs"]["B"], {"file": "B.f32", "shape": [size, size]})
            self.assertEqual(files["outputs"], {"C": {"file": "C.f32", "shape": [size, size]}})
            c = sum_c(folder, size)
            compare = {"do": "compare", "folder": name}
            self.assertTrue(self.answers(opened, compare)[1]["passed"])
            c[17] += 1
            (folder / "C.f32").write_bytes(c.tobytes())
            wrong = self.answers(opened, compare)[1]
            self.assertFalse(wrong["passed"])
            self.assertIn("C", wrong["shapes"][0]["message"])
            (folder / "C.f32").write_bytes(c.tobytes()[:-4])
            short = f"{name}/C.f32 has {4 * size * size - 4} bytes, not {4 * size * size}"
            self.assertEqual(self.error(opened, compare), short)
            (folder / "C.f32").unlink()
            self.assertEqual(self.error(opened, compare), f"cannot read {name}/C.f32")
        self.assertEqual(
            self.error(opened, {"do": "export", "folder": name}), f"cannot write {name}/A.f32"
        )

    def test_resources_are_those_of_the_launch(self):
        _, answer = self.answers(OPEN, {"do": "resources", "variant": "transposed-a"})
        [kernel] = answer["kernels"]
        self.assertEqual(list(kernel), FACTS)
        self.assertIn("matmul::transposed_a::kernel", kernel["name"])
        self.assertEqual(kernel["block_threads"], 256)
        self.assertEqual(kernel["blocks"], 2)
        self.assertGreater(kernel["static_shared_bytes"], 0)
        self.assertGreater(kernel["blocks_per_multiprocessor"], 0)

    def test_what_cannot_run_has_no_resources(self):
        opened = {"do": "open", "shape": [128, 64, 32]}
        said = self.answers(opened, {"do": "resources", "variant": "k64"})
        self.assertEqual(said[1], {"missing": said[0]["refused"]["k64"]})

    def test_an_operation_of_two_kernels_has_the_resources_of_both(self):
        requests = ({"do": "open", "shape": [4096]}, {"do": "resources", "variant": "two-kernels"})
        _, answer = self.answers(*requests, program="tests/sum")
        blocks = [kernel["blocks"] for kernel in answer["kernels"]]
        self.assertEqual(blocks, [4, 1])

    def test_the_cpu_device_gives_no_time(self):
        measure = {"do": "measure", "variant": "k64", "instrument": "span", "samples": 3}
        said = self.answers(OPEN, measure, {"do": "state"})
        missing = {"missing": "the CPU device counts and never times"}
        self.assertEqual(said[1:], [missing, missing])

    def test_it_keeps_the_device_busy_and_closes(self):
        said = self.answers(OPEN, {"do": "load", "seconds": 0}, {"do": "close"}, {"do": "close"})
        self.assertEqual(said[1:], [{}, {}, {}])
        self.assertEqual(self.error(OPEN, {"do": "close"}, {"do": "load"}), "no shape is open")

    def test_what_cannot_be_done_is_one_sentence_and_not_the_end(self):
        check = {"do": "check", "variant": "k64"}
        self.assertEqual(self.error(check), "no shape is open")
        self.assertEqual(self.error("{not json"), "the request is not one line of JSON")
        self.assertEqual(self.error(""), "the request is not one line of JSON")
        self.assertEqual(self.error("[1]"), "the request is not a JSON object")
        self.assertEqual(self.error({}), '"do" is missing in the request')
        self.assertIn('"do" is "dance"; there is check, close', self.error({"do": "dance"}))
        nobody = {"do": "check", "variant": "nobody"}
        self.assertIn('no variant is called "nobody"; there is baseline', self.error(OPEN, nobody))
        shape = {"do": "open", "shape": [64, 64]}
        self.assertEqual(self.error(shape), '"shape" is not 3 positive sizes')
        self.assertEqual(
            self.error({**shape, "shape": [64, 0, 64]}), '"shape" is not 3 positive sizes'
        )
        huge = self.error({**shape, "shape": [100000, 100000, 64]})
        self.assertIn("more elements than 2147483647", huge)
        measure = {"do": "measure", "variant": "k64", "instrument": "stopwatch"}
        self.assertIn('no instrument is called "stopwatch"', self.error(OPEN, measure))
        measure = {"do": "measure", "variant": "k64", "instrument": "span", "cache": "hot"}
        self.assertEqual(self.error(OPEN, measure), '"cache" is "hot"; there is warm and cold')
        said = self.answers("nonsense", OPEN, check)
        self.assertTrue(said[2]["passed"])

    def test_a_failed_open_leaves_nothing_open(self):
        bad = {"do": "open", "shape": [100000, 100000, 64]}
        self.assertEqual(
            self.error(OPEN, bad, {"do": "check", "variant": "k64"}), "no shape is open"
        )

    def test_a_variant_that_cannot_be_launched_does_not_stop_the_others(self):
        opened = {"do": "open", "shape": [4096]}
        bad, good = ({"do": "check", "variant": v} for v in ("unsupported", "two-kernels"))
        said = self.answers(opened, bad, good, program="tests/sum")
        self.assertIn("cudaErrorNotSupported", said[1]["error"])
        self.assertTrue(said[2]["passed"])

    def test_a_fault_is_the_last_answer(self):
        opened = {"do": "open", "shape": [4096]}
        bad, good = ({"do": "check", "variant": v} for v in ("out-of-bounds", "two-kernels"))
        said, code = ask(opened, bad, good, program="tests/sum")
        self.assertEqual(code, 1)
        self.assertEqual(len(said), 2)
        self.assertIn("cudaErrorIllegalAddress", said[1]["error"])
        self.assertNotIn("\n", said[1]["error"])

    def test_it_takes_no_words_that_requests_say(self):
        for words in (["--shape", "64,64,64"], ["--rung", "k64"], ["--json", "-"]):
            done = subprocess.run(
                [BIN / "matmul", "--worker", *words], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(f"leave out {words[0]}", done.stderr)


if __name__ == "__main__":
    unittest.main()
