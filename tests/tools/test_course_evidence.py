"""./course evidence: lists, validates, compares, names what is stale."""

import unittest

import checkout
import made_up_record
import support

from evidence import measured, predictions, published, records
from evidence.json_file import json_text


class Evidence(checkout.Checkout):
    def setUp(self):
        super().setUp()
        names = ("first", "second", "aside")
        self.hashes = support.hashes(self.root, "demo", names)
        self.rows = [row for row in made_up_record.ROWS if row[0] != "third"]
        self.counts = records.load_counts(self.save_counts())

    def keep(self, namespace, change=None, **how):
        """Keep a made-up record; ``change`` may alter the draft. Return its path."""
        how = {"rows": self.rows, "hashes": self.hashes, "count": 100, **how}
        made = made_up_record.draft(**how)
        made["predictions"] = predictions.of_counts(self.counts)
        if change:
            change(made)
        path = measured.path_of(self.root, namespace, "demo")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json_text(measured.finish(made)), encoding="utf-8")
        return path

    def change_source(self):
        source = self.root / "lessons/demo/1-second/second.cu"
        source.write_text(support.KERNEL.replace("2.0f", "3.0f"), encoding="utf-8")

    def lines(self, *arguments, check=0):
        text = self.course("evidence", *arguments, check=check, cwd=self.root).stdout
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)
            self.assertTrue(line.isascii())
        return text.splitlines()

    def words(self, *arguments, check=0):
        """Return what the command prints, however its lines are broken."""
        return " ".join(" ".join(self.lines(*arguments, check=check)).split())

    def compare(self, *arguments):
        return self.words("compare", *arguments, "--ladder", "demo")


class Listing(Evidence):
    def test_without_records_it_says_so(self):
        lines = self.lines()
        self.assertEqual(lines[0], "No measured record is kept yet.")
        self.assertRegex("\n".join(lines), r"\ncounts/demo +64x64x64 +3 +current")

    def test_records_and_published_values(self):
        self.keep("h200-1")
        self.keep("h200-2", lambda r: r.update(throttled=True))
        folder = self.root / "docs/evidence/published"
        folder.mkdir()
        source = published.paths(support.REPO)[0]
        (folder / source.name).write_bytes(source.read_bytes())
        text = "\n".join(self.lines())
        self.assertRegex(text, r"h200-1/demo +NVIDIA H200 +2026-11-30 +1 +8 +current")
        self.assertRegex(text, r"h200-2/demo +NVIDIA H200, throttled +2026-11-30 +1 +8 +current")
        self.assertIn(source.stem, text)
        self.change_source()
        text = "\n".join(self.lines())
        self.assertRegex(text, r"h200-1/demo .* 1 stale")
        self.assertRegex(text, r"counts/demo .* 3 +1 stale")

    def test_a_record_that_is_no_good_does_not_hide_the_others(self):
        self.keep("h200-1")
        self.keep("h200-2").write_text("{", encoding="utf-8")
        done = self.sentence(1, "h200-2/demo.json: is no JSON at line 1", "evidence")
        self.assertRegex(done.stdout, "h200-1/demo +NVIDIA H200")
        self.assertRegex(done.stdout, "h200-2/demo +refused")


class Validate(Evidence):
    def test_everything_is_good(self):
        self.keep("h200-1")
        whole = "all whole, in agreement with themselves and with the source."
        said = f"2 files of evidence (1 counts, 1 measured): {whole}"
        self.assertEqual(self.words("--validate"), said)
        self.keep("h200-2")
        for name in ("h200-1", "h200-2/demo"):
            said = f"1 file of evidence (1 measured): {whole}"
            self.assertEqual(self.words("--validate", name), said)
        self.keep("h200-2", rounds=2)
        self.sentence(1, "1 of 1 files", "evidence", "--validate", "h200-2")
        self.words("--validate", "h200-1")
        words = "'h200-3' is no file and no namespace; there is counts, h200-1, h200-2$"
        self.sentence(2, words, "evidence", "--validate", "h200-3")

    def test_each_file_that_is_not_has_its_sentence(self):
        self.keep("h200-1", rounds=2)
        self.keep("h200-2").write_bytes(b"\xef\xbb\xbf{}")
        done = self.sentence(1, "2 of 3 files of evidence are no good", "evidence", "--validate")
        said = " ".join(done.stdout.split())
        self.assertIn("h200-1/demo.json: protocol.rounds is 2", said)
        self.assertIn("h200-2/demo.json: begins with a byte order mark", said)

    def test_one_file_of_any_kind(self):
        path = self.keep("h200-1", rounds=2)  # may not be kept, but is whole
        for file in (path, self.save_counts(), published.paths(support.REPO)[0]):
            done = self.course("evidence", "--validate", file, check=0)
            self.assertIn("is whole and agrees with itself.", " ".join(done.stdout.split()))

    def test_a_machine_without_a_known_limit_is_said(self):
        path = self.keep("new-1", lambda r: r["machine"].update(compute_capability="19.0"))
        said = "FP32 arithmetic of NVIDIA H200, compute capability 19.0 is not known; no time is"
        for arguments in (("--validate",), ("--validate", str(path.relative_to(self.root)))):
            self.assertIn(said, self.words(*arguments))

    def test_one_doctored_file(self):
        path = self.keep("h200-1")
        text = path.read_text(encoding="utf-8")
        digit = self.hashes["aside"]
        for old, new, words in (
            (digit, digit[::-1], "sha256 is .* changed after it was written"),
            ("320.5", "NaN", "holds NaN"),
            ("rungs-record/2", "rungs-record/9", "version rungs-record/9, this course reads"),
            ("rungs-record/2", "other/1", "schema is 'other/1'; it must be rungs-record/2"),
            ("\n", "\r\n", "carriage return"),
        ):
            path.write_text(text.replace(old, new), encoding="utf-8", newline="")
            self.sentence(1, f"demo.json: .*{words}", "evidence", "--validate", path)
        self.sentence(1, "cannot read .*none.json", "evidence", "--validate", "none.json")

    def test_an_edited_prediction_is_shown_as_one(self):
        self.keep("h200-1", lambda r: r["predictions"][0].update(why="other words", expected=2))
        text = self.words("--validate")
        self.assertIn("edited since it was measured: demo/second, reads: the text was 'other", text)


