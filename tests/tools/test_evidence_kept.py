"""What may be kept in docs/evidence, what a record freezes, and that all that is kept is good."""

import json
import unittest

import documents
import made_up_record
import support
from test_evidence_records import Case

from evidence import EvidenceError, measured, predictions, records, schema
from evidence.counts_layout import COUNTS
from evidence.json_file import json_text
from evidence.layout import Each, Either, Maybe, OrMissing, require
from evidence.measured_layout import RECORD


class WithLessons(Case):
    def setUp(self):
        super().setUp()
        support.write_lessons(self.root, "0-first", "1-second", "2-third", "x1-aside")
        names = ("first", "second", "third", "aside")
        self.hashes = support.hashes(self.root, "demo", names)

    def draft(self, **how):
        return made_up_record.draft(**{"hashes": self.hashes, "count": 100, **how})


class Kept(WithLessons):
    """What may stand in docs/evidence."""

    def refused_to_keep(self, made, words):
        with self.assertRaisesRegex(EvidenceError, words):
            measured.require_keepable(self.root, measured.finish(made), "r.json")

    def test_a_whole_current_record_may_be_kept(self):
        sweep = [*made_up_record.ROWS[:3], made_up_record.ROWS[4]]  # without the aside
        for how in ({}, {"sizes": [512, 1024], "rows": sweep}):
            record = measured.finish(self.draft(**how))
            measured.require_keepable(self.root, record, "r.json")
            self.assertEqual(records.load_record(self.saved(record)), record)

    def test_a_subset_may_not(self):
        rows = made_up_record.ROWS
        self.refused_to_keep(self.draft(count=99), "protocol.samples is 99; .* needs 100")
        self.refused_to_keep(self.draft(rounds=2), "protocol.rounds is 2; .* needs 3")
        self.refused_to_keep(self.draft(rows=rows[:4]), "no peer and no floor")
        self.refused_to_keep(self.draft(rows=[*rows[:2], *rows[3:]]), "lacks third")
        self.refused_to_keep(self.draft(same=None), "no two rungs entered twice")
        sweep = {"sizes": [512, 1024], "rows": [*rows[:2], rows[4]]}
        self.refused_to_keep(self.draft(**sweep), r"shapes\[0\].rows lacks third; a record")

    def test_a_bent_environment_may_not(self):
        for name in measured.BENDING:
            made = self.draft()
            made["environment"] = {name: "1"}
            measured.finish(made)  # a record, but not one to keep
            self.refused_to_keep(made, f"environment.{name} is '1'")

    def test_a_source_that_moved_on(self):
        record = measured.finish(self.draft())
        self.assertEqual(measured.stale(self.root, record), [])
        source = self.root / "lessons/demo/2-third/third.cu"
        source.write_text(support.KERNEL.replace("2.0f", "3.0f"), encoding="utf-8")
        said = ["demo/third has changed since it was measured"]
        self.assertEqual(measured.stale(self.root, record), said)
        self.refused_to_keep(self.draft(), said[0])
        floor = self.root / "common/peers/floor_ffma.cu"
        text = floor.read_text(encoding="utf-8")
        floor.write_text(text.replace("from[threadIdx.x]", "from[0]"), encoding="utf-8")
        said.append("demo/floor-ffma has changed since it was measured")
        self.assertEqual(measured.stale(self.root, record), said)
        floor.unlink()
        self.assertIn("demo/floor-ffma is in the record, but has no source",
                      measured.stale(self.root, record))  # fmt: skip
        (self.root / "lessons/demo/x1-aside").rename(self.root / "lessons/demo/x1-other")
        self.assertIn("demo/aside is in the record, but has no folder",
                      measured.stale(self.root, record))  # fmt: skip

    def test_records_are_found_by_ladder_in_the_order_of_their_names(self):
        for name in ("h200-10", "h200-2", "counts", "published", "schema"):
            for file in ("demo.json", "demo-sizes.json", "other.json"):
                path = measured.path_of(self.root, name, file[:-5])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("{}", encoding="utf-8")
        found = [f"{p.parent.name}/{p.stem}" for p in measured.paths(self.root, "demo")]
        self.assertEqual(
            found, ["h200-2/demo", "h200-2/demo-sizes", "h200-10/demo", "h200-10/demo-sizes"]
        )
        self.assertEqual(len(measured.paths(self.root)), 6)
        path = measured.path_of(self.root, "h200-2", "demo", sizes=True)
        self.assertIn(path, measured.paths(self.root))


