"""What a try.patch may say, each malformed one being one clear sentence; and its rung's page."""

import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import support

sys.path.insert(0, str(support.REPO / "common"))
from evidence import EvidenceError, lessons, tries  # noqa: E402
from evidence.page_links import number_links  # noqa: E402

WHY = "Without the padding every single store\nis an eight-way conflict.\n\n"
RISES = "ptx/shared_store_wavefronts: 2621440 becomes 4718592\n"
STAYS = "ptx/shared_reads_per_multiply_add: stays 0.125\n"
FILE = "lessons/matmul/3-transposed-a/transposed-a.cu"
HUNK = """\
@@ -17,3 +17,3 @@
 constexpr int threads = block_x * block_y;
-constexpr int a_stride = block_rows + 4;
+constexpr int a_stride = block_rows;

"""
PATCH = f"--- a/{FILE}\n+++ b/{FILE}\n{HUNK}"


class Format(unittest.TestCase):
    def setUp(self):
        # A copy of what load() looks at: the rung's folder, the problem and the counts record.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.repo = Path(folder.name)
        self.path = self.repo / FILE
        self.path = self.path.with_name(tries.FILE_NAME)
        self.path.parent.mkdir(parents=True)
        for name in ("lessons/matmul/matmul.hpp", "docs/evidence/counts/matmul.json"):
            (self.repo / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(support.REPO / name, self.repo / name)

    def load(self, *parts):
        self.path.write_text("".join(parts), encoding="utf-8")
        return tries.load(self.path)

    def refusal(self, *parts):
        with self.assertRaises(EvidenceError) as caught:
            self.load(*parts)
        where, _, said = str(caught.exception).partition(": ")
        self.assertEqual(where, str(self.path))
        self.assertNotIn("\n", said)
        return said

    def test_a_try_of_counts(self):
        found = self.load(WHY, RISES, STAYS, "\n", PATCH)
        self.assertEqual(
            found.why, "Without the padding every single store is an eight-way conflict."
        )
        self.assertEqual(
            found.changes,
            (
                tries.Change("ptx/shared_store_wavefronts", 2621440, 4718592),
                tries.Change("ptx/shared_reads_per_multiply_add", 0.125, 0.125),
            ),
        )
        self.assertEqual([change.stays for change in found.changes], [False, True])
        self.assertIsNone(found.refusal)
        self.assertEqual(found.patch, PATCH)
        self.assertFalse(found.needs_machine_code)
        self.assertTrue(self.load(WHY, "sass/registers: stays 64\n\n", PATCH).needs_machine_code)

    def test_a_try_that_is_refused(self):
        found = self.load(WHY, "refused: a data race\n\n", PATCH)
        self.assertEqual((found.changes, found.refusal), ((), "a data race"))

    def test_a_refusal_is_what_the_program_says_but_for_what_is_left_out(self):
        found = self.load(WHY, "refused: race: ... reads (a.cu:7, ...)\n\n", PATCH)
        for said, is_one in (
            ("check: race: kernel(int) reads (a.cu:7, block (0,0,0))\n", True),
            ("check: race: kernel(int) reads (a.cu:8, block (0,0,0))\n", False),
            ("check: race: kernel(int) reads (a_cu:7, block (0,0,0))\n", False),
            ("race: kernel(int)\nreads (a.cu:7, block (0,0,0))\n", False),
        ):
            with self.subTest(said):
                self.assertEqual(found.is_refused_by(said), is_one)
        self.assertFalse(self.load(WHY, RISES, "\n", PATCH).is_refused_by("race: reads"))

    def test_a_head_says_why_and_what_can_be_checked(self):
        self.assertEqual(self.refusal(RISES, "\n", PATCH), "begins with no paragraph that says why")
        self.assertEqual(self.refusal(PATCH), "begins with no paragraph that says why")
        self.assertEqual(
            self.refusal(WHY, PATCH), "names no count and no refusal; nothing could be checked"
        )
        self.assertEqual(
            self.refusal(WHY, RISES, "refused: a data race\n\n", PATCH),
            "names counts and a refusal; what is refused is not counted",
        )
        self.assertIn("two refusals", self.refusal(WHY, "refused: a race\nrefused: b\n\n", PATCH))

    def test_a_line_of_the_head_is_a_count_or_a_refusal(self):
        for line in (
            "Stores rise.",
            "ptx/barriers: 1 to 2",
            "ptx/barriers: stays 1 2",
            "ptx/barriers: 131,072 becomes 1",
            "ptx/barriers stays 131072",
            "refused:",
        ):
            with self.subTest(line):
                self.assertIn(f"{line!r} is no count", self.refusal(WHY, line, "\n\n", PATCH))
        self.assertEqual(
            self.refusal(WHY, STAYS, STAYS, "\n", PATCH),
            "ptx/shared_reads_per_multiply_add stands twice",
        )

    def test_a_count_that_becomes_what_it_was_stays(self):
        self.assertEqual(
            self.refusal(WHY, "ptx/barriers: 131072 becomes 131072\n\n", PATCH),
            "ptx/barriers becomes what it was; write 'ptx/barriers: stays 131072'",
        )

    def test_counts_are_the_records(self):
        self.assertEqual(
            self.refusal(WHY, "ptx/bariers: 1 becomes 2\n\n", PATCH),
            "of matmul/transposed-a the record has no 'ptx/bariers'",
        )
        self.assertEqual(
            self.refusal(WHY, "ptx/kernels: 1 becomes 2\n\n", PATCH),
            "of matmul/transposed-a 'ptx/kernels' is no number of the record",
        )
        for path in ("argued/block_threads", "ptx/kernels/0/lines/0/line", "barriers"):
            with self.subTest(path):
                self.assertIn(
                    f"{path} is no path of what is counted",
                    self.refusal(WHY, f"{path}: 0 becomes 2\n\n", PATCH),
                )
        self.assertEqual(
            self.refusal(WHY, "ptx/barriers: 131071 becomes 2\n\n", PATCH),
            "ptx/barriers is 131072 before the change, not 131071",
        )
        self.assertEqual(
            self.refusal(WHY, "ptx/shared_wavefronts_per_multiply_add: stays 0.01416\n\n", PATCH),
            "ptx/shared_wavefronts_per_multiply_add is 0.01416015625 before the change, "
            "not 0.01416",
        )

    def test_a_rung_that_is_not_counted_yet(self):
        other = self.path.parent.with_name("7-new-one")
        self.path.parent.rename(other)
        self.path = other / tries.FILE_NAME
        patch = PATCH.replace("3-transposed-a/transposed-a", "7-new-one/new-one")
        self.assertIn("new-one is not counted yet", self.refusal(WHY, RISES, "\n", patch))

    def test_the_patch_is_of_the_rungs_kernel_alone(self):
        alone = f"a try changes {FILE} and nothing else"
        other = PATCH.replace("3-transposed-a", "4-k64")
        self.assertIn(alone, self.refusal(WHY, RISES, "\n", other))
        self.assertIn(alone, self.refusal(WHY, RISES, "\n", PATCH, other))
        self.assertIn(alone, self.refusal(WHY, RISES, "\n", PATCH.replace("+++ b/", "+++ a/")))
        self.assertIn(
            alone, self.refusal(WHY, RISES, "\n", PATCH.replace(f"b/{FILE}", "/dev/null"))
        )

    def test_the_patch_is_whole(self):
        self.assertIn("has no patch", self.refusal(WHY, RISES))
        first, second, _ = PATCH.split("\n", 2)
        self.assertIn("has no hunk", self.refusal(WHY, RISES, "\n", f"{first}\n{second}\n"))
        self.assertIn("must begin with '+++ '", self.refusal(WHY, RISES, "\n", first, "\n", HUNK))
        cut = PATCH.rpartition(" constexpr")[0]
        self.assertIn("ends inside a hunk", self.refusal(WHY, RISES, "\n", cut))
        self.assertIn(
            "more lines than its first line says",
            self.refusal(WHY, RISES, "\n", PATCH.replace("-17,3", "-17,1")),
        )
        self.assertIn(
            "is no first line of a hunk",
            self.refusal(WHY, RISES, "\n", PATCH.replace("@@ -17,3", "@@ 17,3")),
        )
        self.assertIn("is no line of a hunk", self.refusal(WHY, RISES, "\n", cut, "stray\n"))
        self.assertIn("between the hunks", self.refusal(WHY, RISES, "\n", PATCH, "stray\n"))

    def test_a_file_that_cannot_be_read(self):
        with self.assertRaisesRegex(EvidenceError, "cannot read .*try.patch"):
            tries.load(self.path)
        self.path.write_bytes(b"\xff")
        with self.assertRaisesRegex(EvidenceError, "byte 0 is not UTF-8"):
            tries.load(self.path)
        self.assertIn("carriage return", self.refusal(WHY, RISES, "\r\n", PATCH))

    def test_a_try_stands_in_its_rungs_folder(self):
        rung = lessons.rung(self.repo, "matmul", "transposed-a")
        self.assertEqual(tries.path_of(rung), self.path)


class Pages(unittest.TestCase):
    """Who has a try is asked first, and is told nothing before that."""

    EVIDENCE = support.REPO / "docs/evidence"
    QUESTION = "```{predict-first}\n"

    def pages(self):
        """Yield each rung that has a try or is asked, with its page's text."""
        found = 0
        for ladder in lessons.ladders(support.REPO):
            for rung in lessons.rungs(support.REPO, ladder):
                text = rung.page.read_text(encoding="utf-8")
                if tries.path_of(rung).exists() or self.QUESTION in text or "{rung-try}" in text:
                    found += 1
                    yield rung, text
        self.assertGreater(found, 0)

    def test_the_prediction_ends_in_a_question_and_try_it_in_the_try(self):
        for rung, text in self.pages():
            with self.subTest(rung.key):
                sections = dict(part.split("\n", 1) for part in re.split(r"(?m)^## ", text)[1:])
                asked = rf"(?s)\n{self.QUESTION}[^`]+(`[^`\n]+`[^`]+)*\?\n```\n\n\Z"
                self.assertRegex(sections["The prediction"], asked)
                self.assertRegex(sections["Try it"], r"\n```{rung-try}\n```\n(\n\[|\Z)")
                self.assertEqual(text.count("{predict-first}"), 1)
                self.assertEqual(text.count("{rung-try}"), 1)

    def test_nothing_before_the_question_tells_what_was_measured_of_the_rung(self):
        for rung, text in self.pages():
            before = text.partition(self.QUESTION)[0]
            definitions = "\n".join(re.findall(r"(?m)^\[[^\]]+\]: .*$", text))
            links = number_links(rung.page, f"{before}\n\n{definitions}", self.EVIDENCE)
            told = [
                link.anchor
                for link in links
                if link.file.parent.name not in ("counts", "published")
                and re.match(rf"(\d+(x\d+)*/)?{rung.name}/(?!expected/)", link.anchor)
            ]
            with self.subTest(rung.key):
                self.assertEqual(told, [])


if __name__ == "__main__":
    unittest.main()
