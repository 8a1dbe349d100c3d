"""What an H200's recording holds of every ladder: made from a made-up one."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support

sys.path.insert(0, str(support.REPO / "tests" / "data"))
import convert_recording  # noqa: E402
import record_h200  # noqa: E402
import retained  # noqa: E402

ROW = {"Kernel Name": "kernel()", "Grid Size": "(1, 1, 1)", "Block Size": "(64, 1, 1)"}


def check(ladder, rung, full, *small, status=0):
    shapes = [{"shape": shape, "passed": True} for shape in (*small, full)]
    found = {"name": rung, "source_hash": "0" * 64, "check": {"passed": True, "shapes": shapes}}
    log = json.dumps({"ladder": ladder, "shape": full, "rungs": [found]})
    item = {"kind": "check", "name": f"{ladder}-{rung}", "status": status}
    return {**item, "log": log} if status == 0 else item


def counted(name, *kernels):
    """Return ncu's item of a program that launches these, each given by what differs from ROW."""
    rows = [{"ID": number, **ROW, **row} for number, row in enumerate(kernels or [{}])]
    header = list({column: None for row in rows for column in row})
    lines = [header, [""] * len(header), *([row[column] for column in header] for row in rows)]
    log = "\n".join(",".join(f'"{text}"' for text in line) for line in lines)
    return {"kind": "ncu", "name": name, "status": 0, "log": log}


