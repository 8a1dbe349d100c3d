"""The instruments on a GPU, through the worker: each gives its samples, and they agree."""

import json
import os
import statistics
import subprocess
import unittest
from pathlib import Path

BIN = Path(os.environ["RUNGS_BIN"])
ONE_LAUNCH = ("span", "kernel", "awaited", "submit")
SAMPLES = 50


def measure(instrument, cache="warm", batch=1, variant="transposed-a"):
    return {
        "do": "measure",
        "variant": variant,
        "instrument": instrument,
        "cache": cache,
        "samples": SAMPLES,
        "batch": batch,
    }


class OnGpu(unittest.TestCase):
    no_gpu = ""

    @classmethod
    def setUpClass(cls):
        cls.worker = subprocess.Popen(
            [BIN / "matmul", "--worker", "--device", "gpu"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            cls.hello = cls.ask({"do": "hello"})
        except (BrokenPipeError, json.JSONDecodeError):
            said = cls.worker.communicate()[1].strip()
            if cls.worker.returncode != 77:
                raise
            cls.no_gpu = said
            return
        cls.opened = cls.ask({"do": "open", "shape": [1024, 1024, 1024], "cold": True})
        cls.ask({"do": "load", "seconds": 0.5})

    @classmethod
    def tearDownClass(cls):
        if not cls.no_gpu:
            cls.worker.communicate(timeout=60)

    def setUp(self):
        if self.no_gpu:  # here, so that each test counts as skipped
            self.skipTest(self.no_gpu)

    @classmethod
    def ask(cls, request):
        cls.worker.stdin.write(json.dumps(request) + "\n")
        cls.worker.stdin.flush()
        return json.loads(cls.worker.stdout.readline())

    def median(self, *what, **options):
        answer = self.ask(measure(*what, **options))
        self.assertEqual(answer.get("unit"), "us", answer)
        self.assertEqual(len(answer["samples"]), SAMPLES)
        self.assertGreater(min(answer["samples"]), 0)
        return statistics.median(answer["samples"])

    def test_hello_knows_the_machine(self):
        for name in ("driver", "max_sm_clock_mhz", "max_memory_clock_mhz", "memory_bus_bits"):
            self.assertIsNotNone(self.hello["machine"][name], name)
        self.assertRegex(self.hello["software"]["cupti"] or "", r"^13\.")

    def test_the_state_is_known(self):
        state = self.ask({"do": "state"})
        self.assertGreater(state["sm_clock_mhz"], 0)
        self.assertGreater(state["power_w"], 0)
        self.assertIsInstance(state["throttle"], list)

    def test_every_variant_that_is_there_is_right(self):
        for variant in self.hello["variants"]:
            name = variant["name"]
            if "missing" in variant or name in self.opened["refused"]:
                continue
            with self.subTest(name):
                answer = self.ask({"do": "check", "variant": name, "small": True})
                passed = answer.get("passed")
                self.assertEqual(passed, True, answer)
                self.assertIn("kernels", self.ask({"do": "resources", "variant": name}))

    def test_the_instruments_agree(self):
        kernel, span, awaited = (self.median(name) for name in ("kernel", "span", "awaited"))
        graph = self.median("graph", batch=100)
        queued = self.median("queued", batch=100)
        self.assertLess(kernel, span)
        self.assertLess(span, awaited + 5)
        self.assertLess(abs(graph / kernel - 1), 0.05)
        self.assertLess(abs(queued / kernel - 1), 0.1)
        self.assertLess(self.median("submit"), awaited)

    def test_a_cold_cache_is_not_faster(self):
        self.assertLess(self.median("kernel"), 1.02 * self.median("kernel", cache="cold"))
        sets = self.opened["sets"]
        self.median("graph", cache="cold", batch=sets)
        self.assertIn("missing", self.ask(measure("graph", cache="cold", batch=sets - 1)))

    def test_a_kernel_pass_names_its_kernels(self):
        answer = self.ask(measure("kernel"))
        [kernel] = answer["kernels"]
        self.assertIn("matmul::transposed_a::kernel", kernel["name"])
        self.assertEqual(kernel["launches_per_operation"], 1)
        self.assertEqual(kernel["samples"], answer["samples"])
        self.assertGreater(kernel["registers"], 0)

    def test_a_kernel_pass_does_not_slow_the_launches_after_it(self):
        before = self.median("submit")
        self.median("kernel")
        after = self.median("submit")
        self.assertLess(after, 1.3 * before)

    def test_peers_are_measured_as_rungs_are(self):
        for variant in self.hello["variants"]:
            if variant["kind"] == "peer" and "missing" not in variant:
                for name in ONE_LAUNCH:
                    with self.subTest(variant["name"], instrument=name):
                        self.median(name, variant=variant["name"])


if __name__ == "__main__":
    unittest.main()
