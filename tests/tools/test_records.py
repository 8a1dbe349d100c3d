"""Records: how they are made and frozen, and that a doctored or damaged one is refused."""

import copy
import hashlib
import json
import math
import tempfile
import unittest
from pathlib import Path

import documents
import support

from evidence import EvidenceError, records
from evidence.json_file import json_text, read_json, write_whole

# SHA-256 of the made-up record's bytes. A change here is a new version of the schema, or of how
# its text is laid out.
FROZEN = "74ebf7a4a366ea7e9222f0cc0379b7b9860611ab1505b8708fe51028b40b7217"

LEAVES_WITHOUT_A_SECOND = {
    # what no other number of the record repeats; only counting again can tell
    *("M", "N", "K", "seed", "order", "launches", "blocks", "threads_per_block", "grid", "block"),
    *("static_shared_bytes", "dynamic_shared_bytes", "local_bytes", "thread_instructions"),
    *("active_lanes", "bytes", "sectors_per_request", "shared", "global", "shuffles", "votes"),
    *("line", "shared_bytes", "spill_bytes", "argued"),
}


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        support.write_lessons(self.root, "0-first", "1-second", "x1-aside")
        self.run_document = documents.run(
            self.root, ("first", None, 0, 4), ("second", "first", 1, 2), ("aside", "first", 1001, 6)
        )

    def record(self):
        return records.counts_record(self.root, self.run_document)

    def saved(self, record):
        path = self.root / "demo.json"
        path.write_text(json.dumps(record), encoding="utf-8")
        return path


