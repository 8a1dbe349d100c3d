"""Names, order, marked regions and pages of lessons."""

import re
import tempfile
import unittest
from pathlib import Path

from support import REPO, write_lessons

from evidence import EvidenceError, lessons, regions
from evidence.tokens import tokens


class Folders(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)

    def test_the_folder_gives_name_order_and_key(self):
        self.assertEqual(lessons.order_and_name("3-transposed-a"), (3, "transposed-a"))
        self.assertEqual(lessons.order_and_name("x1-small-tile"), (1001, "small-tile"))
        for other in ("build", "3_transposed", "3-", "x-aside", "3-Upper", "y1-a"):
            self.assertIsNone(lessons.order_and_name(other), other)

    def test_rungs_come_in_order_with_asides_last(self):
        write_lessons(self.root, "10-tenth", "2-second", "x1-aside", "0-first")
        (self.root / "lessons/demo/notes").mkdir()
        found = lessons.rungs(self.root, "demo")
        self.assertEqual([r.name for r in found], ["first", "second", "tenth", "aside"])
        self.assertEqual(found[1].key, "demo/second")
        self.assertEqual([r.is_aside for r in found], [False, False, False, True])
        self.assertTrue(found[0].source.is_file() and found[0].page.is_file())
        self.assertEqual(lessons.ladders(self.root), ["demo"])

    def test_two_folders_of_one_number_or_name_are_refused(self):
        write_lessons(self.root, "1-first", "1-other")
        with self.assertRaisesRegex(EvidenceError, "one number, 1-first and 1-other"):
            lessons.rungs(self.root, "demo")
        write_lessons(self.root / "b", "1-first", "2-first")
        with self.assertRaisesRegex(EvidenceError, "two folders for 'first'"):
            lessons.rungs(self.root / "b", "demo")

    def test_the_unknown_is_named_with_what_there_is(self):
        write_lessons(self.root, "0-first")
        with self.assertRaisesRegex(EvidenceError, "no ladder 'matmull'; there is demo"):
            lessons.rungs(self.root, "matmull")
        with self.assertRaisesRegex(EvidenceError, "no rung 'second' in demo; there is first"):
            lessons.rung(self.root, "demo", "second")


class Regions(unittest.TestCase):
    SOURCE = "a\n  // [kernel]\nb\n// [inner]\nc\n// [/inner]\n// [/kernel]\nd\n"

    def test_a_region_is_the_lines_between_its_markers(self):
        found = regions.region_of(self.SOURCE, "kernel", "f.cu")
        self.assertEqual((found.first_line, found.lines), (3, ["b", "c"]))
        self.assertEqual(regions.region_of(self.SOURCE, "inner", "f.cu").text, "c\n")

    def test_a_marker_must_stand_once_and_in_order(self):
        for source, words in (
            ("x\n// [/k]\n", r"\[k\] is missing"),
            ("// [k]\nx\n", r"\[/k\] is missing"),
            ("// [k]\n// [k]\n// [/k]\n", r"\[k\] stands 2 times"),
            ("// [/k]\n// [k]\n", r"\[/k\] stands before"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                regions.region_of(source, "k", "f.cu")

    def test_an_unreadable_file_is_one_sentence(self):
        with self.assertRaisesRegex(EvidenceError, "cannot read .*none.cu: No such file"):
            regions.region(Path("none.cu"), "kernel")


class Pages(unittest.TestCase):
    def test_a_kernel_that_a_page_leaves_to_another_is_the_others(self):
        left = 0
        for ladder in lessons.ladders(REPO):
            rungs = {rung.folder.name: rung for rung in lessons.rungs(REPO, ladder)}
            for rung in rungs.values():
                page = rung.page.read_text(encoding="utf-8")
                section = page.split("\n## The kernel\n")[1].split("\n## ")[0]
                if "{rung-code} constants" not in section:
                    continue
                other = rungs[re.search(r"\(\.\./([^/)]+)/README\.md#the-kernel\)", section)[1]]
                kernels = [
                    tokens(regions.region(r.source, "kernel").text, r.key) for r in (rung, other)
                ]
                self.assertEqual(*kernels, f"{rung.key} and {other.key}")
                left += 1
        self.assertGreater(left, 0)


if __name__ == "__main__":
    unittest.main()
