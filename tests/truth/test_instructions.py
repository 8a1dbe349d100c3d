"""PTX forms: the CPU device must write the words that an H200 wrote."""

import functools
import json
import math
import struct
import sys
import tempfile
import unittest
from pathlib import Path

import support
from support import retained

# Forms that the CPU device refuses with their text, because no lesson has them yet. One that
# it learns must leave this list: then its words are compared too.
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu")
REFUSED = {
    *(f"setp.{operator}.f16" for operator in (*COMPARISONS, "num", "nan")),
    *("min.relu.s32", "max.relu.s32"),
    *("add.u16x2", "add.s16x2", "min.u16x2", "max.s16x2"),
    "cp.async.cg 16, ignored source",
    "recursion",
    "calls through a table of functions",
}


@functools.cache
def families() -> tuple:
    """Return the families that the program knows."""
    listing = support.run("tests/instructions", "--list").stdout
    return tuple(sorted({line.split("\t")[0] for line in listing.splitlines()}))


@functools.cache
def results(family: str) -> dict:
    """Return the CPU device's document for one family."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        # 77: the form is written without words, which the tests below judge.
        support.run("tests/instructions", "--family", family, "--out", path, good=(0, 77))
        return json.loads(path.read_text())


@functools.cache
def recorded_words() -> dict:
    """Return the H200's words of every form."""
    return retained.instruction_words(support.recorded("instructions.json"))


def words_of(form: dict) -> list:
    """Return a form's words as numbers."""
    text = form["words"]
    return [int(text[i : i + 8], 16) for i in range(0, len(text), 8)]


def as_float(words: list) -> float:
    """Read one or two words, the low one first, as f32 or f64."""
    if len(words) == 1:
        return struct.unpack("<f", struct.pack("<I", words[0]))[0]
    return struct.unpack("<d", struct.pack("<II", *words))[0]


def agrees(form: dict, ours: list, theirs: list) -> bool:
    """Whether a row's words are the recorded ones, or near enough where a form says so."""
    if ours == theirs:
        return True
    if form["result"] not in ("f32", "f64") or form["relative"] == form["absolute"] == 0:
        return False
    a, b = as_float(ours), as_float(theirs)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b) or b == 0:
        return a == b or (b == 0 and abs(a) <= form["absolute"])
    return abs(a - b) <= max(form["relative"] * abs(b), form["absolute"])


def differences(form: dict, theirs: list, table: list) -> list:
    """Return a sentence for each row that differs."""
    ours = words_of(form)
    if len(ours) != len(theirs):
        return [f"{form['name']}: {len(ours)} words, recorded {len(theirs)}"]
    size = form["row_words"] if table else 1
    found = []
    for row in range(len(ours) // size):
        mine, recorded = ours[row * size :][:size], theirs[row * size :][:size]
        if not agrees(form, mine, recorded):
            of = f" of {table[row]}" if table else f", word {row}"
            got, want = (" ".join(f"{w:08x}" for w in words) for words in (mine, recorded))
            found.append(f"{form['name']}{of}: {got}, on the H200 {want}")
    return found


class InstructionTest(unittest.TestCase):
    """One test for each family; a failure lists the forms and rows that differ."""

    def check_family(self, family: str):
        document = results(family)
        recorded = recorded_words()
        wrong_forms, lines = 0, []
        for form in document["forms"]:
            if not form["words"]:
                continue  # what has no words is for test_what_is_refused
            data = recorded[form["name"]]
            theirs = list(struct.unpack(f"<{len(data) // 4}I", data))
            found = differences(form, theirs, document["tables"].get(form["table"], []))
            if found:
                wrong_forms += 1
                lines += found[:4] + ([f"    ... {len(found)} rows"] if len(found) > 4 else [])
        if wrong_forms:
            shown = "\n".join(lines[:120])
            self.fail(f"{wrong_forms} of {len(document['forms'])} forms differ:\n{shown}")

    def test_the_record_is_of_these_forms(self):
        document = support.recorded("instructions.json")
        self.assertEqual(document["source_hash"], retained.instruction_source_hash(),
                         "the programs have changed since; record them again")  # fmt: skip
        ours = {form["name"] for family in families() for form in results(family)["forms"]}
        self.assertEqual(ours, {form["name"] for form in document["forms"]})

    def test_what_is_refused(self):
        forms = [form for family in families() for form in results(family)["forms"]]
        self.assertGreater(len(forms), 1400)
        refused = {form["name"] for form in forms if not form["words"]}
        self.assertEqual(refused - REFUSED, set(), "the CPU device lacks these")
        self.assertEqual(REFUSED - refused, set(), "these are refused no longer")


def add_tests():
    """Make one method of every family of forms."""
    for source in sorted((retained.DATA / "instructions").glob("*.cu")):
        if source.stem != "instructions":
            setattr(InstructionTest, f"test_{source.stem}",
                    lambda self, family=source.stem: self.check_family(family))  # fmt: skip


if __name__ == "__main__":
    add_tests()
    sys.exit(support.main(__name__, "tests/instructions"))
