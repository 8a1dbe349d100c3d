"""Measured records: a damaged, doctored or contradictory one is refused, in one sentence."""

import copy
import json
import tempfile
import unittest
from pathlib import Path

import documents
import made_up_record
import support

from evidence import EvidenceError, measured, predictions, records, schema, source_hash, times
from evidence.counts_layout import COUNTS
from evidence.json_file import json_text
from evidence.layout import Each, Either, Maybe, OrMissing, require
from evidence.measured_layout import RECORD

SMALL = {"rounds": 1, "count": 1, "ways": (("kernel", "warm", 1),), "rows": made_up_record.ROWS[:2]}


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)

    def saved(self, data):
        path = self.root / "demo.json"
        path.write_bytes(data if isinstance(data, bytes) else json_text(data).encode())
        return path

    def refused(self, data, words):
        path = self.saved(data)
        with self.assertRaisesRegex(EvidenceError, words) as caught:
            records.load_record(path)
        self.assertIn("demo.json: ", str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))


class Damaged(Case):
    def test_cut_off_at_every_byte(self):
        data = json_text(made_up_record.record(**SMALL)).encode()
        self.assertEqual(records.load_record(self.saved(data))["ladder"], "demo")
        path = self.saved(b"")
        for size in range(len(data) - 1):  # without its last line end it is whole
            path.write_bytes(data[:size])
            with self.assertRaises(EvidenceError) as caught:
                records.load_record(path)
            self.assertRegex(str(caught.exception), r"demo\.json: [^\n]+\Z")

    def test_what_is_no_record(self):
        text = json_text(made_up_record.record(**SMALL))
        newer = text.replace("rungs-record/1", "rungs-record/2")
        for data, words in (
            (b"", "is empty"),
            (b"\xef\xbb\xbf" + text.encode(), "byte order mark"),
            (text.replace("\n", "\r\n").encode(), "line 1 has a carriage return"),
            (text.replace('"seed": 1', '"seed": NaN').encode(), "holds NaN"),
            ((text + text).encode(), "is no JSON at line"),
            (newer.encode(), "version rungs-record/2, this course reads rungs-record/1"),
            (b'{"schema": "rungs-counts/1"}', "must be rungs-record/1"),
            (b"[]", "schema is None"),
        ):
            self.refused(data, words)

    def test_a_file_that_is_not_there(self):
        with self.assertRaisesRegex(EvidenceError, "cannot read .*none.json: No such file"):
            records.load_record(self.root / "none.json")


