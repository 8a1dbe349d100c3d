"""A ladder as unlike matrix multiply as the course allows runs without a change in common/."""

import json
import os
import unittest

from programs import BIN, run

# As ./course emulate does it: the CPU device is there from the start.
ON_CPU_DEVICE = {**os.environ, "LD_LIBRARY_PATH": str(BIN / "cpu-device")}


class Sum(unittest.TestCase):
    def run_sum(self, *arguments):
        """Return how the program ended, and its document's rungs."""
        done = run("tests/sum", "--json", "-", *arguments, env=ON_CPU_DEVICE)
        return done, json.loads(done.stdout)["rungs"]

    def test_it_is_checked_and_counted(self):
        done, (rung,) = self.run_sum("--rung", "two-kernels")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(rung["key"], "sum/two-kernels")
        shapes = [check["shape"] for check in rung["check"]["shapes"]]
        self.assertEqual(shapes, [{"n": 1024}, {"n": 3072}, {"n": 65536}])
        ptx = rung["counts"]["ptx"]
        self.assertEqual([kernel["blocks"] for kernel in ptx["kernels"]], [64, 1])
        # 64 blocks of 8 warps meet one barrier; no multiply-add, and so no ratio to one.
        self.assertEqual(ptx["barriers"], 64 * 8)
        self.assertEqual(ptx["multiply_adds"], 0)
        self.assertIsNone(ptx["shared_reads_per_multiply_add"])
        self.assertNotIn("multiply-add", done.stderr)

    def test_its_only_size_is_refused_by_its_name(self):
        done = run("tests/sum", "--shape", "1000")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(
            done.stderr,
            "sum: n = 1000 is not a multiple of 1024; the nearest good n is 1024\n",
        )

    def test_an_instruction_that_the_cpu_device_lacks_is_named(self):
        done, (rung,) = self.run_sum("--rung", "unsupported")
        self.assertEqual(done.returncode, 77)
        self.assertTrue(rung["check"]["cannot_run"])
        self.assertIn("vavrg4", rung["check"]["error"])
        self.assertIn("unsupported.cu", rung["check"]["error"])

    def test_a_fault_is_told_with_its_place_and_fails_its_rung_alone(self):
        done, (right, faulty, after) = self.run_sum()
        self.assertEqual(done.returncode, 1)
        self.assertTrue(right["check"]["passed"])
        self.assertFalse(faulty["check"]["cannot_run"])
        error = faulty["check"]["error"]
        self.assertIn("sum/out-of-bounds at n = 1024: the kernel failed with", error)
        self.assertIn("out-of-bounds.cu:", error)
        self.assertIsNone(faulty["counts"]["ptx"])
        self.assertTrue(after["check"]["cannot_run"])
        self.assertIn("the fault of sum/out-of-bounds stopped", after["check"]["error"])

    def test_a_fault_ends_a_profiled_run(self):
        done = run("tests/sum", "--rung", "out-of-bounds", "--profile", env=ON_CPU_DEVICE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("sum/out-of-bounds at n = 65536: the kernel failed with", done.stderr)


if __name__ == "__main__":
    unittest.main()
