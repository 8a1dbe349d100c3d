"""The maps: each access is its kernel's line, and the bank rule gives the line's counts."""

import functools
import importlib.util
import os
import sys
import tempfile
import unittest
from collections import defaultdict

import support

from evidence import bank_rule, lessons, records, tries

sys.path.insert(0, str(support.REPO))

from plots.accesses import layernorm, matmul, reduction  # noqa: E402
from plots.accesses.access import Access  # noqa: E402

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
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

    def test_the_try_without_padding_counts_what_the_rule_gives(self):
        padded, unpadded = matmul.TRANSPOSED_STORE, matmul.UNPADDED_STORE
        (path,) = (support.REPO / "lessons/matmul").glob("*-transposed-a/try.patch")
        changes = {one.path: one for one in tries.load(path).changes}
        change = changes["ptx/shared_store_wavefronts"]
        more = 4 * (self.expected(unpadded)[1] - self.expected(padded)[1])  # k + 0 to k + 3
        self.assertEqual(int(change.after) - int(change.before), more)


@unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not in this Python; ./course test installs it")
class Drawn(unittest.TestCase):
    """Maps and schematics, drawn of the counts that are kept; test_plots looks at their sheets."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rungs-matplotlib-")
        cls.addClassCleanup(folder.cleanup)
        os.environ["MPLCONFIGDIR"] = folder.name
        from plots import catalogue, registry

        cls.figures = {
            one.name: (one, catalogue.subjects(support.REPO, one, one.ladders[0]))
            for one in registry.all_figures()
            if one.name.startswith(("map-", "schematic-"))
        }

    def story(self, name):
        figure, subjects = self.figures[name]
        return figure.story(subjects)

    def test_each_is_of_the_counts_of_one_ladder(self):
        self.assertGreater(len(self.figures), 10)
        for name, (figure, _) in self.figures.items():
            self.assertEqual((figure.of, len(figure.ladders)), ("counts", 1), name)

    def test_a_map_states_what_the_counts_of_its_line_say(self):
        for name, accesses in {
            "map-padded-rows": (matmul.REGISTER_TILE_A, matmul.PADDED_ROWS_A),
            "map-lane-stores": (matmul.K64_STORE, matmul.LANE_MAP_STORE),
            "map-stores-of-c": (matmul.REGISTER_TILE_C, matmul.PLAIN_SOURCE_C),
        }.items():
            alt = self.story(name).alt
            for access in accesses:
                steps = kernel(access)["blocks"] * access.steps(counts("matmul")["shape"])
                each = counted(access) // (steps * access.of_a_block()[0])
                what = "wavefront" if access.space == "shared" else "sector"
                self.assertRegex(alt, rf": {each} {what}s?\b", name)

    def test_schematics_say_what_the_counts_argue(self):
        reads = {
            rung["name"]: rung["counts"]["argued"]["shared_reads_per_multiply_add"]
            for rung in counts("matmul")["rungs"]
        }
        self.assertIn(
            f"{reads['register-tile']:g} for each", self.story("schematic-register-tile").alt
        )
        fall = f"from {reads['quad-reads']:g} to {reads['transposed-a']:g}"
        self.assertIn(fall, self.story("schematic-transposed-a").alt)
        self.assertIn("8 barriers", self.story("schematic-tree-shuffles").alt)

    def test_the_tile_on_its_side_is_stored_where_it_is_read(self):
        from plots.figures import schematic_transposed_a as schematic

        for thread in range(0, 256, 7):
            row, k = thread // 8, thread % 8 * 4
            word = matmul.TRANSPOSED_STORE.offset(thread, 0) // matmul.WORD
            self.assertEqual(schematic._on_its_side(row, k), word)

    def test_the_pieces_of_a_row_are_the_row(self):
        from plots.figures import schematic_row_warps as schematic

        for row in schematic._ROWS:
            firsts = [column for column, *_ in row.pieces]
            self.assertEqual(firsts, list(range(0, layernorm.WIDTH, 128)), row.name)

    def test_a_bank_map_has_a_cell_for_each_bank_that_serves(self):
        from plots.bank_maps import Side

        side = Side("lane map", matmul.LANE_MAP_B)
        self.assertEqual([cell.length for cell in side.cells], [4] * 8)
        self.assertEqual({cell.row for cell in side.cells}, {0, 1})
        self.assertEqual(side.cells[0].lanes, (0, 2, 8, 10))
        worst = Side("stores", matmul.K64_STORE).cells
        self.assertEqual(sum(cell.is_marked for cell in worst), 32 - 4)

    def test_a_sector_map_has_every_byte_of_its_sectors(self):
        from plots.sector_maps import Side

        side = Side("half sectors", matmul.HALF_SECTORS_FETCH)
        self.assertEqual((side.access.sectors, side.asked_for, side.used), (16, 32, 512))
        self.assertEqual([len(uses) for _, uses in side.groups], [8] * 4)


if __name__ == "__main__":
    unittest.main()
