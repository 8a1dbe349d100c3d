"""What became of predictions: their order, their sums, and what other records say of them."""

import tempfile
import unittest
from pathlib import Path

import documents
import support
from checkout import RUNGS
from made_up_record import ROWS, record

from evidence import lessons, measured, outcomes, page_links, records
from evidence.claims import Judged
from evidence.outcomes import Outcome
from evidence.verdicts import Interval, gain, verdict


def outcome(expected, factor, noise=0.01, model="reads", others=None):
    """Return a prediction with a measured factor of this noise; None: it was not measured."""
    found = None
    words = ("not measured", "not measured")
    if factor is not None:
        found = Interval(factor / (1 + noise), factor, factor * (1 + noise))
        words = (verdict(found.low, factor, found.high, expected), gain(found.low, found.high))
    judged = Judged(model, expected, found, *words)
    return Outcome("demo", "second", "h200-1", judged, others or {})


class Order(unittest.TestCase):
    def test_the_wrong_ones_come_first_and_of_these_the_worst(self):
        right, close, slow, fast, open_, unknown = (
            outcome(1.0, 1.05),
            outcome(1.0, 1.01),
            outcome(2.0, 0.25),  # off by 8
            outcome(1.0, 4.0),
            outcome(1.3, 1.1, noise=0.3),
            outcome(2.0, None),
        )
        found = outcomes.wrong_first([unknown, close, right, open_, fast, slow])
        self.assertEqual(found, [slow, fast, open_, right, close, unknown])

    def test_a_miss_is_the_same_up_and_down(self):
        self.assertAlmostEqual(outcome(2.0, 1.0).off, 2.0)
        self.assertAlmostEqual(outcome(1.0, 2.0).off, 2.0)
        self.assertAlmostEqual(outcome(4.0, 0.5).off_by_no_change, 2.0)
        self.assertIsNone(outcome(2.0, None).off)

    def test_the_model_that_misses_least_comes_first(self):
        some = [outcome(3.0, 1.0, model="reads"), outcome(1.5, 1.0, model="bytes")]
        some.append(outcome(1.0, None, model="barriers"))
        self.assertEqual(list(outcomes.by_model(some)), ["bytes", "reads"])


class Sums(unittest.TestCase):
    def test_they_are_of_what_was_measured(self):
        found = outcomes.tally(
            [
                outcome(1.0, 1.05),  # confirmed, and no change
                outcome(2.0, 2.1),  # confirmed, and a change
                outcome(2.0, 0.5),  # refuted, the wrong way
                outcome(0.5, 1.005),  # refuted, but inside the noise
                outcome(1.3, 1.1, noise=0.3),  # not resolved
                outcome(9.0, None),
            ]
        )
        self.assertEqual(
            (found.predictions, found.confirmed, found.refuted, found.not_resolved), (5, 2, 2, 1)
        )
        self.assertEqual((found.changes_confirmed, found.wrong_way), (1, 1))
        self.assertEqual(found.no_change_confirmed, 3)
        self.assertAlmostEqual(found.off, 1.3 / 1.1)
        self.assertAlmostEqual(found.off_by_no_change, 1.1)

    def test_there_are_none_of_nothing(self):
        self.assertIsNone(outcomes.tally([]))
        self.assertIsNone(outcomes.tally([outcome(2.0, None)]))


class OfALadder(unittest.TestCase):
    def setUp(self):
        rungs = [{"name": name, "after": None} for name in ("first", "second")]
        self.counts = {"ladder": "demo", "rungs": rungs}

    def judged(self, **records):
        return outcomes.of_ladder(self.counts, records)

    def test_the_first_record_decides_and_a_later_one_stands_beside_it(self):
        slower = [(*r[:5], 360.0 if r[0] == "second" else r[5]) for r in ROWS]
        (found,) = self.judged(one=record(), two=record(rows=slower), three=record())
        self.assertEqual((found.rung, found.record, found.judged.expected), ("second", "one", 4.0))
        self.assertAlmostEqual(found.judged.factor.value, 345 / 116, places=3)
        self.assertEqual(list(found.others), ["two", "three"])
        self.assertEqual({n: j.gain for n, j in found.differing.items()}, {"two": "slower"})

    def test_a_record_without_the_rung_leaves_it_to_the_next(self):
        without = record(rows=[row for row in ROWS if row[0] not in ("second", "third")])
        counts = documents.run(self.lessons(), *RUNGS)
        found = outcomes.of_ladder(counts, {"one": without, "two": record()})
        second = next(one for one in found if one.rung == "second")
        self.assertEqual((second.record, second.others), ("two", {}))

    def lessons(self):
        """Return a folder with the lessons of the made-up ladder."""

        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        support.write_lessons(Path(temporary.name), "0-first", "1-second", "x1-aside")
        return Path(temporary.name)

    def test_every_prediction_of_the_course_is_there(self):

        for ladder in lessons.ladders(support.REPO):
            counts = records.load_counts(records.counts_path(support.REPO, ladder))
            kept = {
                path.parent.name: page_links.load(path)
                for path in measured.paths(support.REPO, ladder)
                if path.stem == ladder
            }
            found = outcomes.of_ladder(counts, kept)
            promised = sum(len(rung["because"]) for rung in counts["rungs"] if rung["after"])
            self.assertEqual(len(found), promised)


if __name__ == "__main__":
    unittest.main()
