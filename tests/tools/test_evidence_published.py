"""The values of the studies: whole, each said once, of rungs that exist, to the last digit."""

import copy
import json
import tempfile
import unittest
from pathlib import Path

import support

from evidence import EvidenceError, lessons, published
from evidence.json_file import json_text

VALUE = {
    "id": "a/kernel",
    "operation": "matrix multiply",
    "variant": "first",
    "rung": None,
    "instrument": "kernel",
    "unit": "us",
    "value": 12.5,
}
DOCUMENT = {
    "schema": "rungs-published/1",
    "study": "A study",
    "machine": "A GPU",
    "is_not": [],
    "values": [VALUE],
}


class Retained(unittest.TestCase):
    def test_there_are_four_studies(self):
        documents = [published.load(path) for path in published.paths(support.REPO)]
        self.assertEqual(len({document["study"] for document in documents}), 4)
        for document in documents:
            self.assertTrue(document["machine"] and document["is_not"] and document["values"])

    def test_the_files_are_written_as_records_are(self):
        for path in published.paths(support.REPO):
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text, json_text(json.loads(text)), path.name)

    def test_a_rung_that_one_names_is_a_rung(self):
        known = {
            rung.key
            for ladder in lessons.ladders(support.REPO)
            for rung in lessons.rungs(support.REPO, ladder)
        }
        named = {
            value["rung"]
            for path in published.paths(support.REPO)
            for value in published.load(path)["values"]
        }
        self.assertEqual(named - known - {None}, set())
        self.assertIn("matmul/transposed-a", named)

    def test_figures_are_those_of_the_studies_to_the_last_digit(self):
        for file, identity, text in (
            ("kernel-time-step-by-step", "baseline/kernel", "343.99 us"),
            ("kernel-time-step-by-step", "register-tile/kernel", "141.70 us"),
            ("kernel-time-step-by-step", "quad-reads/span", "114.9 us"),
            ("kernel-time-step-by-step", "k64/kernel", "80.00 us"),
            ("kernel-time-step-by-step", "layernorm/named-quads/span", "13.4 to 14.0 us"),
            ("kernel-time-step-by-step", "small-tile/slower", "1.44x"),
            ("tiles-the-compiler-chose", "tile/matmul/queued-10", "127.07 us"),
            ("tiles-the-compiler-chose", "tile/submit", "14 to 23 us"),
            ("what-the-kernels-were-short-of", "k64/span", "82.60 us"),
            ("what-the-kernels-were-short-of", "pytorch/matmul/kernel-range", "44.03 to 55.96 us"),
            ("reduction-in-five-rungs", "float4/rate", "444 GB/s"),
        ):
            document = published.load(support.REPO / f"docs/evidence/published/{file}.json")
            found = {value["id"]: published.text(value) for value in document["values"]}
            self.assertEqual(found[identity], text)

    def test_values_are_found_by_rung_with_their_instrument(self):
        found = published.of_rung(support.REPO, "matmul/quad-reads")
        told = {(value["instrument"], published.text(value)) for _, value in found}
        self.assertEqual(told, {("span", "114.9 us")})


class Refused(unittest.TestCase):
    def load(self, change):
        document = copy.deepcopy(DOCUMENT)
        change(document, document["values"][0])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "study.json"
            path.write_text(json_text(document), encoding="utf-8")
            return published.load(path)

    def test_what_is_whole(self):
        self.assertEqual(self.load(lambda d, v: None), DOCUMENT)
        self.load(lambda d, v: v.update(low=12, high=13))

    def test_what_is_not(self):
        for change, words in (
            (lambda d, v: d.update(schema="rungs-published/2"), "schema is 'rungs-published/2'"),
            (lambda d, v: d.pop("machine"), "study.json: machine is missing"),
            (lambda d, v: v.pop("instrument"), r"values\[0\].instrument is missing"),
            (lambda d, v: v.pop("value"), r"values\[0\] has no value, and no low and high"),
            (lambda d, v: v.update(value="12.5"), r"values\[0\].value is '12.5'"),
            (lambda d, v: v.update(low=1), r"values\[0\]: low and high are no range"),
            (lambda d, v: v.update(low=2, high=1), r"values\[0\]: low and high are no range"),
            (lambda d, v: v.update(id="A b"), r"values\[0\].id is 'A b'"),
            (lambda d, v: v.update(rung="transposed-a"), r"values\[0\].rung is 'transposed-a'"),
            (lambda d, v: d["values"].append(v), r"values\[1\].id is 'a/kernel', which stands"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                self.load(change)


if __name__ == "__main__":
    unittest.main()