class Predictions(WithLessons):
    def keep(self, namespace, date, **changes):
        made = self.draft()
        made["date"] = date
        counts = records.load_counts(records.counts_path(self.root, "demo"))
        made["predictions"] = predictions.of_counts(counts)
        for prediction in made["predictions"]:
            prediction.update(changes)
        path = measured.path_of(self.root, namespace, "demo")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json_text(measured.finish(made)), encoding="utf-8")

    def count(self, why="fewer reads", reads=2):
        run = documents.run(
            self.root,
            *(("first", None, 0, 4), ("second", "first", 1, reads)),
            *(("third", "second", 2, 2), ("aside", "first", 1001, 6)),
        )
        for rung in run["rungs"]:
            rung["because"][0]["why"] = why
        path = records.counts_path(self.root, "demo")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json_text(records.counts_record(self.root, run)), encoding="utf-8")

    def test_without_a_record_nothing_is_frozen(self):
        self.assertEqual(predictions.edited(self.root, "demo"), [])

    def test_the_oldest_record_freezes_text_and_factor(self):
        self.count()
        self.keep("h200-2", "2026-11-30")
        self.assertEqual(predictions.edited(self.root, "demo"), [])
        self.count(why="other words")
        found = predictions.edited(self.root, "demo")
        self.assertEqual(len(found), 3)
        self.assertEqual(
            found[1],
            "demo/second, reads: the text was 'fewer reads' in h200-2/demo, and is 'other words'",
        )
        self.keep("h200-1", "2026-12-01")  # a later one changes nothing
        self.assertEqual(predictions.edited(self.root, "demo"), found)
        self.count(reads=1)
        self.assertEqual(
            predictions.edited(self.root, "demo")[0],
            "demo/second, reads: the expected factor was 2 in h200-2/demo, and is 4",
        )

    def test_a_prediction_taken_away_or_added_after_measuring_is_named(self):
        self.count()
        self.keep("h200-1", "2026-11-30")
        record = records.load_record(measured.path_of(self.root, "h200-1", "demo"))
        now = {(p["rung"], p["model"]): p for p in record["predictions"]}
        now["third", "wavefronts"] = now.pop(("third", "reads"))
        now["unmeasured", "reads"] = now["third", "wavefronts"]
        self.assertEqual(
            predictions.differences(record, now, "h200-1/demo"),
            [
                "demo/third, reads: h200-1/demo holds this prediction, but it is no longer made",
                "demo/third, wavefronts: h200-1/demo was measured without this prediction",
            ],
        )


class Schema(unittest.TestCase):
    def test_the_schema_in_the_repository_is_the_layouts(self):
        text = schema.path(support.REPO).read_text(encoding="utf-8")
        self.assertEqual(text, json_text(schema.document()))

    def test_every_kind_of_layout_has_its_schema(self):
        found = schema.of_layout(
            {"a": Maybe(int), "b?": [float], "c": Either(("x",)), "d": Each(str), "e": bool}
        )
        self.assertEqual(found["required"], ["a", "c", "d", "e"])
        self.assertEqual(
            found["properties"],
            {
                "a": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
                "b": {"type": "array", "items": {"type": "number"}},
                "c": {"enum": ["x"]},
                "d": {"type": "object", "additionalProperties": {"type": "string"}},
                "e": {"type": "boolean"},
            },
        )
        for layout in (RECORD, COUNTS):
            json.dumps(schema.of_layout(layout))

    def test_missing_takes_the_place_of_the_rest(self):
        layout = OrMissing({"value": int}, {"name": str})
        for value in ({"name": "a", "value": 1}, {"name": "a", "missing": "why"}):
            require(value, layout, "made up")
        for value, words in (
            ({"name": "a"}, "value is missing"),
            ({"missing": "why"}, "name is missing"),
            ({"name": "a", "missing": 1}, "missing is 1; it must be a text"),
            (None, "it must be an object"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                require(value, layout, "made up")


class Retained(unittest.TestCase):
    """What is kept is valid and of the source as it is; no GPU is needed to tell."""

    def test_every_measured_record(self):
        for path in measured.paths(support.REPO):
            with self.subTest(path=path.name):
                record = records.load_record(path)
                measured.require_keepable(support.REPO, record, str(path))
                self.assertEqual(path.read_text(encoding="utf-8"), json_text(record))

    def test_every_counts_record(self):
        folder = support.REPO / "docs" / "evidence" / "counts"
        for path in folder.glob("*.json"):
            record = records.load_counts(path)
            self.assertEqual(records.stale(support.REPO, record), [])

    def test_nothing_else_lies_between_the_records(self):
        folder = support.REPO / "docs" / "evidence"
        kept = {path.parent for path in measured.paths(support.REPO)}
        known = {folder / name for name in ("counts", "published", "schema")} | kept
        self.assertEqual({path for path in folder.iterdir() if path.is_dir()} - known, set())


if __name__ == "__main__":
    unittest.main()