class Making(Case):
    def test_the_bytes_are_frozen(self):
        text = json_text(self.record())
        self.assertEqual(hashlib.sha256(text.encode()).hexdigest(), FROZEN)

    def test_it_reads_back_equal(self):
        record = self.record()
        path = self.root / "demo.json"
        write_whole(path, json_text(record))
        self.assertEqual(records.load_counts(path), record)
        self.assertEqual(json_text(records.load_counts(path)), path.read_text(encoding="utf-8"))

    def test_it_takes_title_and_change_from_the_page(self):
        rung = self.record()["rungs"][0]
        self.assertEqual(rung["title"], "First rung")
        self.assertEqual(rung["change"], "The change, in one or two sentences.")

    def test_nothing_of_the_single_run_is_kept(self):
        text = json_text(self.record())
        for volatile in ("device", "max_relative_error", "tolerance", "message", "NVIDIA"):
            self.assertNotIn(volatile, text)

    def test_what_is_not_sound_is_not_recorded(self):
        def doctor(document, change):
            changed = copy.deepcopy(document)
            change(changed["rungs"])
            return changed

        for change, words in (
            (lambda r: r[1]["check"].update(passed=False), "demo/second: the check failed"),
            (lambda r: r[1]["counts"].update(ptx=None), "demo/second: counts.ptx is missing"),
            (lambda r: r[1]["counts"].update(sass=None), "demo/second: counts.sass is missing"),
            (lambda r: r[1].update(source_hash="0" * 64), "built from another source"),
            (lambda r: r[1].update(compiler=None), "machine code was not counted"),
            (lambda r: r[1].update(compiler={"nvcc": "13.5"}), "another compiler"),
            (lambda r: r.pop(), "needs every rung of demo"),
            (lambda r: r.reverse(), "needs every rung of demo"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                records.counts_record(self.root, doctor(self.run_document, change))

    def test_a_number_that_is_not_finite_is_not_written(self):
        for bad in (math.nan, math.inf):
            with self.assertRaisesRegex(EvidenceError, "not finite"):
                json_text({"a": bad})


class Doctored(Case):
    def refuse(self, record, words):
        with self.assertRaisesRegex(EvidenceError, words) as caught:
            records.load_counts(self.saved(record))
        self.assertNotIn("\n", str(caught.exception))
        self.assertIn("demo.json", str(caught.exception))

    def test_every_number_with_a_second_is_held_by_it(self):
        held = 0
        record = self.record()
        for path in list(number_paths(record)):
            if LEAVES_WITHOUT_A_SECOND & {p for p in path[-2:] if isinstance(p, str)}:
                continue
            if "local" in path or "grid" in path or "atomics" in path:
                continue
            if path[-1] in ("thread_instructions",):
                continue
            changed = copy.deepcopy(record)
            at = changed
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] += 1
            with self.subTest(path=path), self.assertRaises(EvidenceError):
                records.load_counts(self.saved(changed))
            held += 1
        self.assertGreater(held, 100)

    def test_hash_key_order_and_check(self):
        for change, words in (
            (lambda r: r[1].update(source_hash="xyz"), r"rungs\[1\].source_hash is 'xyz'"),
            (lambda r: r[1].update(key="demo/third"), r"rungs\[1\].key is 'demo/third'"),
            (lambda r: r[1].update(name="first", key="demo/first"), "stands twice"),
            (lambda r: r[1].update(after="aside"), "is no rung before it"),
            (lambda r: r[1].update(kind="best"), "must be kept or rejected"),
            (lambda r: r[1]["because"][0].update(model="luck"), "must be reads or wavefronts"),
            (lambda r: r[1]["check"].update(passed=False), "nothing was counted"),
            (lambda r: r[1]["counts"]["ptx"].update(barriers=-2), "must be a whole number"),
            (lambda r: r[1]["counts"]["ptx"].update(barriers="2"), "must be a whole number"),
            (lambda r: r[1]["counts"]["ptx"].update(barriers=True), "must be a whole number"),
            (lambda r: r[1]["counts"].pop("sass"), r"rungs\[1\].counts.sass is missing"),
        ):
            record = self.record()
            change(record["rungs"])
            self.refuse(record, words)

    def test_another_schema(self):
        for schema, words in (
            ("rungs-counts/3", "is of version rungs-counts/3, this course reads rungs-counts/2"),
            ("rungs-run/1", "schema is 'rungs-run/1'; it must be rungs-counts/2"),
            (None, "schema is missing; it must be"),
        ):
            self.refuse({**self.record(), "schema": schema}, words)

    def test_a_source_that_moved_on_is_stale(self):
        record = self.record()
        self.assertEqual(records.stale(self.root, record), [])
        source = self.root / "lessons/demo/1-second/second.cu"
        source.write_text(support.KERNEL.replace("2.0f", "3.0f"), encoding="utf-8")
        support.write_lessons(self.root, "2-third")
        del record["rungs"][2]
        self.assertEqual(
            records.stale(self.root, record),
            [
                "demo/second has changed since it was counted",
                "demo/third is not in the record",
                "demo/aside is not in the record",
            ],
        )

    def test_differences_name_path_old_and_new(self):
        record = self.record()
        changed = copy.deepcopy(record)
        changed["rungs"][0]["counts"]["sass"]["registers"] = 32
        changed["rungs"][0]["because"].append({})
        del changed["seed"]
        self.assertEqual(
            records.differences(record, changed),
            [
                "rungs[0].because: 1 entries -> 2",
                "rungs[0].counts.sass.registers: 31 -> 32",
                "seed: is gone",
            ],
        )
        self.assertEqual(records.differences(record, copy.deepcopy(record)), [])
        self.assertEqual(records.differences({"a": 1}, {"a": True}), ["a: 1 -> True"])


class Damaged(Case):
    def load(self, data):
        path = self.root / "demo.json"
        path.write_bytes(data)
        return records.load_counts(path)

    def test_cut_off_at_every_byte(self):
        data = json.dumps({"schema": "rungs-counts/2", "ü": [1.5, None, True]}).encode()
        for size in range(len(data)):
            with self.assertRaisesRegex(EvidenceError, "demo.json") as caught:
                self.load(data[:size])
            self.assertNotIn("\n", str(caught.exception))

    def test_what_is_no_strict_json(self):
        for data, words in (
            (b"", "is empty"),
            (b" \n", "is empty"),
            (b"\xef\xbb\xbf{}", "byte order mark"),
            (b"\xff", "byte 0 is not UTF-8"),
            (b'{"a": NaN}', "holds NaN"),
            (b'{"a": -Infinity}', "holds -Infinity"),
            (b'{"a": 1, "a": 2}', "'a' stands twice"),
            (b"{} x", "line 1, column 4"),
            (b'{"a": "b', "line 1, column 7: Unterminated string$"),
            (b'{"a": "\x01"}', "line 1, column 8: Invalid control character$"),
            (b'{"a": "\\q"}', "column 8: Invalid .escape$"),
            (b"[" * 100000, "nested too deep|line 1"),
            (b"[]", "schema is missing; it must be"),
            (b'{"schema": "rungs-counts/2"}', "ladder is missing"),
        ):
            with self.assertRaisesRegex(EvidenceError, words):
                self.load(data)

    def test_a_number_too_large_is_refused(self):
        text = json_text(self.record()).replace('"active_lanes": 32.0', '"active_lanes": 1e999')
        with self.assertRaisesRegex(EvidenceError, "active_lanes is inf; it must be a number"):
            self.load(text.encode())

    def test_a_missing_file(self):
        with self.assertRaisesRegex(EvidenceError, "cannot read .*none.json: No such file"):
            read_json(self.root / "none.json")


class Writing(Case):
    def test_a_list_of_numbers_stands_on_one_line_and_nothing_else_does(self):
        value = {
            "rounds": [[1.5, -2, 3e-7], [4]],
            "empty": [],
            "mixed": [1, "[2,\n 3]", None],
            "texts": ["1", "2"],
        }
        text = json_text(value)
        self.assertEqual(json.loads(text), value)
        self.assertIn('"rounds": [\n  [1.5, -2, 3e-07],\n  [4]\n ]', text)
        self.assertIn('"mixed": [\n  1,\n  "[2,\\n 3]",\n  null\n ]', text)
        self.assertIn('"texts": [\n  "1",\n  "2"\n ]', text)

    def test_a_failed_write_leaves_the_old_file_and_nothing_else(self):
        path = self.root / "out" / "demo.json"
        path.parent.mkdir()
        write_whole(path, "old\n")
        with self.assertRaises(UnicodeEncodeError):
            write_whole(path, "new \ud800\n")
        self.assertEqual(path.read_text(encoding="utf-8"), "old\n")
        self.assertEqual([p.name for p in path.parent.iterdir()], ["demo.json"])

    def test_a_full_device_is_an_error(self):
        with self.assertRaises(OSError):
            write_whole(Path("/dev/full"), "text\n")

    def test_a_link_and_the_mode_are_kept(self):
        path, link = self.root / "demo.json", self.root / "link.json"
        path.write_text("old\n", encoding="utf-8")
        path.chmod(0o640)
        link.symlink_to(path)
        write_whole(link, "new\n")
        self.assertTrue(link.is_symlink())
        self.assertEqual(path.read_text(encoding="utf-8"), "new\n")
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)


def number_paths(value, path=()):
    """Yield the path of every number in a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from number_paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from number_paths(inner, (*path, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


if __name__ == "__main__":
    unittest.main()
