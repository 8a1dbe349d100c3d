"""How many blocks fit a multiprocessor: held against what CUDA said of measured kernels."""

import sys
import unittest

import support

sys.path.insert(0, str(support.REPO / "common"))
from evidence import EvidenceError, anchors, models, records, residency  # noqa: E402
from evidence.residency import Launch  # noqa: E402
from evidence.residency import residency as of_launch


def launch(threads=256, blocks=10**6, registers=32, shared=0):
    return Launch(threads, blocks, registers, shared)


class Fit(unittest.TestCase):
    def test_the_kept_records_kernels_fit_as_often_as_cuda_said(self):
        compared = 0
        for path in sorted((support.REPO / "docs/evidence").glob("*/*.json")):
            if path.parent.name in ("counts", "published", "schema"):
                continue
            record = records.load_record(path)
            capability = record["machine"]["compute_capability"]
            for entry in record["shapes"]:
                for row in entry["rows"]:
                    for kernel in row.get("resources", {}).get("kernels", []):
                        shared = kernel["static_shared_bytes"] + kernel["dynamic_shared_bytes"]
                        found = of_launch(
                            launch(kernel["block_threads"], 1, kernel["registers"], shared),
                            capability,
                        )
                        with self.subTest(record=path.parent.name, row=row["name"]):
                            self.assertEqual(found.fitting, kernel["blocks_per_multiprocessor"])
                        compared += 1
        self.assertGreater(compared, 50)

    def test_each_limit_is_the_one_that_binds(self):
        for given, blocks, limit in (
            (launch(threads=256), 8, ["threads", "registers"]),
            (launch(threads=32, registers=16), 32, ["blocks"]),
            (launch(registers=33), 6, ["registers"]),
            (launch(registers=16, shared=48 * 1024), 4, ["shared memory"]),
            (launch(threads=96, registers=64), 10, ["registers"]),  # 32 warps, of which 30 fill
            (launch(threads=1000, registers=16), 2, ["threads"]),
        ):
            found = of_launch(given)
            self.assertEqual((found.fitting, found.limited_by), (blocks, limit), given)

    def test_the_grid_limits_what_is_held(self):
        found = of_launch(launch(blocks=512, registers=16))
        self.assertEqual((found.fitting, found.held, found.threads), (8, 4, 1024))
        self.assertEqual(found.limited_by, ["grid"])
        self.assertEqual(of_launch(launch(blocks=528, registers=16)).held, 4)
        self.assertEqual(of_launch(launch(blocks=529, registers=16)).held, 5)

    def test_another_compute_capability_has_other_limits(self):
        self.assertEqual(of_launch(launch(registers=16), "8.9").fitting, 6)
        self.assertEqual(of_launch(launch(threads=32, registers=16), "8.9").fitting, 24)
        self.assertEqual(of_launch(launch(registers=16, shared=49 * 1024), "8.9").fitting, 2)
        with self.assertRaisesRegex(EvidenceError, "7.0; of 8.9, 9.0 are"):
            of_launch(launch(), "7.0")


