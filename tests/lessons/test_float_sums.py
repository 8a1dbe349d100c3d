"""The guide to float sums shows what its program prints, and what it says of that holds."""

import re
import subprocess
import unittest

from programs import BIN, REPO

GUIDE = REPO / "docs" / "float-sums.md"
COMMAND = "$ build/bin/tests/float-sums\n"


class FloatSums(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run(
            [BIN / "tests" / "float-sums"], capture_output=True, text=True, check=True
        )
        cls.printed = done.stdout

    def test_the_guide_shows_what_the_program_prints(self):
        text = GUIDE.read_text(encoding="utf-8")
        shown = text.split(COMMAND, 1)[1].split("```", 1)[0]
        self.assertEqual(shown, self.printed)

    def test_few_running_sums_stop_at_two_to_the_24_each(self):
        ones, spread = self.printed.split("2^28 floats spread")
        self.assertEqual(self.sums(ones)[:2], [2.0**24, 8 * 2.0**24])
        self.assertEqual(self.sums(spread)[0], 2.0**24)

    def test_more_running_sums_are_never_worse(self):
        for part in self.printed.split("2^28 floats spread"):
            off = [float(one) for one in re.findall(r"\S+e[-+]\d+$", part, re.MULTILINE)]
            self.assertEqual(len(off), 7)
            self.assertEqual(off, sorted(off, reverse=True))

    @staticmethod
    def sums(part):
        """Return the FP32 sums of one list, in its order."""
        return [float(one) for one in re.findall(r"(\d+\.\d)   +\S+e[-+]\d+$", part, re.M)]


if __name__ == "__main__":
    unittest.main()
