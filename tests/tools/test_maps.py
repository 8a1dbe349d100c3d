"""The maps: each access is its kernel's line, and the bank rule gives the line's counts."""

import functools
import sys
import unittest
from collections import defaultdict

import support

from evidence import bank_rule, lessons, records

sys.path.insert(0, str(support.REPO))

from plots.accesses import layernorm, matmul, reduction  # noqa: E402
from plots.accesses.access import Access  # noqa: E402

MODULES = (matmul, layernorm, reduction)
# Of these kernels every line that reads or stores shared memory is an access here.
WHOLE = {
    ("matmul", rung, "load")
    for rung in ("baseline", "register-tile", "quad-reads", "transposed-a", "k64", "lane-map")
}


def accesses() -> dict[str, Access]:
    """Return every access that a module names, with its name."""
    return {
        f"{module.__name__.split('.')[-1]}.{name}": value
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, Access)
    }


@functools.cache
def counts(ladder: str) -> dict:
    return records.load_counts(records.counts_path(support.REPO, ladder))


@functools.cache
def source(ladder: str, rung: str) -> list[str]:
    (folder,) = [r.folder for r in lessons.rungs(support.REPO, ladder) if r.name == rung]
    text = (folder / f"{rung}.cu").read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines()]


def kernel(access: Access) -> dict:
    """Return what is counted of the kernel: the first one that its rung launches."""
    rungs = {rung["name"]: rung for rung in counts(access.ladder)["rungs"]}
    return rungs[access.rung]["counts"]["ptx"]["kernels"][0]


def line_of(access: Access) -> tuple[str, int]:
    """Return (file, line) that the counts have of an access."""
    if access.counted_at is None:
        return f"{access.rung}.cu", source(access.ladder, access.rung).index(access.line) + 1
    file, text = access.counted_at
    path = support.REPO / "lessons" / access.ladder / file
    return file, [one.strip() for one in path.read_text().splitlines()].index(text) + 1


def counted(access: Access) -> int:
    """Return the wavefronts or sectors that the record has of an access's line."""
    what = "wavefronts" if access.space == "shared" else "sectors"
    file, number = line_of(access)
    (found,) = [
        line for line in kernel(access)["lines"] if (line["file"], line["line"]) == (file, number)
    ]
    return found[f"{access.space}_{access.direction}_{what}"]


class Model(unittest.TestCase):
    def each(self, check):
        """Check every access; one that fails does not hide the others."""
        for name, access in accesses().items():
            with self.subTest(name):
                check(access)

    def expected(self, access):
        """Return (instructions, wavefronts or sectors, conflicts) of the whole launch."""
        times = kernel(access)["blocks"] * access.steps(counts(access.ladder)["shape"])
        return tuple(times * one for one in access.of_a_block())

    def test_every_ladder_has_accesses(self):
        self.assertEqual({access.ladder for access in accesses().values()},
                         set(lessons.ladders(support.REPO)))  # fmt: skip

    def test_an_access_is_a_line_of_its_kernel(self):
        def check(access):
            self.assertIn(access.line, source(access.ladder, access.rung))
            self.assertEqual(access.threads, kernel(access)["threads_per_block"])

        self.each(check)

    def test_the_rule_gives_the_counts_of_the_line(self):
        def check(access):
            if access.in_counts:
                self.assertEqual(self.expected(access)[1], counted(access))

        self.each(check)

    def test_the_lines_of_a_kernel_are_all_its_instructions_and_conflicts(self):
        totals = defaultdict(lambda: (0, 0, 0))
        for access in accesses().values():
            key = access.ladder, access.rung, access.direction
            if access.space == "shared" and key in WHOLE and access.in_counts:
                found = zip(totals[key], self.expected(access), strict=True)
                totals[key] = tuple(map(sum, found))
        self.assertEqual(set(totals), WHOLE)
        for (ladder, rung, direction), total in totals.items():
            rungs = {one["name"]: one for one in counts(ladder)["rungs"]}
            one = rungs[rung]["counts"]["ptx"]["kernels"][0]["shared"][direction]
            self.assertEqual(
                total, (one["instructions"], one["wavefronts"], one["bank_conflicts"]), rung
            )

    def test_what_is_drawn_is_one_of_the_instructions_that_were_counted(self):
        def check(access):
            self.assertIn(access.drawn, access.turns)
            self.assertTrue(any(at is not None for at in access.first))

        self.each(check)

    def test_all_instructions_of_a_line_cost_what_the_drawn_one_does(self):
        def check(access):
            instructions, paid, _ = access.of_a_block()
            drawn = access.wavefronts if access.space == "shared" else access.sectors
            if access.ladder != "reduction":  # of a tree each level is another case
                self.assertEqual(paid, instructions * drawn)

        self.each(check)

    def test_sizes_are_those_of_the_counts(self):
        shape = counts("matmul")["shape"]
        self.assertEqual({shape["K"], shape["N"]}, {matmul.ROW})
        self.assertEqual(counts("layernorm")["shape"]["width"], layernorm.WIDTH)
        grid = kernel(matmul.REGISTER_TILE_A)["grid"]
        self.assertEqual([shape["N"] // matmul.BLOCK, shape["M"] // matmul.BLOCK], grid[:2])

    def test_without_padding_each_store_meets_eight_words_in_one_bank(self):
        access = matmul.UNPADDED_STORE
        self.assertEqual({r.bank for r in access.requests}, {0, 1, 2, 3})
        self.assertEqual(bank_rule.shared(access.first, 4, "store"), (8, 7))


if __name__ == "__main__":
    unittest.main()
