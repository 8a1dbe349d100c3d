"""The figures of the matrix-multiply ladder: argued, counted in PTX, and in machine code."""

import unittest

from programs import counted, rung_names

# What these rungs must count, and go on counting; a rung that is not here is held to the rules
# that hold for every rung.
# Reads of shared memory per multiply-add; blocks, threads, shared bytes; at 1024 x 1024 x 1024.
EXPECTED = {
    "baseline": (2, 4096, 256, 2048),
    "register-tile": (0.5, 256, 256, 16384),
    "quad-reads": (0.3125, 256, 256, 16384),
    "transposed-a": (0.125, 256, 256, 16896),
    "k64": (0.125, 256, 256, 33792),
    "lane-map": (0.125, 256, 256, 33792),
    "async-copy": (0.125, 256, 256, 101376),
    "small-tile": (0.75, 1024, 128, 8192),
    "tall-tile": (0.375, 128, 256, 24576),
    "plain-source": (0.5, 256, 256, 16384),
    "padded-rows": (0.5, 256, 256, 17408),
    "padded-quads": (0.3125, 256, 256, 17408),
    "store-map": (0.125, 256, 256, 33792),
    "interleaved-lanes": (0.125, 256, 256, 33792),
    "row-major": (0.125, 256, 256, 33792),
    "more-registers": (0.375, 128, 256, 24576),
    "half-sectors": (0.125, 256, 256, 33792),
}
# What these argue is not what the compiler makes of them: their reads are counted as they come.
LEFT_TO_THE_COMPILER = {"plain-source"}

# Wavefronts of loads and of stores, and how many of them conflicts cost, in millions of 2^20:
# what an H200's counters say too.
WAVEFRONTS = {
    "baseline": (64, 4, 0, 0),
    "register-tile": (24, 1, 8, 0),
    "quad-reads": (24, 1, 8, 0),
    "transposed-a": (12, 2.5, 0, 1.5),
    "k64": (12, 4.5, 0, 3.5),
    "lane-map": (8, 1, 0, 0),
    "small-tile": (48, 2, 24, 0),
    "tall-tile": (20, 0.75, 8, 0),
    "padded-rows": (16, 1, 0, 0),
    "padded-quads": (16, 1, 0, 0),
    "store-map": (12, 1, 0, 0),
    "interleaved-lanes": (8, 4.5, 0, 3.5),
    "row-major": (8, 1, 0, 0),
    "more-registers": (20, 0.75, 8, 0),
    "half-sectors": (8, 1, 0, 0),
}


class MatmulLadder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done, cls.document = counted("matmul")
        cls.rungs = {rung["name"]: rung for rung in cls.document["rungs"]}

    def test_every_rung_passes_its_check(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(list(self.rungs), rung_names("matmul"))
        self.assertEqual(EXPECTED.keys() - self.rungs.keys(), set())
        for name, rung in self.rungs.items():
            with self.subTest(name):
                self.assertTrue(rung["check"]["passed"])
                shapes = [tuple(s["shape"].values()) for s in rung["check"]["shapes"]]
                self.assertIn((1024, 1024, 1024), shapes)
                rectangular = [shape for shape in shapes if len(set(shape)) > 1]
                self.assertGreaterEqual(len(rectangular), 2)

    def test_argued_ptx_and_machine_code_agree_exactly(self):
        for name, rung in self.rungs.items():
            with self.subTest(name):
                argued, ptx, sass = (
                    rung["counts"][kind]["shared_reads_per_multiply_add"]
                    for kind in ("argued", "ptx", "sass")
                )
                if name in EXPECTED:
                    self.assertEqual(argued, EXPECTED[name][0])
                if name not in LEFT_TO_THE_COMPILER:
                    self.assertEqual([ptx, sass], [argued] * 2)

    def test_the_compiler_merges_the_reads_of_the_plain_source(self):
        counts = self.rungs["plain-source"]["counts"]
        for kind in ("ptx", "sass"):
            self.assertLess(counts[kind]["shared_reads_per_multiply_add"], 0.5)

    def test_every_rung_makes_each_multiply_add_once(self):
        for name, rung in self.rungs.items():
            with self.subTest(name):
                self.assertEqual(rung["counts"]["ptx"]["multiply_adds"], 1024**3)

    def test_blocks_threads_and_shared_bytes(self):
        for name, (_, blocks, threads, shared_bytes) in EXPECTED.items():
            (kernel,) = self.rungs[name]["counts"]["ptx"]["kernels"]
            with self.subTest(name):
                self.assertEqual(kernel["launches"], 1)
                self.assertEqual(kernel["blocks"], blocks)
                self.assertEqual(kernel["threads_per_block"], threads)
                found = kernel["static_shared_bytes"] + kernel["dynamic_shared_bytes"]
                self.assertEqual(found, shared_bytes)

    def test_argued_threads_and_shared_bytes_are_the_largest_of_the_kernels(self):
        for name, rung in self.rungs.items():
            argued, kernels = rung["counts"]["argued"], rung["counts"]["ptx"]["kernels"]
            with self.subTest(name):
                if "block_threads" in argued:
                    threads = max(kernel["threads_per_block"] for kernel in kernels)
                    self.assertEqual(argued["block_threads"], threads)
                if "shared_bytes" in argued:
                    shared_bytes = max(
                        kernel["static_shared_bytes"] + kernel["dynamic_shared_bytes"]
                        for kernel in kernels
                    )
                    self.assertEqual(argued["shared_bytes"], shared_bytes)
                static = max(kernel["static_shared_bytes"] for kernel in kernels)
                self.assertEqual(rung["counts"]["sass"]["shared_bytes"], static)

    def test_no_rung_spills(self):
        for name, rung in self.rungs.items():
            with self.subTest(name):
                self.assertEqual(rung["counts"]["sass"]["spill_bytes"], 0)

    def test_wavefronts_follow_from_the_bank_rule(self):
        for name, expected in WAVEFRONTS.items():
            ptx = self.rungs[name]["counts"]["ptx"]
            found = [
                ptx[f"shared_{access}_{what}"]
                for what in ("wavefronts", "bank_conflicts")
                for access in ("load", "store")
            ]
            with self.subTest(name):
                self.assertEqual(found, [millions * 2**20 for millions in expected])

    def test_a_step_of_64_along_k_halves_the_barriers(self):
        barriers = {name: rung["counts"]["ptx"]["barriers"] for name, rung in self.rungs.items()}
        self.assertEqual(barriers["transposed-a"], 2 * barriers["k64"])

    def test_asynchronous_copies_need_half_the_barriers(self):
        barriers = {name: rung["counts"]["ptx"]["barriers"] for name, rung in self.rungs.items()}
        self.assertEqual(barriers["lane-map"], 2 * barriers["async-copy"])


if __name__ == "__main__":
    unittest.main()