class Doctored(Case):
    def doctored(self, change, words, **how):
        """Change a finished record, leave its digest, and hold that it is refused."""
        made = made_up_record.record(**how)
        change(made)
        self.refused(made, words)

    def test_one_sample(self):
        def kernel(made):
            made["shapes"][0]["rows"][1]["times"][1]["rounds"][2][3] -= 0.5

        def span(made):
            made["shapes"][0]["rows"][1]["times"][0]["rounds"][2][3] -= 0.001

        path = r"shapes\[0\]\.rows\[1\]\.times\[1\]\.rounds\[2\]\[3\]"
        self.doctored(kernel, path + " is .*, but its kernels sum to")
        self.doctored(span, "sha256 is .* it was changed after it was written")

    def test_every_value_is_under_the_digest(self):
        made = made_up_record.record(**SMALL)
        paths = [p for p in leaves(made) if p != ("sha256",)]
        self.assertGreater(len(paths), 150)
        for path in paths:
            changed = copy.deepcopy(made)
            inner = changed
            for key in path[:-1]:
                inner = inner[key]
            value = inner[path[-1]]
            inner[path[-1]] = not value if isinstance(value, bool) else (
                value + 1 if isinstance(value, int | float) else f"{value}x"
            )  # fmt: skip
            with self.assertRaises(EvidenceError, msg=path):
                measured.require_record(changed, "made up")

    def test_one_hash(self):
        def change(made):
            row = made["shapes"][0]["rows"][2]
            row["source_hash"] = "f" + row["source_hash"][1:]

        self.doctored(change, "sha256 is")
        self.doctored(
            lambda r: r["shapes"][0]["rows"][0].update(source_hash="abc"),
            r"shapes\[0\].rows\[0\].source_hash is 'abc'",
        )

    def test_one_value_that_is_not_finite(self):
        text = json_text(made_up_record.record(**SMALL))
        for value, words in (("NaN", "holds NaN"), ("1e999", r"states\[0\].power_w is inf")):
            doctored = text.replace('"power_w": 320.5', f'"power_w": {value}', 1)
            self.refused(doctored.encode(), words)

    def test_a_row_of_another_record(self):
        other = made_up_record.record(same=1.01)["shapes"][0]["rows"][2]
        self.doctored(lambda r: r["shapes"][0]["rows"].__setitem__(2, other | {"order": 5}), "sha")

    def test_two_machines_in_one_document(self):
        machine = {**made_up_record.MACHINE, "name": "NVIDIA GeForce RTX 4090"}
        self.doctored(
            lambda r: r["shapes"][0]["rows"][1].update(machine=machine),
            r"shapes\[0\].rows\[1\].machine is 'NVIDIA GeForce RTX 4090', but the record is of "
            "'NVIDIA H200'",
        )
        same = dict(made_up_record.MACHINE)
        self.assertEqual(measured.one_machine([same, dict(same)]), same)
        with self.assertRaisesRegex(EvidenceError, "name is 'NVIDIA H200' and 'NVIDIA GeForce"):
            measured.one_machine([same, machine])


