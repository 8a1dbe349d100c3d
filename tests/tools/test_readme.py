"""The README's first example and its commands are those of the course as it is."""

import re
import unittest

import support

from course.main import COMMANDS
from course.tables import run_table
from evidence import records


class Readme(unittest.TestCase):
    TEXT = (support.REPO / "README.md").read_text(encoding="utf-8")

    def test_the_table_is_the_records(self):
        record = records.load_counts(records.counts_path(support.REPO, "matmul"))
        self.assertIn(f"\n\n{run_table(record)}", self.TEXT)

    def test_it_names_every_command_and_no_other(self):
        named = set(re.findall(r"\./course ([a-z]+)", self.TEXT))
        self.assertEqual(named, {module.NAME for module in COMMANDS})


if __name__ == "__main__":
    unittest.main()
