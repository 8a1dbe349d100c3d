"""A ladder as unlike matrix multiply as the course allows runs without a change in common/."""

import json
import os
import unittest

from programs import BIN, run

# As ./course emulate does it: the CPU device is there from the start.
ON_CPU_DEVICE = {**os.environ, "LD_LIBRARY_PATH": str(BIN / "cpu-device")}


class Sum(unittest.TestCase):
    def test_it_is_checked_and_counted(self):
        done = run("tests/sum", "--json", "-", env=ON_CPU_DEVICE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["ladder"], "sum")
        self.assertEqual(document["shape"], {"n": 65536})
        (rung,) = document["rungs"]
        self.assertEqual(rung["key"], "sum/two-kernels")
        self.assertEqual([s["shape"] for s in rung["check"]["shapes"]][0], {"n": 1024})
        ptx = rung["counts"]["ptx"]
        self.assertEqual([kernel["blocks"] for kernel in ptx["kernels"]], [64, 1])
        # 64 blocks of 8 warps meet one barrier; no multiply-add, and so no ratio to one.
        self.assertEqual(ptx["barriers"], 64 * 8)
        self.assertEqual(ptx["multiply_adds"], 0)
        self.assertIsNone(ptx["shared_reads_per_multiply_add"])
        self.assertIn("PTX none\n", done.stderr)

    def test_its_only_size_is_refused_by_its_name(self):
        done = run("tests/sum", "--shape", "1000")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(
            done.stderr,
            "sum/two-kernels: n = 1000 is not a multiple of 1024; the nearest good n is 1024\n",
        )


if __name__ == "__main__":
    unittest.main()
