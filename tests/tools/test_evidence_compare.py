"""Two records are compared through the rows that did not change."""

import copy
import math
import unittest

import made_up_record
from made_up_record import ROWS, record

from evidence import EvidenceError
from evidence.compare import compare

NAMES = ("h200-1", "h200-2")


def moved(**factors):
    """Return ROWS with these rows' times multiplied."""
    return [(*row[:5], row[5] * factors.get(row[0].replace("-", "_"), 1)) for row in ROWS]


def hashes(**changed):
    """Return the hash of each rung; those in ``changed`` are of another source."""
    return {row[0]: f"{changed.get(row[0], row[3]):064x}" for row in ROWS}


class Compare(unittest.TestCase):
    def found(self, a, b, **how):
        result = compare(a, b, NAMES, **how)
        return result, {one.name: one for one in result.movements}

    def test_equal_records_do_not_move(self):
        result, rows = self.found(record(), record())
        self.assertEqual((result.missing, result.untimed, result.drift), ([], [], 1.0))
        self.assertEqual(list(rows), [row[0] for row in ROWS])
        self.assertTrue(all(one.is_control and one.factor.value == 1 for one in rows.values()))

    def test_the_largest_movement_of_a_control_bounds_the_drift(self):
        b = record(rows=moved(first=1.01, aside=0.97, third=0.5), hashes=hashes(third=77))
        result, rows = self.found(record(hashes=hashes()), b)
        self.assertAlmostEqual(result.drift, 1 / 0.97, places=4)
        self.assertFalse(rows["third"].is_control)
        self.assertEqual(rows["third"].verdict, "faster")
        self.assertEqual(rows["aside"].verdict, "control")
        self.assertAlmostEqual(rows["aside"].factor.value, 1 / 0.97, places=4)

    def test_the_drift_is_bounded_by_rows_in_the_same_arithmetic(self):
        b = record(rows=moved(library_tf32=1.2, third=0.97), hashes=hashes(third=77))
        result, rows = self.found(record(hashes=hashes()), b)
        self.assertAlmostEqual(result.drifts["fp32"], 1.0, places=4)
        self.assertAlmostEqual(result.drifts["tf32"], 1.2, places=2)
        self.assertEqual(rows["third"].verdict, "faster")

    def test_a_control_that_moved_beyond_its_noise_is_known(self):
        b = record(rows=moved(first=1.01, aside=1.001), hashes=hashes(third=77))
        _, rows = self.found(record(hashes=hashes()), b)
        self.assertEqual([name for name, one in rows.items() if one.is_restless], ["first"])

    def test_a_change_within_noise_and_drift_is_not_resolved(self):
        a = record(hashes=hashes())
        for drift, factor, verdict in (
            (1.0, 0.99, "faster"),
            (1.02, 0.99, "not resolved"),
            (1.02, 0.97, "faster"),
            (1.02, 1.03, "slower"),
            (0.98, 1.015, "not resolved"),
        ):
            b = record(rows=moved(first=drift, third=factor), hashes=hashes(third=77))
            _, rows = self.found(a, b)
            self.assertEqual(rows["third"].verdict, verdict, (drift, factor))
            spread = math.log(rows["third"].factor.high / rows["third"].factor.value)
            self.assertGreater(spread, abs(math.log(drift)))

    def test_the_noise_is_the_larger_of_both_runs(self):
        a = record(hashes=hashes(), same=1.03)
        b = record(rows=moved(third=0.98), hashes=hashes(third=77), same=1.001)
        for first, second in ((a, b), (b, a)):
            self.assertEqual(self.found(first, second)[1]["third"].verdict, "not resolved")

    def test_a_library_is_a_control_while_its_version_is_the_same(self):
        rows = [*ROWS[:4], ("cublas-sgemm", "peer", "fp32", 0, None, 55.5),
                ("torch", "peer", "fp32", 1, None, 55.6), ROWS[6]]  # fmt: skip
        a, b = record(rows=rows), record(rows=rows)
        for one in (a, b):
            one["software"] = {"cublas": "13.1.0", "torch": "2.11", "cuda_runtime": "13.0"}
        b["software"]["torch"] = "2.12"
        _, found = self.found(a, b)
        controls = {name for name, one in found.items() if one.is_control}
        self.assertEqual(
            controls, {"first", "second", "third", "aside", "cublas-sgemm", "floor-ffma"}
        )
        b["shapes"][0]["rows"][4]["note"] = "algorithm 3 of 8"
        self.assertFalse(self.found(a, b)[1]["cublas-sgemm"].is_control)

    def test_a_floor_is_a_control_while_its_source_is_the_same(self):
        a, b = record(hashes=hashes()), record(hashes={**hashes(), "floor-ffma": "7" * 64})
        self.assertTrue(self.found(a, a)[1]["floor-ffma"].is_control)
        self.assertFalse(self.found(a, b)[1]["floor-ffma"].is_control)

    def test_another_compiler_leaves_no_rung_as_a_control(self):
        a, b = record(), record()
        b["compiler"]["nvcc"] = "13.1.0"
        _, found = self.found(a, b)
        self.assertFalse(found["first"].is_control)
        self.assertTrue(found["library"].is_control)

    def test_without_a_control_nothing_is_resolved(self):
        other = hashes(first=5, second=6, third=7, aside=8) | {"floor-ffma": "9" * 64}
        b = record(rows=moved(second=0.5), hashes=other)
        b["software"]["cuda_runtime"] = "13.1"
        result, rows = self.found(record(hashes=hashes()), b)
        self.assertIsNone(result.drift)
        self.assertEqual({one.verdict for one in rows.values()}, {"not resolved"})

    def test_rows_and_shapes_of_one_record_only_are_listed(self):
        a, b = record(), record(rows=ROWS[1:])
        self.assertEqual(compare(a, b, NAMES).missing, ["first is only in h200-1"])
        self.assertEqual(compare(b, a, NAMES).missing, ["first is only in h200-2"])
        a, b = record(sizes=[512, 1024]), record(sizes=[1024, 2048], rows=ROWS[:-1])
        self.assertEqual(
            compare(a, b, NAMES).missing,
            [
                "512x512x512 is only in h200-1",
                "floor-ffma is only in h200-1 at 1024x1024x1024",
                "2048x2048x2048 is only in h200-2",
            ],
        )

    def test_a_row_without_a_time_is_listed_and_no_control(self):
        a, b = record(), record()
        b["shapes"][0]["rows"][2] = {**b["shapes"][0]["rows"][2], "missing": "no"}
        result, rows = self.found(a, b)
        self.assertEqual(result.untimed, ["third has no kernel time in h200-2"])
        self.assertNotIn("third", rows)

    def test_spans_and_cold_times_can_be_compared_too(self):
        _, rows = self.found(record(), record(rows=moved(first=1.1)), instrument="span")
        self.assertAlmostEqual(rows["first"].factor.value, 352 / (345 * 1.1 + 7), places=3)
        _, rows = self.found(record(), record(), cache="cold")
        self.assertEqual(rows["first"].before.value, 346.5)

    def test_two_machines_or_ladders_are_refused_with_both_names(self):
        other = copy.deepcopy(record())
        for change, words in (
            (
                {"name": "NVIDIA GeForce RTX 4090"},
                "h200-1 was measured on NVIDIA H200, h200-2 on NVIDIA GeForce RTX 4090; times of",
            ),
            (
                {"multiprocessors": 114},
                "on NVIDIA H200, multiprocessors 132, h200-2 on NVIDIA H200, multiprocessors 114",
            ),
        ):
            other["machine"] = {**made_up_record.MACHINE, **change}
            with self.assertRaisesRegex(EvidenceError, words):
                compare(record(), other, NAMES)
        with self.assertRaisesRegex(EvidenceError, "h200-1 is of the ladder demo, h200-2 of sum"):
            compare(record(), {**record(), "ladder": "sum"}, NAMES)


if __name__ == "__main__":
    unittest.main()
