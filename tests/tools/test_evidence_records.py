"""Measured records: a damaged, doctored or contradictory one is refused, in one sentence."""

import copy
import tempfile
import unittest
from pathlib import Path

import made_up_record

from evidence import EvidenceError, anchors, measured, records, times
from evidence.json_file import json_text

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
        newer = text.replace("rungs-record/2", "rungs-record/3")
        for data, words in (
            (b"", "is empty"),
            (b"\xef\xbb\xbf" + text.encode(), "byte order mark"),
            (text.replace("\n", "\r\n").encode(), "line 1 has a carriage return"),
            (text.replace('"seed": 1', '"seed": NaN').encode(), "holds NaN"),
            ((text + text).encode(), "is no JSON at line"),
            (newer.encode(), "version rungs-record/3, this course reads rungs-record/2"),
            (b'{"schema": "rungs-counts/2"}', "must be rungs-record/2"),
            (b"[]", "schema is missing; it must be"),
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

    def test_errors_over_other_inputs(self):
        def change(edit):
            draft = made_up_record.draft(**SMALL)
            made_up_record.accuracy(draft, ("mean 10", 10), ("mean 100", 100))
            edit(draft["accuracy"])
            return draft

        measured.finish(change(lambda found: None))
        for edit, words in (
            (
                lambda a: a[0].update(name="Mean"),
                r"accuracy\[0\].name is 'Mean'; it must be a text",
            ),
            (
                lambda a: a[0].update(name="mean 100"),
                r"accuracy\[1\].name is .*, which stands twice",
            ),
            (lambda a: a[1].update(shape={"M": 1}), r"accuracy\[1\].shape is none of the record's"),
            (lambda a: a[0].update(ranges={"A": [2, 1]}), r"accuracy\[0\].ranges.A is \[2, 1\]"),
            (
                lambda a: a[0]["rows"][1].update(name="gone"),
                r"rows\[1\].name is 'gone', which is no",
            ),
            (
                lambda a: a[0]["rows"][1].update(name="first"),
                r"rows\[1\].name is 'first', .* twice",
            ),
            (lambda a: a[0]["rows"][1].update(max_relative_error=-1.0), "an error is not negative"),
            (lambda a: a[0]["rows"][1].pop("max_relative_error"), "max_relative_error is missing"),
            (lambda a: a[0]["rows"][1].update(missing=" "), r"rows\[1\].missing is empty"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                measured.finish(change(edit))

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


class FirstVersion(Case):
    """A record of the version before, whose floors were of no source and did not say their work."""

    @staticmethod
    def first(floors=False):
        made = made_up_record.record()
        made["schema"] = "rungs-record/1"
        del made["protocol"]["buffers"]
        (entry,) = made["shapes"]
        entry["rows"] = [row for row in entry["rows"] if floors or row["kind"] != "floor"]
        for row in entry["rows"]:
            if row.pop("work", None):
                row["source_hash"] = None
        made["sha256"] = measured.record_digest(made)
        return made

    def test_it_is_read_and_has_the_same_numbers(self):
        made = self.first()
        path = self.root / "first.json"
        path.write_text(json_text(made), encoding="utf-8")
        record = records.load_record(path)
        self.assertEqual(record, made)
        now = made_up_record.record()
        for anchor in ("second/tflops", "second/kernel", "second/tbps"):
            found = anchors.resolve(record, anchor)
            self.assertEqual(found, anchors.resolve(now, anchor))

    def test_its_floors_are_refused_since_nothing_says_what_they_are(self):
        path = self.root / "first.json"
        path.write_text(json_text(self.first(floors=True)), encoding="utf-8")
        words = r"shapes\[0\].rows\[\d+\] is a floor, which a record of rungs-record/1 does not say"
        with self.assertRaisesRegex(EvidenceError, words):
            records.load_record(path)

    def test_what_it_lacks_is_refused_in_a_new_one(self):
        for change, words in (
            (lambda r: r["protocol"].pop("buffers"), "protocol.buffers is missing"),
            (lambda r: r["protocol"].update(buffers=0), "protocol.buffers is 0; it must be at"),
        ):
            made = made_up_record.draft(**SMALL)
            change(made)
            with self.assertRaisesRegex(EvidenceError, words):
                measured.finish(made)


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

    def test_a_floor_without_its_source_or_its_work(self):
        for at, change, words in (
            (6, {"source_hash": None}, r"rows\[6\].source_hash is None; a floor row has a source"),
            (
                6,
                {"work": ["bytes"]},
                r"rows\[6\].work\[0\] is 'bytes'; it must be multiply_adds or",
            ),
            (2, {"source_hash": None}, r"rows\[2\].source_hash is None; a kept row has a source"),
            (4, {"source_hash": "0" * 64}, r"rows\[4\].source_hash is '0+'; a peer row has no"),
            (4, {"work": ["input_bytes"]}, r"rows\[4\].work is there; a floor says what it does"),
        ):
            self.finish(lambda r, a=at, c=change: r["shapes"][0]["rows"][a].update(c), words)
        self.finish(lambda r: r["shapes"][0]["rows"][6].pop("work"), r"rows\[6\].work is missing")

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
