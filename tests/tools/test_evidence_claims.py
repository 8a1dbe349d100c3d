"""What made-up samples let one claim: intervals, factors, gains, verdicts, rates, limits."""

import math
import unittest

import made_up_record
from made_up_record import ROWS, draft, record

from evidence import EvidenceError, claims, measured, possible, times


def with_times(**kernels):
    """Return ROWS with other kernel times for these rows."""
    return [(*row[:5], kernels.get(row[0], row[5])) for row in ROWS]


def with_rounds(made, name, *rounds, instrument="kernel", cache="warm"):
    """Put rounds of samples into the draft's row; its kernels sum to them."""
    for time in times.row(made, name)["times"]:
        if (time["instrument"], time["cache"]) == (instrument, cache):
            time["rounds"] = [list(one) for one in rounds]
            for kernel in time.get("kernels", []):
                kernel["rounds"] = [list(one) for one in rounds]
    return made


class Times(unittest.TestCase):
    def test_an_interval_is_lowest_round_mean_median_and_highest_round_mean(self):
        made = with_rounds(draft(), "second", (1000, 1, 1, 1, 2), (4, 4, 4, 4, 4), (3, 3, 3, 3, 8))
        found = times.find(times.row(made, "second")).interval
        self.assertEqual((found.low, found.value, found.high), (4, 3, 201))

    def test_find_tells_never_asked_from_gave_nothing(self):
        made = record()
        row = times.row(made, "second")
        self.assertIsNone(times.find(row, "awaited"))
        self.assertIsNone(times.find(row, "graph", batch=100))
        row["times"][1] = {"instrument": "kernel", "cache": "warm", "batch": 1, "missing": "why"}
        self.assertEqual(times.find(row).missing, "why")
        self.assertIsNone(times.find(row).interval)
        gone = times.find({"name": "x", "missing": "no library"})
        self.assertEqual((gone.missing, gone.interval), ("no library", None))

    def test_the_median_is_of_all_samples_and_all_are_kept(self):
        found = times.find(times.row(record(), "first"), "graph", batch=10)
        self.assertEqual(len(found.samples), 15)
        self.assertEqual(found.interval.value, sorted(found.samples)[7])

    def test_labels_are_read_as_they_are_written(self):
        for how in (("kernel", "warm", 1), ("graph", "cold", 10), ("queued", "warm", 100)):
            self.assertEqual(times.parse_label(times.label(*how)), how)
        for text in ("graph", "kernel-10", "queued-0", "cold", "kernel-cold-cold", ""):
            self.assertIsNone(times.parse_label(text))

    def test_rows_and_shapes_are_named_or_refused(self):
        made = record(sizes=[512, 1024])
        self.assertEqual(times.at_shape(made, "512x512x512")["shape"]["M"], 512)
        self.assertEqual(times.at_shape(made, {"M": 1024, "N": 1024, "K": 1024})["bytes"], 12 << 20)
        for shape, words in (
            (None, "holds 2 shapes"),
            ("9x9x9", "has no shape 9x9x9; it has 512x"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                times.row(made, "first", shape)
        with self.assertRaisesRegex(EvidenceError, "no row 'none'"):
            times.row(record(), "none")


class SameDifference(unittest.TestCase):
    def test_it_is_the_largest_ratio_of_a_row_to_itself(self):
        made = record(same=1.03)
        self.assertAlmostEqual(times.same_difference(made), 1.03, places=4)
        made = draft(same=1.03)
        row = times.row(made, "first (again)")
        row["times"] = made_up_record.times(345.0 / 1.05)
        self.assertAlmostEqual(times.same_difference(made), 1.05, places=4)

    def test_without_a_row_entered_twice_there_is_no_noise_and_no_factor(self):
        made = record(same=None)
        self.assertIsNone(times.same_difference(made))
        self.assertIsNone(claims.factor(made, "first", "second"))
        self.assertEqual(claims.gain(made, "second"), "not measured")

    def test_a_row_against_itself_is_never_resolved(self):
        for same in (0.9, 0.999, 1.001, 1.1, 1.4):
            made = record(same=same)
            for row in times.rows(made):
                if row["again_of"] is not None:
                    found = claims.factor(made, row["again_of"], row["name"])
                    self.assertEqual(claims.gain_of_factor(found.low, found.high), "not resolved")


class Claims(unittest.TestCase):
    def judged(self, made, rung):
        (found,) = claims.judge(made, None, rung)
        return found

    def test_quad_reads_predicted_1_6_and_measured_1_00_is_refuted(self):
        found = self.judged(record(), "third")
        self.assertEqual((found.model, found.expected), ("reads", 1.6))
        self.assertAlmostEqual(found.factor.value, 116.0 / 116.2)
        self.assertEqual((found.verdict, found.gain), ("refuted", "not resolved"))

    def test_a_prediction_that_holds_and_one_that_a_gain_refutes(self):
        made = record(rows=with_times(third=72.0))
        self.assertEqual(self.judged(made, "third").verdict, "confirmed")
        found = self.judged(made, "second")
        self.assertEqual((found.verdict, found.gain), ("refuted", "faster"))

    def test_a_gain_inside_the_noise_is_not_resolved(self):
        rows = with_times(third=115.0)
        self.assertEqual(claims.gain(record(rows=rows, same=1.02), "third"), "not resolved")
        self.assertEqual(claims.gain(record(rows=rows, same=1.002), "third"), "faster")
        loud = record(rows=rows, spread=0.03)
        self.assertEqual(claims.gain(loud, "third"), "not resolved")
        self.assertEqual(claims.gain(record(rows=with_times(third=120.0)), "third"), "slower")

    def test_the_noise_is_of_one_instrument_and_one_cache(self):
        made = draft()
        row = times.row(made, "first (again)")
        row["times"] = [*made_up_record.times(345 * 1.3)[:1], *made_up_record.times(345)[1:]]
        self.assertAlmostEqual(times.same_difference(made, "span"), 352 * 1.3 / 352, delta=0.02)
        self.assertLess(times.same_difference(made, "kernel"), 1.003)

    def test_what_has_no_time_is_not_measured(self):
        made = draft()
        row = times.row(made, "third")
        row["times"] = [
            {"instrument": "kernel", "cache": "warm", "batch": 1, "missing": "not permitted"}
        ]
        made = measured.finish(made)
        found = self.judged(made, "third")
        self.assertEqual((found.factor, found.verdict, found.gain),
                         (None, "not measured", "not measured"))  # fmt: skip
        self.assertIsNone(claims.tflops(made, "third"))
        self.assertIsNone(claims.step(made, "first"))

    def test_rates_follow_from_median_and_work(self):
        made = record()
        self.assertAlmostEqual(claims.tflops(made, "library"), 2 * 1024**3 / 55.5e-6 / 1e12)
        self.assertAlmostEqual(claims.tbps(made, "library"), 12 * 1024**2 / 55.5e-6 / 1e12)
        self.assertAlmostEqual(claims.percent_of(made, "second", "library"), 100 * 55.5 / 116)
        self.assertEqual(claims.fastest(made, ["library", "second", "no such"]), "library")
        self.assertIsNone(claims.fastest(made, ["no such"]))
        self.assertEqual(claims.max_relative_error(times.row(made, "second")), 5.7e-7)

    def test_many_short_blocks_are_marked_with_the_graphs_time(self):
        row = times.row(draft(), "second")
        kernel = next(t for t in row["times"] if t["instrument"] == "kernel" and "rounds" in t)
        self.assertIsNone(times.crowded(row))
        kernel["kernels"][0]["grid"] = [10_000, 1, 1]
        self.assertIsNone(times.crowded(row))
        kernel["kernels"][0]["grid"] = [100, 1001, 1]
        self.assertRegex(
            times.crowded(row),
            r"^second has 100100 short blocks, and CUPTI adds a little to each: its kernel time is "
            r"[\d.]+ us, and graph-10 takes [\d.]+ us$",
        )
        kernel["rounds"] = [[sample * 1000 for sample in one] for one in kernel["rounds"]]
        self.assertIsNone(times.crowded(row))  # its blocks are long

    def test_a_floor_does_its_own_work_only(self):
        made = draft()
        entry = made["shapes"][0]
        ffma = entry["rows"][6]
        self.assertEqual(claims.work_of(entry, ffma), claims.Work(1024**3, None))
        for work, size in (
            (["input_bytes", "output_bytes"], 12 << 20),
            (["input_bytes"], 8 << 20),
            (["output_bytes"], 4 << 20),
        ):
            for name in ("floor-ffma", "made-up"):  # the name says nothing
                row = {**ffma, "name": name, "work": work}
                self.assertEqual(claims.work_of(entry, row), claims.Work(None, size))
        self.assertEqual(claims.work_of(entry, entry["rows"][0]), claims.Work(1024**3, 12 << 20))

    def test_the_share_of_the_memorys_rate_is_that_of_clock_and_width(self):
        found = record(rows=[("first", "kept", "fp32", 0, None, 40.0), ROWS[6]], same=None)
        rate = 12 * 2**20 / 40e-6 / 1e12
        found["machine"]["l2_bytes"] = 12 * 2**20 - 1
        self.assertAlmostEqual(claims.percent_of_memory(found, "first"), 100 * rate / 4.916736, 1)
        self.assertAlmostEqual(claims.memory_tbps(found["machine"]), 4.916736)
        self.assertIsNone(claims.percent_of_memory(found, "floor-ffma"))
        found["machine"]["memory_bus_bits"] = None
        self.assertIsNone(claims.percent_of_memory(found, "first"))

    def test_what_the_l2_holds_is_no_share_of_the_memorys_rate(self):
        found = record(rows=[("first", "kept", "fp32", 0, None, 40.0)], same=None)
        found["machine"]["l2_bytes"] = 12 * 2**20
        self.assertIsNone(claims.percent_of_memory(found, "first"))


class Possible(unittest.TestCase):
    def refused(self, made, words):
        with self.assertRaisesRegex(EvidenceError, words):
            measured.finish(made)

    def test_the_limits_of_one_machine(self):
        found = possible.limits(made_up_record.MACHINE)
        self.assertEqual(found["fp32_flops"], 132 * 128 * 2 * 1980e6)
        self.assertEqual(found["tf32_flops"], 132 * 1024 * 2 * 1980e6)
        self.assertEqual(found["bytes_per_second"], 2 * 3201e6 * 6144 / 8)

    def test_arithmetic_beyond_the_limit_is_refused_with_both_numbers(self):
        rows = with_times(library=31.0)
        self.refused(
            draft(rows=rows),
            r"shapes\[0\].rows\[4\].times\[1\].rounds\[0\]: library takes 30.9\d\d us, but "
            r"FP32 at 66.9 TFLOP/s needs 32.096 us",
        )
        measured.finish(draft(rows=with_times(library=32.2)))

    def test_tf32_has_a_rate_of_its_own(self):
        measured.finish(draft(rows=[*ROWS[:5], ("tf32", "peer", "tf32", 1, None, 4.1)]))
        self.refused(
            draft(rows=[*ROWS[:5], ("tf32", "peer", "tf32", 1, None, 3.8)]), "TF32 at 535.3 TFLOP/s"
        )

    def test_one_round_beyond_the_limit_is_enough(self):
        made = with_rounds(draft(), "library", [50] * 5, [50] * 5, [20] * 5)
        self.refused(made, r"times\[1\].rounds\[2\]: library takes 20.000 us")

    def test_memory_counts_only_where_cold_or_larger_than_the_l2(self):
        copy = ("floor-copy", "floor", "fp32", 2, None, 2.0)
        made = draft(rows=[*ROWS, copy])
        row = times.row(made, "floor-copy")
        row["times"] = [time for time in row["times"] if time["cache"] == "warm"]
        measured.finish(made)  # 12 MiB in 2 us: warm, and the L2 has them
        cold = draft(rows=[*ROWS, copy])
        made = with_rounds(cold, "floor-copy", [2.0] * 5, [2.0] * 5, [2.0] * 5, cache="cold")
        self.refused(made, "floor-copy takes 2.000 us, but memory at 4.92 TB/s needs 2.559 us")

    def test_a_warm_footprint_counts_but_for_what_the_l2_holds(self):
        machine = made_up_record.MACHINE
        entry = {"multiply_adds": None, "bytes": 1 << 30, "input_bytes": 1 << 30}
        row = {"name": "sum", "kind": "kept", "math": "fp32"}
        (bound,) = possible.bounds(machine, entry, row, "warm")
        rate = possible.limits(machine)["bytes_per_second"]
        size = (1 << 30) - machine["l2_bytes"]
        self.assertTrue(math.isclose(bound.microseconds, size / rate * 1e6))
        small = {**entry, "bytes": 1 << 20}
        self.assertEqual(possible.bounds(machine, small, row, "warm"), [])

    def test_an_unknown_machine_has_no_limit_and_says_so(self):
        made = draft(rows=with_times(library=1.0))
        made["machine"]["compute_capability"] = "19.5"
        made["machine"]["memory_bus_bits"] = None
        measured.finish(made)
        self.assertEqual(set(possible.limits(made["machine"]).values()), {None})
        said = possible.unknown(made["machine"])
        self.assertEqual(len(said), 3)
        self.assertIn("compute capability 19.5 is not known; no time is held", said[0])

    def test_host_time_of_a_submission_has_no_bound(self):
        made = with_rounds(draft(), "second", *([0.001] * 5,) * 3, instrument="submit")
        measured.finish(made)


if __name__ == "__main__":
    unittest.main()
