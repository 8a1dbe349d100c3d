"""ladder.json: what it may hold, and the tables of a ladder that is unlike matrix multiply."""

import copy
import json
import re
import tempfile
import unittest
from pathlib import Path

import documents
import support

from course.bench.report import report
from course.tables import list_table, run_table
from evidence import EvidenceError, ladder_settings, lessons, records
from evidence.counters import COUNTERS
from evidence.ladder_settings import LadderColumn
from evidence.table import Column, format_tables

ROWS = {
    "columns": [
        {"heading": "barriers", "quantity": "barriers", "counts": ["ptx"]},
        {"heading": "warp instructions", "quantity": "warp_instructions", "counts": ["ptx"]},
        {"heading": "global bytes", "model": "bytes"},
        {"heading": "registers", "quantity": "registers", "counts": ["sass"]},
        {
            "heading": "spilled bytes",
            "quantity": "spill_bytes",
            "counts": ["sass"],
            "only_if_any": True,
        },
        {"heading": "resident threads", "model": "resident-threads"},
    ],
    "models": ["barriers", "bytes", "instructions", "resident-threads"],
    "best_peer": ["torch"],
    "shapes": [[64, 32], [128, 32]],
}


def names_of_peers_and_floors(ladder):
    """Return what a ladder's peers and the floors call themselves, as their sources have it."""
    files = [*(support.REPO / "lessons" / ladder).glob("peers.*")]
    files += (support.REPO / "common" / "peers").glob("floor_*.cu")
    text = "".join(path.read_text("utf-8") for path in files)
    return set(re.findall(r'(?:\bVariant\(|\.name\s*=)\s*"([\w-]+)"', text))


