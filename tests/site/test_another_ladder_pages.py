"""Strict builds of a ladder that multiplies nothing: two shapes, a rung of two kernels."""

import copy
import re
import tempfile
import unittest

from built_pages import text_of
from small_site import WORK, SmallSite

from evidence import source_hash
from evidence.json_file import json_text

SECOND_PAGE = "lessons/toy/1-second/README.md"
RECORD = "../../../docs/evidence/h200-1/toy.json"


def in_two_kernels(row):
    """Let a row launch two kernels in place of one: three quarters of its time, and the rest."""
    for time in row["times"]:
        for whole in time.pop("kernels", []):
            shares = {
                "void toy::second::pass<8>(float*)": 0.75,
                "toy::second::finish(float*)": 0.25,
            }
            time["kernels"] = [
                {
                    **whole,
                    "name": name,
                    "rounds": [[round(s * part, 3) for s in one] for one in whole["rounds"]],
                }
                for name, part in shares.items()
            ]


class AnotherLadder(unittest.TestCase):
    """A ladder that multiplies nothing, with tables of its own and two shapes in its record."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.site = SmallSite(temporary.name)
        settings = {
            "columns": [
                {"heading": "barriers", "quantity": "barriers", "counts": ["ptx"]},
                {"heading": "global bytes", "model": "bytes"},
                {
                    "heading": "spilled bytes",
                    "quantity": "spill_bytes",
                    "counts": ["sass"],
                    "only_if_any": True,
                },
            ],
            "models": ["barriers", "bytes", "instructions", "resident-threads"],
            "best_peer": ["library"],
            "floor": "floor-copy",
        }
        path = cls.site.repo / "lessons/toy/ladder.json"
        path.write_text(json_text(settings), encoding="utf-8")
        cls.site.keep("h200-1", cls.of_two_shapes)
        link = f"At two: [690 us]({RECORD}#1024x1024x2048/first/kernel).\n"
        cls.site.edit(SECOND_PAGE, "```{rung-times}", f"{link}\n```{{rung-times}}")
        cls.code, cls.output = cls.site.build()

    @classmethod
    def of_two_shapes(cls, draft):
        """Make a copy of the shape with twice the rows, each of which takes twice as long."""
        (first,) = draft["shapes"]
        draft["machine"]["l2_bytes"] = 1 << 20
        first["multiply_adds"] = None
        for row in first["rows"]:
            if row["kind"] == "floor":
                hashed = source_hash.floor_hash(cls.site.repo, "floor-copy")
                row.update(name="floor-copy", work=WORK["floor-copy"], source_hash=hashed)
            if row["name"] == "second":
                in_two_kernels(row)
        second = copy.deepcopy(first)
        second["shape"]["N"] = 2048
        for row in second["rows"]:
            for time in row["times"]:
                for part in (time, *time.get("kernels", ())):
                    part["rounds"] = [[2 * sample for sample in one] for one in part["rounds"]]
        draft["shapes"].append(second)

    def text(self, page):
        return text_of(self.site.page(page))

    def test_it_builds_without_a_word(self):
        self.assertEqual((self.code, self.output.strip()), (0, ""))

    def test_a_ladder_shows_its_own_columns_counts_before_factors(self):
        text = self.text("lessons/toy/index.html")
        self.assertIn("Rung | Barriers | Global bytes |", text)
        self.assertIn("Rung | Expected by barriers | by bytes | by instructions |", text)
        self.assertNotIn("Spilled", text)
        self.assertIn("| 4,096 | 163,840 |", text)

    def test_a_rung_shows_no_ratio_to_multiply_adds(self):
        text = self.text("lessons/toy/1-second/index.html")
        self.assertIn("Bytes of global memory, in sectors | - | 163,840 | - |", text)
        self.assertNotIn("Shared reads per multiply-add |", text)

    def test_each_shape_has_its_times_in_bytes_a_second(self):
        text = self.text("lessons/toy/index.html")
        self.assertEqual(text.count("| us | TB/s | x before |"), 2)
        rate = 12 * 2**20 / 345e-6 / 1e12
        self.assertIn(f"{rate:.2f} {100 * rate / 4.916736:.1f} % of memory |", text)
        self.assertIn("The memory moves 4.92 TB/s by its clock and width; what the L2 holds", text)
        self.assertIn("At K = 1024, M = 1024, N = 2048:", text)
        self.assertIn("| 690.00 ", text)
        self.assertEqual(text.count("refuted"), 2)  # both predictions, at the first shape alone
        rung = self.text("lessons/toy/1-second/index.html")
        self.assertIn("kernel | 345.00 ", rung)
        self.assertIn("kernel | 690.00 ", rung)

    def test_each_kernel_of_a_rung_of_several_stands_above_their_sum(self):
        rung = self.text("lessons/toy/1-second/index.html")
        lines = [line.split(" | ") for line in rung.splitlines()]
        of_kernels = [
            line for line in lines if re.fullmatch(r"\W*kernel( \w+)?", line[0].strip("| "))
        ]
        names = [line[0].strip("| ") for line in of_kernels][:3]
        self.assertEqual(names, ["kernel pass", "kernel finish", "kernel"])
        times = [line[2].split()[0] for line in of_kernels[:3]]
        self.assertEqual(times, ["87.00", "29.00", "116.00"])
        self.assertEqual([line[1].split()[0] for line in of_kernels[:3]], ["-", "-", "345.00"])
        ladder = self.text("lessons/toy/index.html")
        self.assertIn("pass 87.00 finish 29.00 116.00 ", ladder)
        page = self.site.page("docs/records/toy-times.html")
        self.assertIn('id="h200-1-toy-second-kernel-pass"', page)
        self.assertIn('id="h200-1-toy-1024x1024x2048-second-kernel-finish-low"', page)

    def test_a_rung_stands_beside_floor_and_memory(self):
        rung = self.text("lessons/toy/1-second/index.html")
        share = 100 * 12 * 2**20 / 116e-6 / 1e12 / 4.916736
        self.assertIn("of the floor | 9.6 % | 28.4 % |", rung)
        self.assertIn(f"| {share:.1f} % |", rung)

    def test_the_record_lists_both_shapes(self):
        page = self.site.page("docs/records/toy-times.html")
        for name in ("first-kernel", "1024x1024x2048-first-kernel"):
            self.assertIn(f'id="h200-1-toy-{name}"', page)
        counts = self.site.page("docs/records/toy.html")
        self.assertIn('id="toy-second-model-bytes"', counts)
        self.assertIn('id="toy-second-residency-held"', counts)


if __name__ == "__main__":
    unittest.main()
