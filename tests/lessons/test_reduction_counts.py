"""The figures of the reduction ladder: argued, counted in PTX, and in machine code."""

import unittest

from programs import counted, run, rung_names

COUNT = 1 << 28
FLOATS_PER_SECTOR = 8
MULTIPROCESSORS = 132
FINISH_WARPS = 32

# Blocks of the pass, threads of one; barriers of a block of the pass, and of the finishing block;
# shared bytes of a block of the pass; bytes that a thread has in flight.
EXPECTED = {
    "tree": (COUNT // 256, 256, 8, 10, 1024, 4),
    "grid-stride": (65536, 256, 8, 10, 1024, 4),
    "few-blocks": (8 * MULTIPROCESSORS, 256, 8, 10, 1024, 4),
    "shuffles": (8 * MULTIPROCESSORS, 256, 1, 1, 32, 4),
    "in-flight": (8 * MULTIPROCESSORS, 256, 1, 1, 32, 16),
    "quads": (8 * MULTIPROCESSORS, 256, 1, 1, 32, 16),
    # Two in every block, and one more in the last.
    "last-block": (2 * MULTIPROCESSORS, 1024, 2, 1, 132, 64),
    "conflicts": (COUNT // 256, 256, 8, 10, 1024, 4),
    "conflicts-late": (8 * MULTIPROCESSORS, 256, 8, 10, 1024, 4),
    "one-block": (MULTIPROCESSORS, 256, 1, 1, 32, 16),
    "early-shuffles": (COUNT // 256, 256, 1, 1, 32, 4),
    "sixteen-blocks": (16 * MULTIPROCESSORS, 256, 1, 1, 32, 16),
    "four-blocks": (4 * MULTIPROCESSORS, 256, 1, 1, 32, 16),
}
ONE_KERNEL = {"last-block"}
QUADS = {"quads", "last-block", "sixteen-blocks", "four-blocks"}
CONFLICTS = {"conflicts", "conflicts-late"}

# A tree of 256: 8 warps store; at its levels 4, 2, 1, 1, ... warps read twice and write once.
TREE_WARPS = 4 + 2 + 1 + 1 + 1 + 1 + 1 + 1
# Of the conflicting tree: lanes of one bank at its levels, and the warps that are at work there.
CONFLICT_WAYS = ((2, 4), (4, 2), (8, 1), (8, 1), (8, 1), (4, 1), (2, 1), (1, 1))

ALIGNED = {(1, 0), (0, 0), (31, 0), (100000, 4), ((1 << 20) + 3, 0), (COUNT, 0)}
ALL_SHAPES = ALIGNED | {(5, 5), (4099, 1), ((1 << 20) + 3, 3)}


class ReductionLadder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done, cls.document = counted("reduction")
        cls.rungs = {rung["name"]: rung for rung in cls.document["rungs"]}

    def ptx(self, name):
        """Return what the CPU device counted of a rung, of its pass, and of what finishes."""
        ptx = self.rungs[name]["counts"]["ptx"]
        first, *rest = ptx["kernels"]
        self.assertEqual(len(rest), 0 if name in ONE_KERNEL else 1)
        return ptx, first, rest[0] if rest else None

    def test_every_rung_passes_its_check_at_every_shape_that_it_takes(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(list(self.rungs), rung_names("reduction"))
        self.assertEqual(self.rungs.keys(), EXPECTED.keys())
        for name in EXPECTED:
            with self.subTest(name):
                check = self.rungs[name]["check"]
                self.assertTrue(check["passed"])
                shapes = {tuple(one["shape"].values()) for one in check["shapes"]}
                self.assertEqual(shapes, ALIGNED if name in QUADS else ALL_SHAPES)
                self.assertEqual({one["max_relative_error"] for one in check["shapes"]}, {0})

    def test_a_start_between_quads_is_refused_by_those_that_read_quads(self):
        for name in sorted(QUADS):
            with self.subTest(name):
                done = run(f"reduction-{name}", "--device", "cpu", "--shape", "100,3")
                self.assertEqual(done.returncode, 2)
                self.assertIn(
                    "first = 3 is not a multiple of 4; the nearest good first is 4 (or 0)",
                    done.stderr,
                )

    def test_launches_blocks_threads_and_shared_bytes(self):
        for name, (blocks, threads, _, _, shared_bytes, _) in EXPECTED.items():
            with self.subTest(name):
                _, first, finish = self.ptx(name)
                self.assertEqual(first["launches"], 1)
                self.assertEqual(first["blocks"], blocks)
                self.assertEqual(first["threads_per_block"], threads)
                self.assertEqual(first["static_shared_bytes"], shared_bytes)
                if finish is not None:
                    self.assertEqual(finish["launches"], 1)
                    self.assertEqual(finish["blocks"], 1)
                    self.assertEqual(finish["threads_per_block"], 1024)

    def test_barriers(self):
        for name, (blocks, threads, of_block, of_finish, _, _) in EXPECTED.items():
            with self.subTest(name):
                passing = blocks * (threads // 32) * of_block
                self.assertEqual(self.ptx(name)[0]["barriers"], passing + FINISH_WARPS * of_finish)

    def test_what_is_argued_is_what_is_counted(self):
        for name, (_, _, of_block, _, _, bytes_in_flight) in EXPECTED.items():
            with self.subTest(name):
                argued, sass = (self.rungs[name]["counts"][kind] for kind in ("argued", "sass"))
                ptx, first, _ = self.ptx(name)
                launches = sum(kernel["launches"] for kernel in ptx["kernels"])
                counted = {
                    "launches": launches,
                    "blocks": first["blocks"],
                    "block_threads": first["threads_per_block"],
                    "barriers_per_block": of_block,
                    "bytes_in_flight": sass["bytes_in_flight"],
                }
                self.assertEqual(argued, counted)
                self.assertEqual(argued["bytes_in_flight"], bytes_in_flight)

    def test_every_element_is_read_once_and_every_block_leaves_one_sum(self):
        for name, (blocks, *_) in EXPECTED.items():
            with self.subTest(name):
                ptx, first, finish = self.ptx(name)
                elements = COUNT // FLOATS_PER_SECTOR
                partials = -(-blocks // FLOATS_PER_SECTOR)
                self.assertEqual(ptx["global_load_sectors"], elements + partials)
                self.assertEqual(ptx["global_store_sectors"], blocks + 1)
                if finish is not None:
                    self.assertEqual(first["global"]["load"]["sectors"], elements)
                    self.assertEqual(first["global"]["store"]["sectors"], blocks)

    def test_quads_are_read_by_those_that_say_so(self):
        for name in EXPECTED:
            with self.subTest(name):
                _, first, _ = self.ptx(name)
                widths = first["global"]["load"]["by_width"]
                requests = {int(width): number for width, number in widths.items()}
                width = 16 if name in QUADS else 4
                self.assertEqual(requests[width], COUNT * 4 // (32 * width))
                if name in ONE_KERNEL:
                    # The last block reads the partial sums, as single floats.
                    self.assertEqual(requests.pop(4), -(-EXPECTED[name][0] // 32))
                self.assertEqual(list(requests), [width])

    def test_a_tree_in_shared_memory_and_what_its_layout_costs(self):
        for name, (blocks, _, of_block, *_) in EXPECTED.items():
            with self.subTest(name):
                shared = self.ptx(name)[1]["shared"]
                if of_block != 8:
                    self.assertEqual(shared["load"]["bank_conflicts"], 0)
                    continue
                # Before the first level every warp stores; after the last one thread reads.
                ways = CONFLICT_WAYS if name in CONFLICTS else ((1, TREE_WARPS),)
                wavefronts = sum(lanes * warps for lanes, warps in ways)
                self.assertEqual(shared["store"]["wavefronts"], blocks * (8 + wavefronts))
                self.assertEqual(shared["load"]["wavefronts"], blocks * (2 * wavefronts + 1))
                conflicts = blocks * (wavefronts - TREE_WARPS)
                self.assertEqual(shared["store"]["bank_conflicts"], conflicts)
                self.assertEqual(shared["load"]["bank_conflicts"], 2 * conflicts)

    def test_only_the_last_block_uses_an_atomic_and_none_spills(self):
        for name, (blocks, *_) in EXPECTED.items():
            with self.subTest(name):
                ptx, _, _ = self.ptx(name)
                atomics = sum(kernel["atomics"]["global"] for kernel in ptx["kernels"])
                self.assertEqual(atomics, blocks if name in ONE_KERNEL else 0)
                self.assertEqual(self.rungs[name]["counts"]["sass"]["spill_bytes"], 0)


if __name__ == "__main__":
    unittest.main()
