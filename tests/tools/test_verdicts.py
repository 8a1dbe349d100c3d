"""The verdict rule is frozen on made-up samples: design, predictions and noise."""

import math
import unittest

import support  # noqa: F401  (puts common/ on the path)

from evidence.verdicts import Interval, gain, ratio_interval, verdict


def times(*round_means):
    """Return the interval of made-up round means, with their median as the value."""
    ordered = sorted(round_means)
    return Interval(ordered[0], ordered[len(ordered) // 2], ordered[-1])


class Ratio(unittest.TestCase):
    def test_the_factor_is_before_over_after(self):
        found = ratio_interval(times(200, 200, 200), times(100, 100, 100), 1.0)
        self.assertEqual((found.low, found.value, found.high), (2, 2, 2))

    def test_the_noise_is_the_largest_of_the_three(self):
        quiet, loud = times(100, 100, 100), times(98, 100, 103)
        for before, after, same, noise in (
            (quiet, quiet, 1.02, 1.02),
            (quiet, quiet, 1 / 1.02, 1.02),
            (loud, quiet, 1.02, 103 / 98),
            (quiet, loud, 1.02, 103 / 98),
            (loud, loud, 1.2, 1.2),
        ):
            found = ratio_interval(before, after, same)
            self.assertAlmostEqual(found.high, found.value * noise)
            self.assertAlmostEqual(found.low, found.value / noise)

    def test_a_median_outside_the_round_means_is_allowed(self):
        self.assertAlmostEqual(Interval(100, 99, 101).spread, math.log(1.01))

    def test_what_is_no_time_is_refused(self):
        for numbers in ((0, 1, 2), (1, math.nan, 2), (1, 2, math.inf), (3, 2, 1), (-1, 1, 1)):
            with self.assertRaises(ValueError):
                Interval(*numbers)
        for same in (0, -1, math.nan, math.inf):
            with self.assertRaises(ValueError):
                ratio_interval(times(1, 1, 1), times(1, 1, 1), same)


class Verdict(unittest.TestCase):
    def of(self, before, after, same, expected):
        f = ratio_interval(before, after, same)
        return verdict(f.low, f.value, f.high, expected), gain(f.low, f.high)

    def test_quad_reads_predicted_1_6_and_measured_1_00_is_refuted(self):
        found = self.of(times(115.4, 115.6, 115.9), times(115.7, 116.0, 116.2), 1.003, 1.6)
        self.assertEqual(found, ("refuted", "not resolved"))

    def test_a_prediction_that_holds(self):
        found = self.of(times(115, 116, 117), times(73.9, 74.1, 74.4), 1.004, 1.56)
        self.assertEqual(found, ("confirmed", "faster"))

    def test_a_step_that_loses_can_be_predicted(self):
        found = self.of(times(74.0, 74.1, 74.2), times(80.4, 80.6, 80.9), 1.002, 0.92)
        self.assertEqual(found, ("confirmed", "slower"))

    def test_a_gain_can_refute_its_prediction(self):
        found = self.of(times(345, 345.7, 346), times(115, 115.6, 116), 1.002, 4.0)
        self.assertEqual(found, ("refuted", "faster"))

    def test_noise_over_both_1_and_the_expected_factor_resolves_nothing(self):
        found = self.of(times(90, 100, 115), times(95, 97, 100), 1.01, 1.2)
        self.assertEqual(found, ("not resolved", "not resolved"))

    def test_noise_resolves_nothing_on_the_slow_side_too(self):
        found = self.of(times(95, 97, 100), times(90, 100, 115), 1.01, 0.8)
        self.assertEqual(found, ("not resolved", "not resolved"))

    def test_noise_that_holds_1_but_not_the_expected_factor_refutes(self):
        self.assertEqual(verdict(0.98, 1.0, 1.02, 1.6), "refuted")

    def test_no_gain_expected_and_none_found_is_confirmed(self):
        self.assertEqual(verdict(0.9, 1.0, 1.1, 1.0), "confirmed")

    def test_expected_within_10_percent_of_1_is_never_not_resolved(self):
        self.assertEqual(verdict(0.5, 0.8, 1.3, 1.05), "refuted")

    def test_the_bound_is_10_percent_itself_included(self):
        for expected in (1.0, 1.6, 0.125, 3.3):
            self.assertEqual(verdict(9, expected * 1.10, 9, expected), "confirmed")
            self.assertEqual(verdict(9, expected / 1.10, 9, expected), "confirmed")
            self.assertEqual(verdict(9, expected * 1.1001, 9, expected), "refuted")

    def test_what_is_no_factor_is_refused(self):
        for factors in ((math.nan, 1, 1, 1), (1, math.nan, 1, 1), (1, 1, 1, 0), (2, 1.5, 1, 1)):
            with self.assertRaises(ValueError):
                verdict(*factors)

    def test_a_gain_needs_1_outside_the_interval(self):
        self.assertEqual(gain(1.0, 1.2), "not resolved")
        self.assertEqual(gain(1.001, 1.2), "faster")
        self.assertEqual(gain(0.8, 1.0), "not resolved")
        self.assertEqual(gain(0.8, 0.999), "slower")

    def test_a_variant_against_itself_is_never_resolved(self):
        for first, second in ((100, 101), (101, 100), (100, 130)):
            f = ratio_interval(
                times(first, first, first), times(second, second, second), first / second
            )
            self.assertEqual(gain(f.low, f.high), "not resolved")


if __name__ == "__main__":
    unittest.main()