class Rungs(unittest.TestCase):
    @staticmethod
    def kernel(name, instructions, blocks=512, launches=1):
        return {
            "name": f"void demo::{name}<demo::Four, 4>(float const*)",
            "mangled": name,
            "launches": launches,
            "blocks": blocks,
            "threads_per_block": 256,
            "static_shared_bytes": 0,
            "dynamic_shared_bytes": 0,
            "warp_instructions": {"total": instructions},
        }

    def rung(self, *kernels, registers=32, **ptx):
        sass = [
            {"mangled": kernel["mangled"], "registers": registers, "bytes_in_flight": 16}
            for kernel in kernels
        ]
        counts = {"ptx": {"kernels": [*kernels], **ptx}, "sass": {"kernels": sass}}
        return {"key": "demo/first", "counts": counts}

    def test_more_resident_threads_are_expected_to_be_faster(self):
        few, many = self.rung(self.kernel("a", 9)), self.rung(self.kernel("a", 9, blocks=1024))
        self.assertEqual(models.quantity("resident-threads", few), 1024)
        self.assertEqual(models.quantity("resident-threads", many), 2048)
        self.assertEqual(models.expected_factor("resident-threads", few, many), 2.0)

    def test_the_kernel_that_executes_most_speaks_for_the_rung(self):
        rung = self.rung(self.kernel("a", 9, blocks=1), self.kernel("b", 10))
        self.assertEqual(residency.of_rung(rung).held, 4)

    def test_each_kernel_has_a_residency_of_its_own(self):
        rung = self.rung(self.kernel("a", 9, blocks=1), self.kernel("b", 10))
        held = {name: found.held for name, found in residency.of_kernels(rung).items()}
        self.assertEqual(held, {"a": 1, "b": 4})

    def test_blocks_of_several_launches_are_not_there_at_once(self):
        rung = self.rung(self.kernel("a", 9, blocks=2 * 132, launches=2))
        self.assertEqual(residency.of_rung(rung).held, 1)

    def test_a_kernels_residency_has_an_anchor(self):
        rung = self.rung(self.kernel("a", 9, blocks=1), self.kernel("b", 10))
        rung.update(name="first", after=None)
        record = {"schema": "rungs-counts/2", "ladder": "demo", "rungs": [rung]}
        for path, value in (("", 1024), ("/a", 256), ("/b", 1024)):
            found = anchors.resolve(record, f"first/residency{path}/threads")
            self.assertEqual(found.value, value)
        listed = [path for path, _ in anchors.computed(record, "first")]
        self.assertIn("residency/a/held", listed)
        with self.assertRaisesRegex(EvidenceError, "has no kernel 'c'; it has a, b"):
            anchors.resolve(record, "first/residency/c/threads")

    def test_loads_in_flight_are_those_of_all_resident_threads(self):
        old, new = self.rung(self.kernel("a", 9)), self.rung(self.kernel("a", 9, blocks=1024))
        self.assertEqual(models.quantity("loads-in-flight", old), 1024 * 16)
        self.assertEqual(models.expected_factor("loads-in-flight", old, new), 2.0)
        new["counts"]["sass"]["kernels"][0]["bytes_in_flight"] = 64
        self.assertEqual(models.expected_factor("loads-in-flight", old, new), 8.0)

    def test_loads_in_flight_are_of_the_kernel_that_speaks_for_the_rung(self):
        rung = self.rung(self.kernel("a", 9, blocks=1), self.kernel("b", 10))
        rung["counts"]["sass"]["kernels"][0]["bytes_in_flight"] = 128
        self.assertEqual(models.quantity("loads-in-flight", rung), 1024 * 16)

    def test_blocks_are_those_of_all_kernels(self):
        old = self.rung(self.kernel("a", 9, blocks=1024), self.kernel("b", 9, blocks=1))
        new = self.rung(self.kernel("a", 9, blocks=205))
        self.assertEqual(models.quantity("blocks", old), 1025)
        self.assertEqual(models.expected_factor("blocks", old, new), 5.0)

    def test_wavefronts_are_for_each_multiply_add_or_all_where_there_is_none(self):
        sums = {"shared_load_wavefronts": 30, "shared_store_wavefronts": 10}
        ratio = {"shared_wavefronts_per_multiply_add": 0.5, "multiply_adds": 80}
        none = {"shared_wavefronts_per_multiply_add": None, "multiply_adds": 0}
        by_ratio, by_sum = self.rung(**sums, **ratio), self.rung(**sums, **none)
        self.assertEqual(models.quantity("wavefronts", by_ratio), 0.5)
        self.assertEqual(models.quantity("wavefronts", by_sum), 40)
        less = self.rung(shared_load_wavefronts=5, shared_store_wavefronts=5, **none)
        self.assertEqual(models.expected_factor("wavefronts", by_sum, less), 4.0)
        self.assertEqual(models.expected_factor("wavefronts", by_ratio, less), 4.0)

    def test_a_step_to_nothing_has_no_factor(self):
        some, none = self.rung(barriers=8), self.rung(barriers=0)
        for pair in ((some, none), (none, some)):
            with self.assertRaisesRegex(
                models.NothingCountedError,
                "^demo/first has no barriers, so the model barriers has no factor for it$",
            ):
                models.expected_factor("barriers", *pair)

    def test_bytes_are_whole_sectors_of_loads_and_stores(self):
        old = self.rung(global_load_sectors=30, global_store_sectors=10)
        new = self.rung(global_load_sectors=10, global_store_sectors=10)
        self.assertEqual(models.quantity("bytes", old), 1280)
        self.assertEqual(models.expected_factor("bytes", old, new), 2.0)

    def test_launches_are_those_of_all_kernels(self):
        rung = self.rung(self.kernel("a", 9, launches=2), self.kernel("b", 9))
        self.assertEqual(models.quantity("launches", rung), 3)

    def test_what_was_not_counted_has_no_quantity(self):
        for model in ("resident-threads", "loads-in-flight", "bytes", "launches", "blocks"):
            for rung in (self.rung(), {"key": "demo/first"}):
                with self.assertRaisesRegex(EvidenceError, "demo/first: counts.ptx"):
                    models.quantity(model, rung)
        rung = self.rung(self.kernel("a", 9))
        rung["counts"]["sass"] = None
        with self.assertRaisesRegex(EvidenceError, "demo/first: counts.sass has no kernel a"):
            models.quantity("resident-threads", rung)


if __name__ == "__main__":
    unittest.main()
