"""The figures of the layer-normalisation ladder: argued, counted in PTX, and in machine code."""

import unittest

from programs import counted, rung_names

ROWS, WIDTH = 4096, 768
ROW_SECTORS = WIDTH * 4 // 32
GAMMA_AND_BETA = 2

# Blocks, threads of one, shared bytes; barriers of all warps; reads of a row of X.
EXPECTED = {
    "baseline": (4096, 256, 1024, ROWS * 8 * 19, 3),
    "one-warp": (512, 256, 0, 0, 3),
    "two-warps": (1024, 256, 64, 8192, 2),
    "chan": (1024, 256, 64, 8192, 2),
    "persistent": (132 * 8, 64, 0, 0, 1),
    "three-warps": (4096, 96, 24, ROWS * 3, 1),
    "streaming": (4096, 96, 24, ROWS * 3, 1),
    "small-blocks": (1024, 128, 0, 0, 3),
    "staged-row": (512, 256, 8 * WIDTH * 4, 0, 1),
    "eight-quads": (512, 256, 0, 0, 1),
    "four-warps": (2048, 256, 64, 16384, 2),
    "spilled-row": (512, 256, 0, 0, 1),
    "welford": (1024, 256, 64, 8192, 2),
}
SPILLED = "spilled-row"
# A warp of it reads gamma and beta once, and not once a row.
PERSISTENT = "persistent"

# The small shapes that take any width, or a whole number of a warp's reads.
ANY_WIDTH = {(1, 1), (3, 33), (7, 1021)}
ALL_SHAPES = ANY_WIDTH | {(5, 768), (2, 8192), (64, 768), (ROWS, WIDTH)}
TAKEN = {"baseline": ALL_SHAPES, "four-warps": ALL_SHAPES - ANY_WIDTH}


class LayernormLadder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done, cls.document = counted("layernorm")
        cls.rungs = {rung["name"]: rung for rung in cls.document["rungs"]}

    def ptx(self, name):
        """Return what the CPU device counted of a rung, and of its one kernel."""
        ptx = self.rungs[name]["counts"]["ptx"]
        (kernel,) = ptx["kernels"]
        return ptx, kernel

    def test_every_rung_passes_its_check_at_every_shape_that_it_takes(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(list(self.rungs), rung_names("layernorm"))
        self.assertEqual(EXPECTED.keys() - self.rungs.keys(), set())
        for name, rung in self.rungs.items():
            with self.subTest(name):
                self.assertTrue(rung["check"]["passed"])
                shapes = {tuple(one["shape"].values()) for one in rung["check"]["shapes"]}
                least = {(5, 768), (64, 768), (ROWS, WIDTH)}
                self.assertEqual(shapes, TAKEN.get(name, least))

    def test_blocks_threads_and_shared_bytes(self):
        for name, (blocks, threads, shared_bytes, _, _) in EXPECTED.items():
            _, kernel = self.ptx(name)
            with self.subTest(name):
                self.assertEqual(kernel["launches"], 1)
                self.assertEqual(kernel["blocks"], blocks)
                self.assertEqual(kernel["threads_per_block"], threads)
                found = kernel["static_shared_bytes"] + kernel["dynamic_shared_bytes"]
                self.assertEqual(found, shared_bytes)

    def test_barriers(self):
        for name, (_, _, _, barriers, _) in EXPECTED.items():
            with self.subTest(name):
                self.assertEqual(self.ptx(name)[0]["barriers"], barriers)
        self.assertEqual(self.ptx("baseline")[0]["barriers"], 622592)

    def test_what_is_argued_is_what_is_counted(self):
        for name, rung in self.rungs.items():
            argued, (ptx, kernel) = rung["counts"]["argued"], self.ptx(name)
            warps_per_row = max(1, kernel["blocks"] * kernel["threads_per_block"] // 32 // ROWS)
            with self.subTest(name):
                expected = argued["barriers_per_row"] * warps_per_row * ROWS
                self.assertEqual(ptx["barriers"], expected)
                self.assertEqual(argued["block_threads"], kernel["threads_per_block"])
                shared_bytes = kernel["static_shared_bytes"] + kernel["dynamic_shared_bytes"]
                self.assertEqual(argued["shared_bytes"], shared_bytes)
                if name in EXPECTED:
                    self.assertEqual(argued["row_reads"], EXPECTED[name][4])

    def test_sectors_follow_from_the_reads_of_a_row(self):
        for name, rung in self.rungs.items():
            ptx, kernel = self.ptx(name)
            row_reads = rung["counts"]["argued"]["row_reads"]
            parameters = ROWS * GAMMA_AND_BETA
            if name == PERSISTENT:
                parameters = kernel["blocks"] * 2 * GAMMA_AND_BETA  # two warps a block
            with self.subTest(name):
                loads = (ROWS * row_reads + parameters) * ROW_SECTORS
                self.assertEqual(ptx["global_load_sectors"], loads)
                self.assertEqual(ptx["global_store_sectors"], ROWS * ROW_SECTORS)

    def test_a_warp_moves_quads_after_the_baseline(self):
        for name in self.rungs:
            _, kernel = self.ptx(name)
            width = "4" if name == "baseline" else "16"
            with self.subTest(name):
                self.assertEqual(list(kernel["global"]["load"]["by_width"]), [width])
                self.assertEqual(list(kernel["global"]["store"]["by_width"]), [width])

    def test_only_the_spilled_row_lies_in_local_memory(self):
        for name, rung in self.rungs.items():
            _, kernel = self.ptx(name)
            sectors = [kernel["local"][way]["sectors"] for way in ("store", "load")]
            with self.subTest(name):
                if name == SPILLED:
                    # The row is stored once and read back twice: six quads of a thread.
                    row = ROWS * ROW_SECTORS
                    self.assertEqual(sectors, [row, 2 * row])
                    self.assertEqual(kernel["local_bytes"], 96)
                    self.assertGreater(rung["counts"]["sass"]["spill_bytes"], 0)
                else:
                    self.assertEqual(sectors, [0, 0])
                    self.assertEqual(kernel["local_bytes"], 0)
                    self.assertEqual(rung["counts"]["sass"]["spill_bytes"], 0)


if __name__ == "__main__":
    unittest.main()
