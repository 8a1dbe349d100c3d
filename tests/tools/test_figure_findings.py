"""What the figures state, held against values worked out here from the records and counts."""

import copy
import importlib.util
import math
import statistics
import sys
import unittest

import support

from evidence import plotted
from evidence.json_file import read_json

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
LADDERS = ("layernorm", "matmul", "reduction")


def setUpModule():  # noqa: N802  (unittest's name)
    sys.path.insert(0, str(support.REPO))


def rows_of(name):
    """Return the rows of a kept record at its first shape, by name."""
    record = read_json(support.REPO / f"docs/evidence/h200-1/{name}.json")
    return {row["name"]: row for row in record["shapes"][0]["rows"]}


def samples(row, instrument="kernel", batch=1):
    """Return all warm samples of an instrument, round by round."""
    (time,) = (
        time
        for time in row["times"]
        if (time["instrument"], time["cache"], time["batch"]) == (instrument, "warm", batch)
    )
    return time["rounds"]


def median(row, instrument="kernel", batch=1):
    """Return the median of all warm samples of an instrument."""
    return statistics.median(sum(samples(row, instrument, batch), []))


@unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not in this Python; ./course test installs it")
class Findings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from plots import catalogue
        from plots.series import Series

        cls.catalogue, cls.series = catalogue, Series
        cls.kept = {ladder: plotted.kept(support.REPO, ladder)[0] for ladder in LADDERS}
        cls.counts = {
            ladder: {rung["name"]: rung["counts"]["ptx"] for rung in one.counts["rungs"]}
            for ladder, one in cls.kept.items()
        }
        cls.rows = {ladder: rows_of(ladder) for ladder in LADDERS}

    def story(self, name, ladder, change=None):
        """Return the story of a kept record; ``change`` may alter a copy of it first."""
        source = self.kept[ladder]
        if change is not None:
            record = copy.deepcopy(source.record)
            counts = change(record)
            source = plotted.Plotted("changed", record, source.settings, counts)
        return self.catalogue.figure(name).story([self.series(source)])

    def table(self, story, *columns):
        """Return these columns of a story's table, by the row's name in the second column."""
        heads = [column.heading for column in story.columns]
        at = [heads.index(name) for name in columns]
        return {row[1]: [row[index] for index in at] for row in story.rows}

    def test_a_roof_of_arithmetic_is_one_wavefront_a_cycle_or_the_ffma_floor(self):
        story = self.story("roofline", "matmul")
        floor = 2 * 1024**3 / median(self.rows["matmul"]["floor-ffma"]) / 1e6
        found = self.table(story, "TFLOP/s", "of that roof", "lowest roof")
        for name in ("baseline", "transposed-a", "async-copy"):
            ptx = self.counts["matmul"][name]
            each = ptx["multiply_adds"] / (
                ptx["shared_load_wavefronts"] + ptx["shared_store_wavefronts"]
            )
            rate = 2 * 1024**3 / median(self.rows["matmul"][name]) / 1e6
            cycle = 2 * 132 * 1980e6 * each / 1e12
            self.assertAlmostEqual(found[name][0], rate)
            self.assertAlmostEqual(found[name][1], 100 * rate / min(cycle, floor))
            self.assertIn("floor-ffma" if floor < cycle else "wavefront", found[name][2])
        self.assertIn(f"{found['baseline'][1]:.0f} % of its roof", story.alt)

    def test_a_roof_of_memory_is_a_floor_or_bytes_in_flight_over_the_shortest_turnover(self):
        story = self.story("roofline", "reduction")
        shortest = 132 * 8192 / (2**30 / (median(self.rows["reduction"]["shuffles"]) / 1e6))
        floor = 2**30 / median(self.rows["reduction"]["floor-read"]) / 1e6
        found = self.table(story, "TB/s of input read", "of that roof", "lowest roof")
        for name, flying in (("tree", 8192), ("shuffles", 8192), ("last-block", 131072)):
            rate = 2**30 / median(self.rows["reduction"][name]) / 1e6
            roof = min(floor, 132 * flying / shortest / 1e12)
            self.assertAlmostEqual(found[name][0], rate)
            self.assertAlmostEqual(found[name][1], 100 * rate / roof)
        self.assertIn("shuffles aside, by which the slanted roof is drawn", story.alt)
        self.assertIn("are 4 of 6 numbered rungs", story.alt)

    def test_time_against_counts_says_how_far_each_rung_is_off_the_line(self):
        story = self.story("time-against-counts", "matmul")
        off = {(row[1], row[2]): row[-1] for row in story.rows}
        reads = {
            name: ptx["shared_reads_per_multiply_add"]
            for name, ptx in self.counts["matmul"].items()
        }
        times = {name: median(self.rows["matmul"][name]) for name in reads}
        for name in ("quad-reads", "k64", "padded-rows"):
            line = times["baseline"] * reads[name] / reads["baseline"]
            self.assertAlmostEqual(off["reads", name], times[name] / line)
        numbered = ("register-tile", "quad-reads", "transposed-a", "k64", "lane-map", "async-copy")
        near = [n for n in numbered if abs(math.log(off["wavefronts", n])) <= math.log(1.1)]
        self.assertIn(f"By wavefronts, {len(near)} of 6 numbered rungs after baseline", story.alt)
        far = max(numbered, key=lambda name: abs(math.log(off["reads", name])))
        self.assertIn(f"furthest off is {far}, which takes {off['reads', far]:.2f}x", story.alt)

    def test_more_bytes_in_flight_are_said_to_take_less_time(self):
        story = self.story("time-against-counts", "layernorm")
        line = {(row[1], row[2]): row[-2] for row in story.rows}
        first = median(self.rows["layernorm"]["baseline"])
        self.assertAlmostEqual(line["loads-in-flight", "persistent"], first * 24576 / 49152)

    def test_kernel_times_are_sorted_and_count_only_fp32_peers(self):
        story = self.story("kernel-times", "matmul")
        times = [row[3] for row in story.rows]
        self.assertEqual(times, sorted(times))
        kinds = self.table(story, "kind")
        self.assertEqual(kinds["cublas-tf32"], ["peer, TF32"])
        self.assertEqual(kinds["half-sectors"], ["rejected, aside"])
        self.assertIn("Of 4 FP32 peers 1 is faster: cublaslt-best.", story.alt)
        self.assertIn("Inside the noise of the fastest rung: triton.", story.alt)
        layernorm = self.story("kernel-times", "layernorm")
        self.assertIn("the fastest rung is persistent, 5.02 us", layernorm.alt)
        self.assertIn("Not measured: floor-ffma (h200-1).", layernorm.notes)

    def test_spans_say_how_far_their_rounds_are_off(self):
        story = self.story("spans", "matmul")
        found = self.table(story, "lowest, off the median", "highest, off the median")
        row = self.rows["matmul"]["torch"]
        means = [statistics.fmean(one) for one in samples(row, "span")]
        for value, mean in zip(found["torch"], (min(means), max(means)), strict=True):
            self.assertAlmostEqual(value, 100 * (mean / median(row, "span") - 1))
        calm = [name for name, (low, high) in found.items() if max(-low, high) <= 1]
        self.assertIn(f"Of {len(calm)} all round means are within 1 % of the median", story.alt)

    def test_a_launch_costs_what_is_beyond_the_graph_with_most_operations(self):
        story = self.story("launches", "layernorm")
        row = self.rows["layernorm"]["torch-compiled"]
        least = median(row, "graph", 100)
        found = {(one[1], one[3]): one[-1] for one in story.rows}
        beyond = median(row, "queued", 10) - least
        self.assertAlmostEqual(found["torch-compiled", "queued-10"], beyond)
        self.assertAlmostEqual(found["torch-compiled", "submit"], median(row, "submit"))
        self.assertIn(f"{median(row, 'submit'):.2f} us of the host to submit it", story.alt)
        self.assertEqual(
            list(dict.fromkeys(one[1] for one in story.rows)),
            ["baseline", "persistent", "torch-compiled"],
        )

    def test_a_launch_of_two_kernels_and_a_crowded_kernel_time_are_said(self):
        story = self.story("launches", "reduction")
        self.assertEqual(self.table(story, "kernels an operation")["tree"], [2])
        self.assertIn("tree (slowest numbered rung, 2 kernels an operation)", story.alt)
        self.assertTrue(any("Of tree (h200-1) kernel is left out" in note for note in story.notes))

    def test_sizes_compare_the_best_rung_with_the_best_peer_at_each_size(self):
        figure = self.catalogue.figure("sizes")
        subjects = self.catalogue.subjects(support.REPO, figure, "matmul")
        story = figure.story(subjects)
        record = read_json(support.REPO / "docs/evidence/h200-1/matmul-sizes.json")
        entry = record["shapes"][-1]
        times = {row["name"]: median(row) for row in entry["rows"] if row["again_of"] is None}
        peers = {row["name"] for row in entry["rows"] if row["kind"] == "peer"}
        best = min(peers, key=times.get)
        rung = min(times.keys() - peers, key=times.get)
        words = f"at 4,096 {rung} does {2 * 4096**3 / times[rung] / 1e6:.1f} TFLOP/s, "
        self.assertIn(f"{words}{times[best] / times[rung]:.2f}x of {best}'s", story.alt)
        self.assertIn("one order over all sizes", story.alt)

    def test_occupancy_names_what_limits(self):
        figure = self.catalogue.figure("occupancy")
        story = figure.story(self.catalogue.subjects(support.REPO, figure, "layernorm"))
        found = self.table(story, "threads held", "limited by")
        self.assertEqual(found["persistent"], [512, "registers"])
        self.assertEqual(found["one-warp"], [1024, "grid"])
        full = [name for name, (threads, _) in found.items() if threads == 2048]
        self.assertIn(f"{len(full)} of {len(found)} rungs fill", story.alt)
        self.assertIn("Fewest are held of persistent, 512, by registers.", story.alt)

    def test_a_record_that_lacks_what_a_figure_needs_leaves_it_out_with_the_reason(self):
        from plots.series import NothingToDrawError

        def without(instrument):
            def change(record):
                for row in record["shapes"][0]["rows"]:
                    times = row.get("times", [])
                    row["times"] = [t for t in times if t["instrument"] != instrument]
                return self.kept["matmul"].counts

            return change

        for name, change, words in (
            ("roofline", lambda record: None, "no counts of matmul are kept"),
            ("time-against-counts", lambda record: None, "no counts of matmul are kept"),
            ("roofline", without("kernel"), "no numbered rung of changed has a kernel time"),
            ("time-against-counts", without("kernel"), "no two numbered rungs with a kernel time"),
            ("kernel-times", without("kernel"), "no rung of changed has a kernel time"),
            ("spans", without("span"), "no row of changed has a span"),
            ("launches", without("graph"), "no numbered rung of changed was timed as a graph"),
        ):
            with self.subTest(name), self.assertRaisesRegex(NothingToDrawError, words):
                self.story(name, "matmul", change)


@unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not in this Python; ./course test installs it")
class Labels(unittest.TestCase):
    def test_no_line_to_a_name_goes_through_another_name_or_point(self):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.path import Path
        from matplotlib.text import Text
        from matplotlib.transforms import Bbox
        from plots import labels
        from plots.style import LOOKS

        figure = Figure(figsize=(3, 3), dpi=100)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, 1), ylim=(0, 1))
        points = [(0.4 + 0.03 * (at % 5), 0.4 + 0.05 * (at // 5)) for at in range(20)]
        named = [(x, y, f"x{at}") for at, (x, y) in enumerate(points)]
        labels.place(axes, LOOKS[0], points, named)
        figure.canvas.draw()
        words = [text for text in axes.texts if text.arrow_patch is not None]
        self.assertGreater(len(words), 3)
        for one in words:
            ends = one.arrow_patch.get_path().vertices
            line = Path(one.arrow_patch.get_transform().transform(ends[[0, -1]]))
            for point in points:
                if math.dist(point, one.xy) > 0.035:
                    x, y = axes.transData.transform(point)
                    mark = Bbox([[x - 4, y - 4], [x + 4, y + 4]])
                    said = f"the line of {one.get_text()} goes through a point"
                    self.assertFalse(line.intersects_bbox(mark, False), said)
            for other in axes.texts:
                if other is not one:
                    box = Text.get_window_extent(other)
                    said = f"the line of {one.get_text()} goes through {other.get_text()}"
                    self.assertFalse(line.intersects_bbox(box, False), said)


if __name__ == "__main__":
    unittest.main()
