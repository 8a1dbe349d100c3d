"""What an H200's recording holds of every ladder: made from a made-up one."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import support

sys.path.insert(0, str(support.REPO / "tests" / "data"))
import convert_recording  # noqa: E402
import record_h200  # noqa: E402

ROW = {"Kernel Name": "kernel()", "Grid Size": "(1, 1, 1)", "Block Size": "(64, 1, 1)"}


def check(ladder, rung, full, *small, status=0):
    shapes = [{"shape": shape, "passed": True} for shape in (*small, full)]
    found = {"name": rung, "source_hash": "0" * 64, "check": {"passed": True, "shapes": shapes}}
    log = json.dumps({"ladder": ladder, "shape": full, "rungs": [found]})
    item = {"kind": "check", "name": f"{ladder}-{rung}", "status": status}
    return {**item, "log": log} if status == 0 else item


def counted(name):
    quoted = [
        ",".join(f'"{text}"' for text in part) for part in (["ID", *ROW], ["0", *ROW.values()])
    ]
    unit = ",".join(['""'] * (1 + len(ROW)))
    return {
        "kind": "ncu",
        "name": name,
        "status": 0,
        "log": "\n".join([quoted[0], unit, quoted[1]]),
    }


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
        total, _ = convert_recording.ladder_file(document, "sum")
        self.assertEqual(list(total["rungs"]), ["only"])
        self.assertEqual(
            convert_recording.unchecked(document), ["sum-broken: its check did not pass"]
        )
        document["items"] = document["items"][2:3]
        self.assertEqual(convert_recording.unchecked(document)[1:], ["every rung"])


if __name__ == "__main__":
    unittest.main()