class Settings(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.repo = Path(temporary.name)
        self.path = ladder_settings.path_of(self.repo, "demo")
        self.path.parent.mkdir(parents=True)

    def load(self, document):
        self.path.write_text(json.dumps(document), encoding="utf-8")
        return ladder_settings.load(self.repo, "demo")

    def test_ladders_stand_in_their_order_and_those_without_one_behind(self):
        orders = {"zebra": {"order": 1}, "apple": {"order": 2}, "pear": {}, "fig": {}}
        for name, document in orders.items():
            folder = self.repo / "lessons" / name
            folder.mkdir()
            (folder / f"{name}.hpp").touch()
            (folder / "ladder.json").write_text(json.dumps(document), encoding="utf-8")
        self.assertEqual(ladder_settings.ladders(self.repo), ["zebra", "apple", "fig", "pear"])

    def test_every_ladder_of_the_course_is_sound(self):
        for ladder in lessons.ladders(support.REPO):
            found = ladder_settings.load(support.REPO, ladder)
            self.assertTrue(found.columns and found.models and found.shapes, ladder)
            self.assertIn(found.floor, ("floor-ffma", "floor-copy", "floor-read"), ladder)
            self.assertEqual(set(found.counters) - COUNTERS.keys(), set(), ladder)
            counted = records.load_counts(records.counts_path(support.REPO, ladder))["rungs"]
            for column in found.columns:
                for _, kind in column.headings:
                    with self.subTest(ladder=ladder, column=column.heading, kind=kind):
                        values = [column.value(rung, kind) for rung in counted]
                        self.assertTrue(any(value is not None for value in values))

    def test_every_ladder_names_peers_and_a_floor_that_it_has(self):
        for ladder in lessons.ladders(support.REPO):
            found = ladder_settings.load(support.REPO, ladder)
            wanted = {*(found.best_peer or ()), found.floor}
            self.assertEqual(wanted - names_of_peers_and_floors(ladder), set(), ladder)

    def test_batches_are_three_unless_others_are_named(self):
        self.assertEqual(self.load({}).batches, (1, 10, 100))
        self.assertEqual(self.load({"batches": [10]}).batches, (10,))

    def test_buffers_are_one_set_unless_more_are_asked_for(self):
        self.assertEqual(self.load({}).buffers, 1)
        self.assertEqual(self.load({"buffers": 2}).buffers, 2)

    def test_shared_wavefronts_are_those_of_loads_and_stores(self):
        column = LadderColumn("x", quantity="shared_wavefronts", kinds=("ptx",))
        ptx = {"shared_load_wavefronts": 5, "shared_store_wavefronts": 2}
        self.assertEqual(column.value({"counts": {"ptx": ptx}}), 7)
        self.assertIsNone(column.value({"counts": {"ptx": {}, "sass": ptx}}, "sass"))

    def test_a_ladder_without_the_file_says_nothing(self):
        found = ladder_settings.load(self.repo, "demo")
        self.assertEqual((found.columns, found.models, found.sizes), ((), (), None))
        self.assertTrue(found.is_best_peer({"name": "any", "kind": "peer", "math": "fp32"}))

    def test_peers_that_are_compared_with_are_the_named_ones_in_fp32(self):
        found = self.load(ROWS)
        for name, kind, math, good in (
            ("torch", "peer", "fp32", True),
            ("torch", "peer", "tf32", False),
            ("triton", "peer", "fp32", False),
            ("torch", "floor", "fp32", False),
        ):
            row = {"name": name, "kind": kind, "math": math}
            self.assertIs(found.is_best_peer(row), good, row)

    def test_other_inputs_have_a_name_and_ranges(self):
        found = self.load({"accuracy": [{"name": "mean 10", "ranges": {"X": [9, 11.5]}}]})
        (inputs,) = found.accuracy
        self.assertEqual((inputs.name, inputs.ranges), ("mean 10", {"X": [9, 11.5]}))
        self.assertEqual(self.load(ROWS).accuracy, ())
        one = {"name": "ones", "ranges": {"X": [1, 1]}}
        for wrong, words in (
            ({"name": "Mean-10"}, r"accuracy\[0\].name is 'Mean-10'; it must be a text like"),
            ({"ranges": {}}, r"accuracy\[0\].ranges is empty"),
            ({"ranges": {"X": [2, 1]}}, r"accuracy\[0\].ranges.X is \[2, 1\]; it must be its low"),
            ({"ranges": {"X": [2]}}, r"accuracy\[0\].ranges.X is \[2\]; it must be its low"),
            ({"ranges": {"X": 2}}, r"accuracy\[0\].ranges.X is 2; it must be a list"),
            ({"range": []}, r"accuracy\[0\] has 'range', which is none of name, ranges"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                self.load({"accuracy": [{**one, **wrong}]})
        with self.assertRaisesRegex(
            EvidenceError, r"accuracy\[1\].name is 'ones', which stands tw"
        ):
            self.load({"accuracy": [one, one]})

    def test_what_is_wrong_is_named(self):
        column = {"heading": "x", "quantity": "barriers", "counts": ["ptx"]}
        for document, words in (
            ({"colums": []}, "lessons/demo/ladder.json has 'colums'"),
            ({"models": ["luck"]}, r"models\[0\] is 'luck'; it must be reads or"),
            ({"columns": [{**column, "counts": ["gpu"]}]}, "must be argued or ptx or sass"),
            ({"columns": [{**column, "unit": "B"}]}, r"columns\[0\] has 'unit'"),
            ({"columns": [{**column, "model": "bytes"}]}, r"columns\[0\] must have a model, or"),
            ({"columns": [{**column, "counts": []}]}, "must have a model, or else a quantity"),
            ({"columns": [{"heading": "x"}]}, "must have a model, or else a quantity"),
            ({"batches": []}, r"ladder.json: batches is \[\]; each must be 1 or more"),
            ({"batches": [10, 0]}, r"ladder.json: batches is \[10, 0\]; each must be 1 or more"),
            ({"buffers": 0}, "ladder.json: buffers is 0; it must be 1 or more"),
            ({"buffers": "2"}, "buffers is '2'; it must be a whole number"),
            ({"shapes": [["64"]]}, r"shapes\[0\]\[0\] is '64'"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                self.load(document)


class Tables(Settings):
    def rung(self, name="first", after=None, order=0, **counts):
        found = documents.counts(4)
        for kind, values in counts.items():
            found[kind].update(values)
        return {
            "name": name,
            "key": f"demo/{name}",
            "kind": "kept",
            "after": after,
            "order": order,
            "title": "Title",
            "check": {"passed": True},
            "counts": found,
        }

    def cells(self, table, name):
        return [line.split()[1:] for line in table.splitlines() if line.split()[:1] == [name]]

    def test_a_wide_table_is_several_with_the_rung_in_each(self):
        rungs = [
            self.rung(),
            self.rung(
                "one-pass-variance", "first", 1, ptx={"barriers": 1}, sass={"spill_bytes": 8}
            ),
        ]
        table = run_table({"rungs": rungs}, self.load(ROWS))
        self.assertLessEqual(max(map(len, table.splitlines())), 80)
        first, second = self.cells(table, "one-pass-variance")
        self.assertEqual(first, ["ok", "1", "30", "512", "31", "8", "64"])
        self.assertEqual(second, ["2.00", "1.00", "1.00", "1.00"])
        self.assertEqual(self.cells(table, "first")[1], ["-", "-", "-", "-"])
        self.assertNotIn("wavefronts", table)

    def test_a_column_of_zeros_alone_may_be_left_out(self):
        table = run_table({"rungs": [self.rung()]}, self.load(ROWS))
        self.assertNotIn("spilled", table)
        self.assertIn("registers", table)

    def test_a_ladder_that_names_no_columns_has_its_checks(self):
        table = run_table({"rungs": [self.rung()]}, ladder_settings.LadderSettings())
        self.assertEqual(self.cells(table, "first"), [["ok"]])

    def test_a_list_shows_the_first_column(self):
        table = list_table({"rungs": [self.rung()]}, self.load(ROWS))
        self.assertEqual(self.cells(table, "first"), [["-", "kept", "2", "Title"]])
        self.assertIn("barriers", table)

    def test_what_was_not_counted_is_none(self):
        rung = {"key": "demo/first", "counts": {"ptx": None}}
        for column in (
            LadderColumn("x", quantity="barriers", kinds=("ptx",)),
            LadderColumn("x", quantity="registers", kinds=("sass",)),
            LadderColumn("x", model="bytes"),
        ):
            self.assertIsNone(column.value(rung))

    def test_groups_stay_together_and_a_column_too_wide_alone_is_an_error(self):
        columns = [Column("a"), Column("b" * 30), *(Column(c * 20, group="g") for c in "cde")]
        first, second = format_tables(columns, [list("vwxyz"), "after:"]).split("\n\n")
        self.assertIn("b" * 30, first)
        self.assertNotIn("c" * 20, first)
        self.assertTrue(all(c * 20 in second for c in "cde"))
        self.assertIn("after:", first)
        with self.assertRaises(ValueError):
            format_tables([Column("a"), Column("b"), Column("c" * 90)], [])


class Report(Settings):
    def test_a_rate_without_multiply_adds_is_bytes(self):
        import made_up_record

        draft = made_up_record.draft()
        second = copy.deepcopy(draft["shapes"][0])
        second["shape"]["M"] = 2048
        draft["shapes"].append(second)
        for entry in draft["shapes"]:
            entry["multiply_adds"] = None
            entry["rows"] = [row for row in entry["rows"] if row["name"] != "floor-ffma"]
        record = made_up_record.measured.finish(draft)
        text = report(record, None, self.load(ROWS))
        self.assertIn("TB/s", text)
        self.assertNotIn("TFLOP/s", text)
        # One table of facts, of the first shape; times and noise of both; judged at the first.
        self.assertEqual(text.count("blocks per SM") + text.count("registers"), 1)
        self.assertEqual(text.count("noise at "), 2)
        self.assertEqual(text.count("refuted") + text.count("confirmed"), 2)


if __name__ == "__main__":
    unittest.main()
