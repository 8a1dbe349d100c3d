"""What the README and the guides show of the command's output is what it prints."""

import re
import unittest

import support

from course.bench.report import report
from course.main import COMMANDS
from course.tables import run_table
from evidence import ladder_settings, records


class Readme(unittest.TestCase):
    TEXT = (support.REPO / "README.md").read_text(encoding="utf-8")

    def test_the_table_is_how_the_records_begins(self):
        record = records.load_counts(records.counts_path(support.REPO, "matmul"))
        shown = re.search(r"\n\n( +shared, per multiply-add.*?)```\n", self.TEXT, re.DOTALL)[1]
        whole = run_table(record, ladder_settings.load(support.REPO, "matmul"))
        self.assertEqual(shown, whole[: len(shown)])
        self.assertTrue(whole[len(shown) :].startswith("after "), "it ends with the numbered rungs")

    def test_it_names_every_command_and_no_other(self):
        named = set(re.findall(r"\./course ([a-z]+)", self.TEXT))
        self.assertEqual(named, {module.NAME for module in COMMANDS})


class Noise(unittest.TestCase):
    TEXT = (support.REPO / "docs" / "noise.md").read_text(encoding="utf-8")

    def test_the_table_is_the_reports_and_has_a_step_that_is_not_resolved(self):
        folder = support.REPO / "docs" / "evidence" / "h200-1"
        settings = ladder_settings.load(support.REPO, "matmul")
        record = records.load_record(folder / "matmul-sizes.json")
        printed = report(record, None, settings)
        shown = re.search(r"```text\n(matmul, .*?)```\n", self.TEXT, re.DOTALL)[1]
        table, legend = shown[: shown.index("us: ")], shown[shown.index("us: ") :]
        self.assertIn(table, printed)
        self.assertIn(" ~", table)
        lines = printed.splitlines()
        self.assertEqual([line for line in legend.splitlines() if line not in lines], [])


if __name__ == "__main__":
    unittest.main()
