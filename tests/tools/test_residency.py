"""How many blocks fit a multiprocessor: held against what CUDA said of measured kernels."""

import sys
import unittest

import support

sys.path.insert(0, str(support.REPO / "common"))
from evidence import EvidenceError, models, records, residency  # noqa: E402
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
            "mangled": name,
            "launches": launches,
            "blocks": blocks,
            "threads_per_block": 256,
            "static_shared_bytes": 0,
            "dynamic_shared_bytes": 0,
            "warp_instructions": {"total": instructions},
        }

    def rung(self, *kernels, registers=32, **ptx):
        sass = [{"mangled": kernel["mangled"], "registers": registers} for kernel in kernels]
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

    def test_bytes_are_whole_sectors_of_loads_and_stores(self):
        old = self.rung(global_load_sectors=30, global_store_sectors=10)
        new = self.rung(global_load_sectors=10, global_store_sectors=10)
        self.assertEqual(models.quantity("bytes", old), 1280)
        self.assertEqual(models.expected_factor("bytes", old, new), 2.0)

    def test_launches_are_those_of_all_kernels(self):
        rung = self.rung(self.kernel("a", 9, launches=2), self.kernel("b", 9))
        self.assertEqual(models.quantity("launches", rung), 3)

    def test_what_was_not_counted_has_no_quantity(self):
        for model in ("resident-threads", "bytes", "launches"):
            for rung in (self.rung(), {"key": "demo/first"}):
                with self.assertRaisesRegex(EvidenceError, "demo/first: counts.ptx"):
                    models.quantity(model, rung)
        rung = self.rung(self.kernel("a", 9))
        rung["counts"]["sass"] = None
        with self.assertRaisesRegex(EvidenceError, "demo/first: counts.sass has no kernel a"):
            models.quantity("resident-threads", rung)


if __name__ == "__main__":
    unittest.main()
