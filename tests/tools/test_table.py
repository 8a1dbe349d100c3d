"""The table printer, pages' titles, and the models of predictions."""

import tempfile
import unittest
from pathlib import Path

import support

from evidence import EvidenceError, models, pages
from evidence.numbers import format_factor
from evidence.table import Column, ascii_text, format_table, number


class Table(unittest.TestCase):
    def test_headings_groups_and_numbers_line_up(self):
        columns = [Column("rung"), Column("PTX", True, "reads"), Column("SASS", True, "reads")]
        self.assertEqual(
            format_table(columns, [["baseline", "2", "2"], "asides", ["x", "0.5", "0.5"]]),
            "            reads\n"
            "rung      PTX  SASS\n"
            "--------  ---  ----\n"
            "baseline    2     2\n"
            "asides\n"
            "x         0.5   0.5\n",
        )

    def test_a_wrapping_column_takes_what_is_left(self):
        text = format_table([Column("a"), Column("change", wrap=True)], [["x", "word " * 40]])
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertEqual(text.count("word"), 40)

    def test_gaps_shrink_before_the_table_gives_up(self):
        columns = [Column("h" * 9), Column("h" * 9)]
        row = ["x" * 9, "y" * 9]
        self.assertIn("x  y", format_table(columns, [row], 20))
        self.assertIn("x y", format_table(columns, [row], 19))
        with self.assertRaisesRegex(ValueError, "needs 19 columns; there are 18"):
            format_table(columns, [row], 18)

    def test_a_row_with_a_cell_too_few_is_refused(self):
        with self.assertRaisesRegex(ValueError, "1 cells in a table of 2"):
            format_table([Column("a"), Column("b")], [["x"]])

    def test_it_is_ascii(self):
        self.assertEqual(ascii_text("4×4 – ‘µs’ ≤ ü"), "4x4 - 'us' <= ?")
        self.assertTrue(format_table([Column("é", group="→")], [["ß"]]).isascii())

    def test_numbers_have_no_exponent_and_no_locale(self):
        for value, text in (
            (2.0, "2"), (0.3125, "0.3125"), (1 / 3, "0.3333"), (None, "-"), (0, "0"),
            (1073741824, "1073741824"), (0.0000123456, "0.00001235"),
        ):  # fmt: skip
            self.assertEqual(number(value), text)

    def test_of_a_factor_a_half_goes_up(self):
        for value, text in ((1.125, "1.13x"), (1.135, "1.14x"), (0.625, "0.63x"), (4, "4.00x"),
                            (1.1249, "1.12x"), (2 / 3, "0.67x")):  # fmt: skip
            self.assertEqual(format_factor(value), text)
        self.assertEqual(format_factor(1.1235, 3, ""), "1.124")


class Pages(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "README.md"
            page.write_bytes(text if isinstance(text, bytes) else text.encode())
            return pages.title_and_change(page)

    def test_the_first_line_and_the_first_paragraph(self):
        self.assertEqual(
            self.read(support.PAGE), ("First rung", "The change, in one or two sentences.")
        )

    def test_markdown_signs_are_left_out(self):
        self.assertEqual(
            pages.plain("**Bold**, *it*, `a*b*c`, [x](y#z), {ref}`text <label>`, snake_case_name"),
            "Bold, it, a*b*c, x, text, snake_case_name",
        )

    def test_a_page_without_them_is_refused(self):
        for text, words in (
            ("", "first line must be the title"),
            ("First\n\nText.\n", "first line must be the title"),
            ("# \n\nText.\n", "first line must be the title"),
            ("# First\n", "first paragraph must say the change"),
            ("# First\n\n## Second\n", "first paragraph must say the change"),
            ("# First\n\n```{code}\n", "first paragraph must say the change"),
            (b"# \xff\n\nText.\n", "is not UTF-8"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                self.read(text)


class Models(unittest.TestCase):
    @staticmethod
    def rung(reads, wavefronts=None):
        counts = {
            "multiply_adds": 1024,
            "shared_reads_per_multiply_add": reads,
            "shared_wavefronts_per_multiply_add": wavefronts,
        }
        return {"key": "demo/first", "counts": {"ptx": counts}}

    def test_half_the_quantity_is_twice_the_speed(self):
        self.assertEqual(models.expected_factor("reads", self.rung(0.5), self.rung(0.3125)), 1.6)
        self.assertEqual(models.expected_factor("reads", self.rung(0.5), self.rung(0.75)), 2 / 3)
        self.assertEqual(
            models.expected_factor("wavefronts", self.rung(1, 6), self.rung(1, 2)), 3.0
        )

    def test_wavefronts_are_told_for_each_multiply_add_where_there_are_any(self):
        none = {"key": "demo/first", "counts": {"ptx": {"multiply_adds": 0}}}
        label = models.label("wavefronts", self.rung(1, 6))
        self.assertEqual(label, "shared wavefronts per multiply-add")
        self.assertEqual(models.label("wavefronts", none), "shared wavefronts")
        self.assertEqual(models.label("barriers", self.rung(1)), "barriers, once a warp")

    def test_what_was_not_counted_has_no_factor(self):
        for rung in (self.rung(None), self.rung(0), {"key": "demo/first", "counts": {"ptx": None}}):
            with self.assertRaisesRegex(EvidenceError, "demo/first: counts.ptx.shared_reads"):
                models.expected_factor("reads", self.rung(0.5), rung)

    def test_an_unknown_model_is_named(self):
        with self.assertRaisesRegex(EvidenceError, "no model 'luck'; there is reads, wavefronts"):
            models.expected_factor("luck", self.rung(1), self.rung(1))


if __name__ == "__main__":
    unittest.main()
