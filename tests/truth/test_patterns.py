"""Access patterns: the written rule, the CPU device and an H200 must count the same."""

import functools
import json
import sys
import tempfile
import unittest
from pathlib import Path

import support
from support import retained

from evidence import bank_rule


@functools.cache
def listed() -> list:
    """Return the patterns that the program knows."""
    return retained.parse_patterns(support.run("tests/access_patterns", "--list").stdout)


@functools.cache
def counted() -> dict:
    """Return what the CPU device counts for each pattern, under the short names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counts"
        support.run("tests/access_patterns", "--counts", path, checks="all")
        lines = path.read_text().splitlines()
    counts = {}
    for line in lines:
        name, document = line.split("\t", 1)
        (kernel,) = json.loads(document)["kernels"]
        if kernel["launches"] != 1:
            raise AssertionError(f"{name} was launched {kernel['launches']} times")
        found = {}
        for way in ("load", "store"):
            shared, glob = kernel["shared"][way], kernel["global"][way]
            found[f"shared_{way}_wavefronts"] = shared["wavefronts"]
            found[f"shared_{way}_bank_conflicts"] = shared["bank_conflicts"]
            found[f"shared_{way}_instructions"] = shared["instructions"]
            found[f"global_{way}_requests"] = glob["instructions"]
            found[f"global_{way}_sectors"] = glob["sectors"]
        counts[name] = found
    return counts


def by_the_rule(pattern) -> dict:
    """Return the counters that the rule predicts for a pattern's own instruction."""
    times = pattern.blocks * pattern.warps
    way = f"{pattern.space}_{pattern.direction}"
    if pattern.space == "shared":
        wavefronts, conflicts = bank_rule.shared(pattern.offsets, pattern.width, pattern.direction)
        return {
            f"{way}_wavefronts": wavefronts * times,
            f"{way}_bank_conflicts": conflicts * times,
            f"{way}_instructions": times,
        }
    return {
        f"{way}_requests": times,
        f"{way}_sectors": bank_rule.sectors(pattern.offsets, pattern.width) * times,
    }


def measured() -> dict:
    """Return the H200's counters for each pattern, under the short names."""
    document = support.recorded("patterns.json")
    return {
        name: dict(zip(document["columns"][name.split("_")[0]], entry["counters"], strict=True))
        for name, entry in document["patterns"].items()
    }


class PatternTest(unittest.TestCase):
    """Three accounts of the same accesses, held against each other in pairs."""

    maxDiff = None

    def compare(self, expected, actual, what):
        """Report every pattern that differs, not the first alone."""
        wrong = [
            f"{name}: {key} is {actual[name][key]}, {what} {value}"
            for name, values in expected.items()
            for key, value in values.items()
            if actual[name][key] != value
        ]
        if wrong:
            shown = "\n".join(wrong[:40])
            self.fail(f"{len(wrong)} counters differ:\n{shown}")

    def test_there_are_many_patterns_of_every_kind(self):
        kinds = {(p.space, p.direction, p.width) for p in listed()}
        self.assertEqual(len(kinds), 2 * 2 * 5)
        self.assertGreater(len(listed()), 600)

    def test_cpu_device_counts_by_the_rule(self):
        rule = {pattern.name: by_the_rule(pattern) for pattern in listed()}
        self.compare(rule, counted(), "by the rule")

    def test_counters_of_an_h200_follow_the_rule(self):
        hardware = measured()
        rule = {p.name: by_the_rule(p) for p in listed()}
        self.compare(rule, hardware, "by the rule")

    def test_cpu_device_counts_what_an_h200_counts(self):
        self.compare(measured(), counted(), "on the H200")

    def test_the_record_is_of_these_patterns(self):
        document = support.recorded("patterns.json")
        self.assertEqual(document["source_hash"], retained.pattern_source_hash(),
                         "the programs have changed since; record them again")  # fmt: skip
        for pattern in listed():
            entry = document["patterns"][pattern.name]
            offsets = ",".join("-" if at is None else str(at) for at in pattern.offsets)
            self.assertEqual(entry["offsets"], offsets, pattern.name)
            self.assertEqual(
                (entry["width"], entry["blocks"], entry["warps"]),
                (pattern.width, pattern.blocks, pattern.warps),
            )
        self.assertEqual(len(document["patterns"]), len(listed()))


if __name__ == "__main__":
    sys.exit(support.main(__name__, "tests/access_patterns"))