class Recording(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.recording = record_h200.Recording(self.folder, 1)
        self.recording.document["items"] = [
            check("rows", "first", {"n": 64, "w": 32}, {"n": 1, "w": 1}, {"n": 5, "w": 8}),
            check("sum", "only", {"n": 4096}, {"n": 1024}),
            check("sum", "broken", {"n": 4096}, status=1),
        ]

    def test_the_programs_are_those_of_every_ladder(self):
        for ladder in ("rows", "sum"):
            for number, name in enumerate(("first", "second")):
                (self.folder / f"lessons/{ladder}/{number}-{name}").mkdir(parents=True)
            (self.folder / f"lessons/{ladder}/{ladder}.hpp").touch()
        for name in ("rows-first", "sum-second", "sum-first", "rows-other", "rows"):
            (self.folder / name).touch(0o755)
        (self.folder / "sum-first").chmod(0o644)
        found = record_h200.rung_programs(self.folder, self.folder)
        expected = ["rows-first", "sum-second"]
        self.assertEqual([path.name for path in found], expected)

    def test_the_small_shape_is_the_problems(self):
        for name, shape in (
            ("rows-first", "5,8"),
            ("sum-only", "1024"),
            ("sum-broken", None),
            ("sum-other", None),
        ):
            self.assertEqual(record_h200.small_shape(self.recording, Path(name)), shape)

    def test_each_ladder_gets_a_file_of_its_own(self):
        document = self.recording.document
        document["items"] += [
            counted("rows-first"), counted("rows-first --shape 5,8"), counted("sum-only"),
        ]  # fmt: skip
        self.assertEqual(convert_recording.ladders(document), ["rows", "sum"])
        rows, missing = convert_recording.ladder_file(document, "rows")
        self.assertEqual((rows["schema"], missing), ("rungs-rows-counters/1", []))
        shapes = [run["shape"] for run in rows["rungs"]["first"]["runs"]]
        self.assertEqual(shapes, [{"n": 64, "w": 32}, {"n": 5, "w": 8}])
        total, missing = convert_recording.ladder_file(document, "sum")
        self.assertEqual(missing, [])
        self.assertEqual(list(total["rungs"]), ["only"])
        self.assertEqual(
            convert_recording.unchecked(document), ["sum-broken: its check did not pass"]
        )
        document["items"] = document["items"][2:3]
        self.assertEqual(convert_recording.unchecked(document)[1:], ["every rung"])

    def test_a_rung_without_counters_is_missing(self):
        _, missing = convert_recording.ladder_file(self.recording.document, "rows")
        self.assertEqual(missing, ["rung rows-first: no counters"])

    def test_time_that_ran_out_matters_only_to_what_was_not_counted_yet(self):
        late = {"kind": "ncu", "status": None, "error": record_h200.OUT_OF_TIME}
        again, never = ({**late, "name": name} for name in ("rows-first", "rows-first --shape 5,8"))
        self.recording.document["items"] += [counted("rows-first"), again]
        document, missing = convert_recording.ladder_file(self.recording.document, "rows")
        self.assertEqual((len(document["rungs"]["first"]["runs"]), missing), (1, []))
        self.recording.document["items"].append(never)
        _, missing = convert_recording.ladder_file(self.recording.document, "rows")
        self.assertEqual(missing, ["rung rows-first --shape 5,8: 0 kernels"])

    def test_what_is_counted_once_more_ends_with_the_time(self):
        before = len(self.recording.document["items"])
        self.recording.end = 0
        programs = [Path("rows-first"), Path("sum-only")]
        record_h200.record_rungs_again(self.recording, programs, self.folder)
        self.assertEqual(len(self.recording.document["items"]), before)
        record_h200.record_rungs(self.recording, programs, self.folder)
        self.assertGreater(len(self.recording.document["items"]), before)

    def test_launches_of_several_kernels_are_kept_and_those_of_one_taken_together(self):
        executed, registers = (
            retained.COUNTERS[name] for name in ("warp_instructions", "registers")
        )
        launches = [
            {"Kernel Name": name, "Grid Size": grid, executed: count, registers: 32}
            for name, grid, count in (
                ("tree()", "(64, 1, 1)", "1,000"),
                ("finish()", "(1, 1, 1)", 30),
                ("tree()", "(64, 1, 1)", 500),
                ("tree()", "(8, 2, 1)", 7),
            )
        ]
        self.recording.document["items"].append(counted("sum-only", *launches))
        total, missing = convert_recording.ladder_file(self.recording.document, "sum")
        (run,) = total["rungs"]["only"]["runs"]
        self.assertEqual((len(run["kernels"]), missing), (4, []))
        self.assertEqual(
            [
                (one["grid"], one["launches"], one["counters"]["warp_instructions"])
                for one in retained.kernels_of(run)
            ],
            [([64, 1, 1], 2, 1500), ([1, 1, 1], 1, 30), ([8, 2, 1], 1, 7)],
        )
        self.assertEqual(retained.kernels_of(run)[0]["counters"]["registers"], 32)
        self.assertEqual(retained.kernels_of(run)[0]["block"], [64, 1, 1])

    def test_some_ladders_alone_leave_the_others_as_they_are(self):
        kept = {"machine": "a", "rungs": {"rows-old": 1, "sum-only": 2}, "controls": {"x": 3}}
        fresh = {"rungs": {"rows-first": 4}, "controls": {}}
        with mock.patch.object(retained, "load", return_value=kept):
            same, missing = convert_recording.with_kept(fresh, "a", ["rows"])
            other, _ = convert_recording.with_kept(fresh, "b", ["rows"])
        self.assertEqual(missing, [])
        self.assertEqual(same["rungs"], {"sum-only": 2, "rows-first": 4})
        self.assertEqual((same["controls"], same["machines"]), ({"x": 3}, {}))
        self.assertEqual((other["machine"], other["machines"]), ("a", {"rows-first": "b"}))
        with mock.patch.object(retained, "load", return_value=None):
            none, missing = convert_recording.with_kept(fresh, "a", ["rows"])
        self.assertIsNone(none)
        self.assertEqual(len(missing), 1)

    def test_some_ladders_alone_have_their_programs_alone(self):
        for ladder in ("rows", "sum"):
            (self.folder / f"lessons/{ladder}/0-first").mkdir(parents=True)
            (self.folder / f"lessons/{ladder}/{ladder}.hpp").touch()
            (self.folder / f"{ladder}-first").touch(0o755)
        found = record_h200.rung_programs(self.folder, self.folder, ["sum"])
        self.assertEqual([path.name for path in found], ["sum-first"])


if __name__ == "__main__":
    unittest.main()