class Refused(Case):
    """What finish() refuses, so that the conductor writes nothing."""

    def finish(self, change, words, **how):
        made = made_up_record.draft(**how)
        change(made)
        before = copy.deepcopy(made)
        with self.assertRaisesRegex(EvidenceError, words) as caught:
            measured.finish(made)
        self.assertRegex(str(caught.exception), r"\Athe record of demo: [^\n]+\Z")
        self.assertEqual(made, before)

    def test_what_the_protocol_does_not_say(self):
        row = lambda r: r["shapes"][0]["rows"][1]  # noqa: E731
        time = lambda r: row(r)["times"][0]  # noqa: E731
        at = r"shapes\[0\].rows\[1\]"
        for change, words in (
            (lambda r: time(r)["rounds"].pop(), at + r".times\[0\].rounds has 2 rounds; .* says 3"),
            (lambda r: time(r)["rounds"][1].pop(), at + r".times\[0\].rounds\[1\] has 4 samples"),
            (lambda r: time(r)["rounds"][1].__setitem__(0, 0), r"rounds\[1\]\[0\] is 0; a time"),
            (lambda r: time(r)["rounds"][1].__setitem__(0, -1.5), r"rounds\[1\]\[0\] is -1.5"),
            (lambda r: time(r)["rounds"][1].__setitem__(0, float("nan")), "is nan; it must be"),
            (lambda r: time(r).update(batch=7), at + r".times\[0\] is span warm 7, which"),
            (lambda r: row(r)["times"].append(time(r)), at + r".times\[5\] is span warm 1, which"),
            (lambda r: row(r)["times"][1].pop("kernels"), at + r".times\[1\].kernels is missing"),
            (lambda r: time(r).pop("rounds"), at + r".times\[0\].rounds is missing"),
            (lambda r: r["protocol"].update(rounds=0), "protocol.rounds is 0; .* at least 1"),
            (lambda r: r["protocol"]["instruments"].append(r["protocol"]["instruments"][0]),
             r"protocol.instruments\[5\] is span warm 1, which stands twice"),
        ):  # fmt: skip
            self.finish(change, words)

    def test_what_was_not_checked_or_failed(self):
        row = lambda r: r["shapes"][0]["rows"][4]  # noqa: E731
        at = r"shapes\[0\].rows\[4\].check"
        for change, words in (
            (lambda r: row(r).pop("check"), at + " is missing; what is not checked"),
            (lambda r: row(r)["check"].pop("after"), at + ".after is missing"),
            (lambda r: row(r)["check"]["after"].update(passed=False), at + ".after.passed is"),
            (lambda r: row(r)["check"]["before"]["shapes"][0].update(passed=False),
             at + r".before.shapes\[0\].passed is False"),
            (lambda r: row(r)["check"]["before"].update(shapes=[]), at + ".before.shapes is empty"),
            (lambda r: row(r)["check"]["before"]["shapes"][0].update(max_relative_error=1e-3),
             at + r".before.shapes\[0\].max_relative_error is 0.001; the tolerance is 1e-05"),
        ):  # fmt: skip
            self.finish(change, words)

    def test_rows_and_predictions_that_contradict_each_other(self):
        rows = lambda r: r["shapes"][0]["rows"]  # noqa: E731
        for change, words in (
            (lambda r: rows(r)[2].update(name="second"), r"rows\[2\].name is 'second', which"),
            (lambda r: rows(r)[7].update(again_of="none"), r"rows\[7\].again_of is 'none', which"),
            (lambda r: rows(r)[7].update(math="tf32"), r"rows\[7\].math is 'tf32', but second has"),
            (lambda r: rows(r)[2].update(missing=" "), r"rows\[2\].missing is empty"),
            (lambda r: rows(r)[2].update(kind="best"), r"rows\[2\].kind is 'best'"),
            (lambda r: rows(r)[2]["counters"].update(x=1), r"rows\[2\].counters.x is no counter"),
            (
                lambda r: rows(r)[2]["counters"].update(issue_active=-1),
                "counters.issue_active is -1",
            ),
            (lambda r: r["shapes"].append(r["shapes"][0]), r"shapes\[1\].shape stands twice"),
            (lambda r: r.update(shapes=[]), "shapes is empty"),
            (lambda r: r["predictions"][0].update(rung="no"), r"predictions\[0\].rung is 'no'"),
            (lambda r: r["predictions"][0].update(after="third"), r"predictions\[0\].after is"),
            (lambda r: r["predictions"][0].update(expected=0), r"predictions\[0\].expected is 0"),
            (lambda r: r.update(build="Debug"), "build is 'Debug'; only a Release build"),
            (lambda r: r.update(date="today"), "date is 'today'"),
            (lambda r: r["machine"].pop("l2_bytes"), "machine.l2_bytes is missing"),
        ):
            self.finish(change, words)

    def test_a_row_or_an_instrument_that_is_not_there_says_why(self):
        made = made_up_record.draft()
        row = times.row(made, "library")
        for key in ("check", "resources", "times", "counters"):
            del row[key]
        row["missing"] = "libcublas.so.13 is not here"
        times.row(made, "second")["times"][2] = {
            "instrument": "kernel", "cache": "cold", "batch": 1, "missing": "not permitted",
        }  # fmt: skip
        times.row(made, "second")["counters"] = {"missing": "ERR_NVGPUCTRPERM"}
        record = measured.finish(made)
        self.assertEqual(records.load_record(self.saved(record)), record)

    def test_no_place_of_this_machine_is_kept(self):
        made = made_up_record.draft()
        place = "/ho" + "me/someone/lib/libx.so.1"
        times.row(made, "library")["note"] = f"cannot open {place}: no such file"
        record = measured.finish(made)
        self.assertEqual(times.row(record, "library")["note"],
                         "cannot open libx.so.1: no such file")  # fmt: skip
        times.row(record, "library")["note"] = place
        self.refused(record, r"shapes\[0\].rows\[4\].note names a place of one machine")


class WithLessons(Case):
    def setUp(self):
        super().setUp()
        support.write_lessons(self.root, "0-first", "1-second", "2-third", "x1-aside")
        names = ("first", "second", "third", "aside")
        self.hashes = {name: source_hash.rung_hash(self.root, "demo", name) for name in names}

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


def leaves(value, path=()):
    """Yield the path of every number, text and truth value in a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    elif value is not None:
        yield path


if __name__ == "__main__":
    unittest.main()
