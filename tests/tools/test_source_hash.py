"""The source hash is frozen: what it covers, what it leaves out, and its value."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support

from evidence import EvidenceError, source_hash
from evidence.tokens import tokens

# The hash of the made-up lesson in support.py. If this changes, every retained record is stale.
FROZEN = "a8428983c00e7dfddb3d8e44b09cb98894e241d128bfc70e354714e36c446e89"


class Tokens(unittest.TestCase):
    def test_comments_and_spaces_make_no_difference(self):
        self.assertEqual(
            tokens("a  +b; // c\n/* d\n */ e"), tokens("a+b;\ne // \\\n still a comment")
        )
        self.assertEqual(tokens("a\r\n+ b"), tokens("a+b"))

    def test_what_the_compiler_tells_apart_is_told_apart(self):
        for one, other in (
            ("a+ +b", "a++b"),
            ("x<<<1,2>>>()", "x<< <1,2>> >()"),
            ("return x", "returnx"),
            ('"a b"', '"ab"'),
            ("' '", "'a'"),
            ("1'000", "1 000"),
            ('R"(a // b)"', 'R"(a )"'),
            ("#define F(x)\n", "#define F (x)\n"),
            ("#define A\nb", "#define A b"),
        ):
            self.assertNotEqual(tokens(one), tokens(other), one)

    def test_comment_signs_in_a_string_are_text(self):
        self.assertEqual(tokens('"/* // */" x'), ['"/* // */"', "x"])

    def test_numbers_stay_whole(self):
        self.assertEqual(
            tokens("1.5e-3f+0x1p+2+.5f+1'0"), ["1.5e-3f", "+", "0x1p+2", "+", ".5f", "+", "1'0"]
        )

    def test_a_line_may_be_continued_in_a_directive(self):
        self.assertEqual(tokens("#define A \\\n  1\nb"), tokens("#define  A 1 // c\nb"))

    def test_what_is_no_token_is_named_with_its_line(self):
        for source in ('x\n"open', "x\n/* open", "x\n'"):
            with self.assertRaisesRegex(EvidenceError, "f.cu, line 2: .* starts no C\\+\\+ token"):
                tokens(source, "f.cu")


class Floors(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        support.write_floors(self.root)
        self.peers = self.root / "common" / "peers"
        self.before = source_hash.floor_hash(self.root, "floor-copy")

    def edit(self, name, old, new):
        path = self.peers / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")
        return source_hash.floor_hash(self.root, "floor-copy")

    def test_a_floor_is_found_by_its_name(self):
        self.assertEqual(source_hash.floors(self.root), ["floor-copy", "floor-ffma", "floor-read"])
        other = source_hash.floor_hash(self.root, "floor-read")
        self.assertNotEqual(other, self.before)
        self.assertEqual(source_hash.row_hash(self.root, "any", "floor-read", "floor"), other)
        self.assertIsNone(source_hash.row_hash(self.root, "any", "floor-write", "floor"))

    def test_comments_and_the_description_make_no_difference(self):
        for old, new in (("// A claim.", "// Another."), (".missing = nullptr", ".missing = why")):
            self.assertEqual(self.edit("floor_copy.cu", old, new), self.before)
        self.assertEqual(self.edit("words.cuh", "return 1", "return 2"), self.before)

    def test_the_kernel_and_what_it_includes_make_one(self):
        kernel = self.edit("floor_copy.cu", "= from[threadIdx.x]", "= from[0]")
        self.assertNotEqual(kernel, self.before)
        self.assertNotEqual(self.edit("words.cuh", "const float* a", "float* a"), kernel)

    def test_what_is_missing_is_named(self):
        self.edit("floor_read.cu", "rungs::Floor floor", "rungs::Floor other")
        with self.assertRaisesRegex(EvidenceError, "const rungs::Floor floor = ...;, stands 0"):
            source_hash.floor_hash(self.root, "floor-read")
        (self.peers / "words.cuh").unlink()
        with self.assertRaisesRegex(EvidenceError, "cannot read common/peers/words.cuh"):
            source_hash.floor_hash(self.root, "floor-copy")


class Hash(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        support.write_lessons(self.root, "0-first")
        self.source = self.root / "lessons/demo/0-first/first.cu"
        self.header = self.root / "lessons/demo/demo.hpp"

    def hash(self):
        return source_hash.rung_hash(self.root, "demo", "first")

    def edit(self, path, old, new):
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def test_the_value_is_frozen(self):
        self.assertEqual(self.hash(), FROZEN)

    def test_comments_spaces_and_the_description_do_not_matter(self):
        before = self.hash()
        self.edit(self.source, "// why", "/* another\n reason */")
        self.edit(self.source, "a[threadIdx.x] * 2.0f", "a[ threadIdx.x ]\n      *2.0f")
        self.edit(self.source, "one; and [one] more", "reworded; twice")
        self.edit(self.source, '.after = ""', '.after = "x", .kind = f({1, 2})')
        self.edit(self.header, "return 1", "return 2")
        self.assertEqual(self.hash(), before)

    def test_code_launch_and_the_headers_launch_part_matter(self):
        seen = {self.hash()}
        for path, old, new in (
            (self.source, "2.0f", "3.0f"),
            (self.source, "tile = 16", "tile = 32"),
            (self.source, "<<<1, tile>>>", "<<<2, tile>>>"),
            (self.source, "demo::first {", "demo::second {"),
            (self.header, "const float* a", "const double* a"),
        ):
            self.edit(path, old, new)
            seen.add(self.hash())
        self.assertEqual(len(seen), 6)

    def test_the_flags_matter(self):
        flags = source_hash.KERNEL_FLAGS
        self.assertNotEqual(
            source_hash.hash_of(["a"], ["b"]), source_hash.hash_of(["a"], ["b"], flags[:-1])
        )
        self.assertNotEqual(source_hash.hash_of(["a"], []), source_hash.hash_of([], ["a"]))

    def test_a_lesson_without_description_or_markers_is_refused(self):
        self.edit(self.header, "// [/launch]\n", "")
        with self.assertRaisesRegex(EvidenceError, r"\[/launch\] is missing"):
            self.hash()
        self.edit(self.source, "const rungs::Rung rung", "const rungs::Rung other")
        with self.assertRaisesRegex(EvidenceError, "0-first/first.cu: the description.* 0 times"):
            self.hash()
        self.source.unlink()
        with self.assertRaisesRegex(EvidenceError, "cannot read lessons/demo/0-first/first.cu"):
            self.hash()

    def test_as_a_program(self):
        def run(*arguments):
            return subprocess.run(
                [sys.executable, "-m", "evidence.source_hash", *arguments],
                cwd=support.REPO / "common",
                capture_output=True,
                text=True,
                check=False,
            )

        self.assertEqual(run("--flags").stdout.split("\n")[0], "-std=c++20")
        self.assertEqual(run().returncode, 2)
        unknown = run("none/such")
        self.assertEqual((unknown.returncode, unknown.stdout), (1, ""))
        self.assertIn("there is no ladder 'none'", unknown.stderr)


if __name__ == "__main__":
    unittest.main()
