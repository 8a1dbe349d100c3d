"""``./course pages``: stale numbers are written anew, all or none."""

import argparse
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from small_site import ROWS, SmallSite, write

from course.commands import pages
from course.errors import CourseError
from course.places import Places

SECOND_PAGE = "lessons/toy/1-second/README.md"
RECORD = "../../../docs/evidence/h200-1/toy.json"
PROSE = f"""
It takes [116.0 us]({RECORD}#second/kernel), or [0.116
ms][time] a launch, [47.8 % of the library]({RECORD}#second/of-peer/library).

[time]: {RECORD}#second/kernel
"""


class Pages(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.site = SmallSite(temporary.name)
        self.site.keep("h200-1")
        self.page = self.site.repo / SECOND_PAGE
        self.text = self.page.read_text(encoding="utf-8") + PROSE
        write(self.page, self.text)

    def pages(self, check=False):
        """Run the command. Return its exit code and its output."""
        out = io.StringIO()
        options = argparse.Namespace(check=check)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            try:
                code = pages.run(options, Places(self.site.repo, self.site.folder / "build"))
            except CourseError as error:
                code = error.code
                out.write(str(error))
        return code, out.getvalue()

    def measure_again(self):
        """Keep other times in place of the first ones."""
        rows = [(*row[:5], row[5] * 1.5 if row[0] == "second" else row[5]) for row in ROWS]
        self.site.keep("h200-1", rows=rows)

    def files(self):
        return {path: path.read_bytes() for path in self.site.repo.rglob("*") if path.is_file()}

    def test_nothing_is_done_where_all_numbers_are_right(self):
        before = self.files()
        said = (
            "All 9 linked numbers are those of their records. A number that is no link is not "
            "looked at; ./course site finds those.\n"
        )
        self.assertEqual(self.pages(check=True), (0, said))
        code, output = self.pages()
        self.assertEqual((code, output), (0, "0 of 9 linked numbers written anew, on 0 pages.\n"))
        self.assertEqual(self.files(), before)

    def test_check_names_each_stale_number_and_changes_nothing(self):
        self.measure_again()
        before = self.files()
        code, output = self.pages(check=True)
        self.assertEqual(code, 1)
        target = "docs/evidence/h200-1/toy.json#second"
        self.assertRegex(
            output, rf"1-second/README\.md:\d+: 116\.0 us -> 174\.0 us \({target}/kernel\)"
        )
        self.assertIn("47.8 % of the library -> 31.9 % of the library", output)
        self.assertEqual(output.count("->"), 3)
        self.assertEqual(self.files(), before)

    def test_stale_numbers_are_written_at_their_precision(self):
        self.measure_again()
        code, output = self.pages()
        self.assertEqual(code, 0)
        self.assertIn("3 of 9 linked numbers written anew, on 1 page.", output)
        right = self.text.replace("[116.0 us]", "[174.0 us]").replace("[0.116\nms]", "[0.174\nms]")
        right = right.replace("[47.8 % of the library]", "[31.9 % of the library]")
        self.assertEqual(self.page.read_text(encoding="utf-8"), right)
        self.assertEqual(self.pages(check=True)[0], 0)
        self.assertEqual(self.site.build()[0], 0)

    def test_of_a_factor_a_half_that_went_down_is_stale(self):
        rows = [(*row[:5], {"first": 225.0, "second": 200.0}.get(row[0], row[5])) for row in ROWS]
        self.site.keep("h200-1", rows=rows)
        write(self.page, self.text + f"\nFrom [1.12x]({RECORD}#second/factor).\n")
        code, output = self.pages()
        self.assertEqual(code, 0)
        self.assertIn("1.12x -> 1.13x", output)

    def test_counts_are_written_anew_too(self):
        write(self.page, self.text.replace("[16.8 million]", "[16.9 million]"))
        code, output = self.pages()
        self.assertEqual(code, 0)
        self.assertIn("16.9 million -> 16.8 million", output)
        self.assertEqual(self.page.read_text(encoding="utf-8"), self.text)

    def test_one_link_that_leads_nowhere_keeps_all_pages_as_they_are(self):
        self.measure_again()
        other = self.site.repo / "docs/guide.md"
        write(other, "# Guide\n\n[1 us](evidence/h200-1/toy.json#fourth/kernel)\n")
        before = self.files()
        code, output = self.pages()
        self.assertEqual(code, 1)
        self.assertIn("docs/guide.md:3: toy.json#fourth/kernel: the record has no row", output)
        for check in (False, True):
            words = "of 10 linked numbers 1 cannot be compared and 3 are stale; no page was changed"
            self.assertIn(words, self.pages(check)[1])
        self.assertEqual(self.files(), before)

    def test_a_page_that_cannot_be_written_keeps_all_pages_as_they_are(self):
        self.measure_again()
        write(self.site.repo / "lessons/toy/x1-third/README.md", self.text)
        before = self.files()
        real = pages.write_whole
        written = []

        def write_whole(path, text):
            if len(written) == 1:
                written.append(path)
                raise OSError(28, "No space left on device")
            written.append(path)
            real(path, text)

        with mock.patch.object(pages, "write_whole", write_whole):
            code, output = self.pages()
        self.assertEqual(code, 1)
        self.assertIn("No space left on device; no page was changed", output)
        self.assertEqual(len(written), 3)
        self.assertEqual(self.files(), before)

    def test_a_record_that_is_no_good_is_said_with_its_file(self):
        path = Path(self.site.repo / "docs/evidence/h200-1/toy.json")
        write(path, path.read_text(encoding="utf-8")[:-100])
        code, output = self.pages()
        self.assertEqual(code, 1)
        self.assertRegex(output, "^docs/evidence/h200-1/toy.json: is no JSON[^\n]*changed$")


if __name__ == "__main__":
    unittest.main()