class Stale(Evidence):
    def test_rows_whose_source_changed_are_named(self):
        self.keep("h200-1")
        said = "Every row of 2 records (1 counts, 1 measured) is of the source as it is."
        self.assertEqual(self.lines("stale"), [said])
        self.change_source()
        done = self.sentence(
            1,
            r"of 2 records \(1 counts, 1 measured\) 2 rows are stale; measure or count them again",
            *("evidence", "stale"),
        )
        self.assertEqual(
            done.stdout.splitlines(),
            [
                "counts/demo: demo/second has changed since it was counted",
                "h200-1/demo: demo/second has changed since it was measured",
            ],
        )


class Compare(Evidence):
    def test_two_runs_with_one_changed_row(self):
        self.keep("h200-1")
        rows = [(*row[:5], row[5] * {"second": 0.8, "first": 1.01}.get(row[0], 1))
                for row in self.rows]  # fmt: skip
        self.keep("h200-2", rows=rows, hashes={**self.hashes, "second": "e" * 64})
        text = self.compare("h200-1", "h200-2")
        self.assertIn("A is h200-1, B is h200-2.", text)
        self.assertRegex(text, r"first +345.00 +348.45 +0.990 .* control")
        self.assertRegex(text, r"second +116.00 +92.80 +1.250 +1.23\d to 1.26\d +faster")
        self.assertIn(
            "4 controls in FP32 moved by 1.00 % at most (first); 1 control in TF32 moved by 0.00 % "
            "at most (library-tf32), which bounds the drift of rows in that arithmetic; 1 row "
            "changed. Moved by more than its own noise although nothing of it changed: first.",
            text,
        )

    def test_files_and_names_and_instruments(self):
        first, second = (self.keep(n).relative_to(self.root) for n in ("h200-1", "h200-2"))
        for arguments in ((first, second), ("h200-1/demo", second)):
            self.compare(*map(str, arguments), "--instrument", "span-cold")
            self.compare(*map(str, arguments), "--instrument", "span")

    def test_a_subset_lists_what_is_missing(self):
        self.keep("h200-1")
        self.keep("h200-2", rows=self.rows[:3])
        words = "h200-1 and h200-2 do not hold the same rows: 3 are in one"
        arguments = ("evidence", "compare", "h200-1", "h200-2", "--ladder", "demo")
        done = self.sentence(1, words, *arguments)
        for name in ("library", "library-tf32", "floor-ffma"):
            self.assertIn(f"{name} is only in h200-1", done.stdout)

    def test_what_else_differs_is_said(self):
        self.keep("h200-1")

        def change(made):
            made["machine"]["driver"] = "590.1"
            made["compiler"]["nvcc"] = "13.1.0"
            made["throttled"] = True

        self.keep("h200-2", change)
        text = self.compare("h200-1", "h200-2")
        self.assertIn("The driver was 580.159.04 in h200-1 and 590.1 in h200-2.", text)
        self.assertIn("The compilers or their flags differ", text)
        self.assertIn("The GPU of h200-2 was throttled", text)

    def test_two_machines(self):
        self.keep("h200-1")
        self.keep("rtx-1", lambda r: r["machine"].update(name="NVIDIA RTX 4090"))
        self.sentence(1, "h200-1 was measured on NVIDIA H200, rtx-1 on NVIDIA RTX 4090",
                      "evidence", "compare", "h200-1", "rtx-1", "--ladder", "demo")  # fmt: skip


class WrongUse(Evidence):
    def test_each_has_its_sentence(self):
        self.keep("h200-1")
        for words, arguments in (
            ("there is no 'list'; there is compare and stale", ["list"]),
            ("compare needs two records", ["compare", "h200-1"]),
            ("stale takes no 'h200-1'", ["stale", "h200-1"]),
            ("--validate goes without", ["compare", "a", "b", "--validate"]),
            ("there is no ladder 'nosuch'; there is demo",
             ["compare", "h200-1", "h200-1", "--ladder", "nosuch"]),
            ("there is no record 'h100-1'; there is h200-1/demo",
             ["compare", "h100-1", "h200-1", "--ladder", "demo"]),
        ):  # fmt: skip
            self.sentence(2, words, "evidence", *arguments)


if __name__ == "__main__":
    unittest.main()
