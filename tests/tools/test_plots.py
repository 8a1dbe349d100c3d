"""The figures: the same bytes twice, a table and words for each, nothing cut, bad input refused."""

import copy
import dataclasses
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from itertools import combinations
from pathlib import Path
from unittest import mock

import support

from evidence import measured, plotted
from evidence.errors import EvidenceError
from evidence.json_file import json_text, read_json

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
OVERLAY = "my $run & <co>"
NAMED = {
    "kernel-and-span",
    "kernel-times",
    "launches",
    "occupancy",
    "predictions",
    "progression",
    "roofline",
    "samples",
    "sizes",
    "spans",
    "time-against-counts",
}
NEEDS_MORE = {"occupancy", "roofline", "sizes", "time-against-counts"}  # than a record
LADDERS = ("layernorm", "matmul", "reduction")


def setUpModule():  # noqa: N802  (unittest's name)
    if not HAS_MATPLOTLIB:
        return
    folder = tempfile.TemporaryDirectory(prefix="rungs-matplotlib-")
    unittest.addModuleCleanup(folder.cleanup)
    os.environ["MPLCONFIGDIR"] = folder.name
    sys.path.insert(0, str(support.REPO))


def other_machine(folder, **change):
    """Write the second matmul record as a reader's own of another card; return its path."""
    record = read_json(support.REPO / "docs/evidence/h200-2/matmul.json")
    del record["sha256"]
    record["machine"]["name"] = "NVIDIA H200 of somebody with a long name"
    record.update(change)
    path = Path(folder, f"{OVERLAY}.json")
    path.write_text(json_text(measured.finish(record)), encoding="utf-8")
    return path


@unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not in this Python; ./course test installs it")
class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from plots import catalogue, files, registry, style
        from plots.series import NothingToDrawError, Series

        cls.files, cls.style, cls.figures = files, style, registry.all_figures()
        cls.series = {ladder: [Series(plotted.kept(support.REPO, ladder)[0])] for ladder in LADDERS}
        with tempfile.TemporaryDirectory() as folder:
            above = plotted.overlay(support.REPO, other_machine(folder))
        cls.with_overlay = [*cls.series["matmul"], Series(above, is_overlay=True)]
        cls.every = []  # (figure, what it is drawn of)
        for figure in cls.figures:
            for ladder in LADDERS:
                if not figure.is_of(ladder):
                    continue
                try:
                    subjects = cls.series[ladder]
                    if figure.of != "record":
                        subjects = catalogue.subjects(support.REPO, figure, ladder)
                except NothingToDrawError:
                    continue
                cls.every.append((figure, subjects))
        cls.of_records = [figure for figure in cls.figures if figure.of == "record"]
        cls.every += [(figure, cls.with_overlay) for figure in cls.of_records]
        cls.kept = {}

    def drawn(self, figure, look, subjects):
        story = figure.story(subjects)
        return story, self.files.draw(figure, look, story, subjects)

    def each(self, of=None):
        """Yield (figure, look, subjects, story, sheet), each drawn once.

        All are drawn for a phone, which is the tightest, and one of a kind wide too.
        """
        wide, narrow = (
            look for look in self.style.LOOKS if look.name in ("phone-light", "wide-light")
        )
        for figure, subjects in self.every if of is None else of:
            for look in (narrow, wide) if self.is_one_of_a_kind(figure, subjects) else (narrow,):
                key = (figure.name, look.name, *(one.sha256 for one in subjects))
                if key not in self.kept:
                    self.kept[key] = self.drawn(figure, look, subjects)
                yield figure, look, subjects, *self.kept[key]

    def is_one_of_a_kind(self, figure, subjects):
        return subjects is self.with_overlay or subjects is self.first_of(figure)

    def first_of(self, figure):
        return next(subjects for one, subjects in self.every if one is figure)

    def test_they_are_found_by_their_names(self):
        self.assertLessEqual(NAMED, {figure.name for figure in self.figures})

    def test_subjects_are_of_the_record_that_is_named_or_of_the_first(self):
        from plots import catalogue

        figure = catalogue.figure("progression")
        for of, file in (("record", "matmul.json"), ("sizes", "matmul-sizes.json")):
            kind = dataclasses.replace(figure, of=of)
            first, second = (
                catalogue.subjects(support.REPO, kind, "matmul", name)[0]
                for name in (None, "h200-2")
            )
            self.assertEqual(first.label, "h200-1 (NVIDIA H200)")
            self.assertEqual((second.source.label, second.ladder), ("h200-2", "matmul"))
            self.assertIn(support.REPO / "docs/evidence/h200-2" / file, second.files)
            self.assertNotEqual(first.sha256, second.sha256)
        (counts,) = catalogue.subjects(
            support.REPO, dataclasses.replace(figure, of="counts"), "matmul"
        )
        self.assertIn(support.REPO / "docs/evidence/counts/matmul.json", counts.files)

    def test_what_is_not_there_is_refused_in_a_sentence(self):
        from plots import catalogue
        from plots.series import NothingToDrawError

        figure = catalogue.figure("progression")
        for change, ladder, record, words in (
            ({}, "none", None, "there is no ladder 'none'"),
            ({}, "matmul", "mine", "no record of matmul called 'mine'; there is h200-1, h200-2"),
            ({"ladders": ("matmul",)}, "layernorm", None, "is of matmul, not of layernorm"),
            ({"of": "sizes"}, "layernorm", None, "no size sweep of layernorm is kept"),
        ):
            with self.assertRaisesRegex((EvidenceError, NothingToDrawError), words):
                other = dataclasses.replace(figure, **change)
                catalogue.subjects(support.REPO, other, ladder, record)
        with self.assertRaisesRegex(EvidenceError, "there is no figure 'progress'; there is .*pro"):
            catalogue.figure("progress")

    def test_png_is_written_in_the_looks_that_are_named(self):
        figure = next(f for f in self.figures if f.name == "progression")
        with tempfile.TemporaryDirectory() as folder:
            written = self.files.write(
                figure, self.series["layernorm"], Path(folder), png=("wide-light",)
            )
            suffixes = [path.suffix for path in written]
            self.assertEqual((suffixes.count(".svg"), suffixes.count(".png")), (4, 1))
            self.assertTrue(Path(folder, "progression-wide-light.png").is_file())

    def test_they_are_byte_identical_when_drawn_twice_whatever_the_reader_has_set(self):
        import matplotlib

        for number, figure in enumerate(self.figures):
            look, subjects, found = self.style.LOOKS[number % 4], self.first_of(figure), []
            for size in (9, 31):
                matplotlib.rcParams["font.size"] = size
                matplotlib.rcParams["svg.fonttype"] = "none"
                story, sheet = self.drawn(figure, look, subjects)
                svg = self.files.svg(sheet, figure.name, look, story)
                found.append((svg, self.files.as_png(sheet)))
            self.assertEqual(*found, f"{figure.name} {look.name}")

    def test_another_process_writes_the_same_bytes_in_the_looks_that_are_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-B", "-m", "plots", "matmul", "--repo", support.REPO]
            command += ["--look", "phone-dark", "--png", "wide-light", "--out", folder]
            path = f"{support.REPO}{os.pathsep}{support.REPO / 'common'}"
            subprocess.run(
                command,
                env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "7", "LC_ALL": "C"},
                check=True,
                capture_output=True,
            )
            here = Path(folder, "here")
            looks = [look for look in self.style.LOOKS if look.name == "phone-dark"]
            folders = {"record": "h200-1", "sizes": "h200-1-sizes", "counts": "counts"}
            for figure, subjects in self.every:
                if subjects[0].ladder != "matmul" or subjects is self.with_overlay:
                    continue
                there = Path(folder, "matmul", folders[figure.of])
                for path in self.files.write(figure, subjects, here, looks, png=()):
                    self.assertEqual(path.read_bytes(), (there / path.name).read_bytes(), path.name)
            self.assertFalse(list(Path(folder, "matmul").rglob("*.png")))

    def test_each_has_alt_text_and_a_table_of_the_records_values(self):
        for figure, subjects in self.every:
            with self.subTest(figure.name, title=subjects[-1].label):
                story = figure.story(subjects)
                self.assertRegex(story.alt, r"\d.*\.$")
                self.assertTrue(story.rows)
                self.assertTrue(all(len(row) == len(story.columns) for row in story.rows))
                table = json.loads(self.files.json_table(story, subjects))
                self.assertEqual((table["alt"], table["rows"]), (story.alt, story.rows))
                self.assertIn(story.alt, self.files.markdown(story))

    def test_alt_texts_state_the_findings(self):
        said = {f.name: f.story(self.series["layernorm"]).alt for f in self.of_records}
        one = self.series["layernorm"][0]
        first, last = one.time("baseline").value, one.time("persistent").value
        self.assertIn(f"baseline takes {first:.2f} us", said["progression"])
        self.assertIn(f"persistent, {last:.2f} us", said["progression"])
        self.assertIn("Inside the noise: two-warps and chan.", said["progression"])
        judged = one.judged()
        confirmed = sum(p.verdict == "confirmed" for _, p in judged)
        words = f"of {len(judged)} predictions {confirmed} confirmed"
        self.assertIn(words, said["predictions"])
        self.assertIn("the difference is inside the noise", said["samples"])
        tree = {f.name: f.story(self.series["reduction"]).alt for f in self.of_records}
        self.assertIn("Of tree the span is the shorter one.", tree["kernel-and-span"])

    def test_an_overlay_is_named_in_title_legend_words_and_table(self):
        label = self.with_overlay[1].label
        self.assertIn(OVERLAY, label)
        over = [(figure, self.with_overlay) for figure in self.of_records]
        for _, _, _, story, sheet in self.each(over):
            legend = [text.get_text() for text in sheet.legends[0].get_texts()]
            self.assertIn(label, story.title)
            self.assertIn(label, story.alt)
            self.assertTrue(any(OVERLAY in text for text in legend), legend)
            self.assertIn(OVERLAY, {row[0] for row in story.rows})

    def test_svg_has_words_own_ids_and_nothing_that_changes(self):
        of = [pair for pair in self.every if self.is_one_of_a_kind(*pair)]
        for figure, look, _, story, sheet in self.each(of):
            if look.is_wide:
                continue
            svg = self.files.svg(sheet, figure.name, look, story).decode("utf-8")
            self.assertIn("</title>", svg)
            self.assertIn(story.alt.replace("&", "&amp;").replace("<", "&lt;")[:60], svg)
            ids = re.findall(r' id="([^"]+)"', svg)
            self.assertEqual(len(ids), len(set(ids)))
            self.assertTrue(all(name.startswith(f"{figure.name}-{look.name}-") for name in ids))
            links = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', svg)
            self.assertLessEqual({a or b for a, b in links}, set(ids))
            self.assertNotRegex(svg, r"<text|dc:date|font-family|file:")

    def test_no_text_is_cut_small_or_over_another(self):
        from matplotlib.text import Text

        draw = Text.draw
        for _, look, _, story, sheet in self.each():
            texts, title = [], f"{story.title}, {look.name}"

            def noted(text, renderer, texts=texts):
                texts.append(text)
                draw(text, renderer)

            with mock.patch.object(Text, "draw", noted):
                sheet.canvas.draw()
            width, height = sheet.canvas.get_width_height()
            boxes = [
                (text.get_text(), Text.get_window_extent(text))
                for text in dict.fromkeys(texts)
                if text.get_text().strip() and text.get_visible()
            ]
            self.assertGreater(len(boxes), 8)
            for text, box in boxes:
                inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
                self.assertTrue(inside, f"{text!r} is cut in {title}")
            for (one, a), (other, b) in combinations(boxes, 2):
                overlap = a.padded(-1.5).overlaps(b.padded(-1.5))
                self.assertFalse(overlap, f"{one!r} is over {other!r} in {title}")
            self.assertGreaterEqual(min(text.get_size() for text in texts), 7.5, look.name)

    def test_phone_variants_are_narrower_and_as_wide_as_a_phone(self):
        widths = {variant.name: variant.width for variant in self.style.VARIANTS}
        self.assertLess(widths["phone"], widths["wide"] / 2)
        self.assertLessEqual(widths["phone"] * 96, 390)
        for _, look, _, _, sheet in self.each():
            self.assertEqual(sheet.get_size_inches()[0], widths[look.variant.name])

    def test_colours_differ_in_grey_and_stand_out(self):
        for palette in self.style.PALETTES:
            for one, other in combinations(palette.series, 2):
                self.assertGreater(abs(lightness(one) - lightness(other)), 15, palette.name)
            for colour in palette.series:
                self.assertGreater(contrast(colour, palette.background), 3, colour)
            for colour in (palette.ink, palette.muted):
                self.assertGreater(contrast(colour, palette.background), 4.5, colour)

    def test_nothing_is_told_by_colour_alone(self):
        marks = [*self.style.MARKS.values(), *self.style.OVERLAY_MARKS.values()]
        self.assertEqual(len(set(marks)), 6)
        look = self.style.LOOKS[0]
        ways = [(hatched, over) for hatched in (False, True) for over in (False, True)]
        self.assertEqual(len({look.bar(*way).get("hatch") for way in ways}), 4)

    def test_a_record_that_lacks_what_a_figure_shows_leaves_it_out_with_the_reason(self):
        from plots.series import NothingToDrawError, Series

        series = self.series["matmul"][0]
        record = copy.deepcopy(series.record)
        record["predictions"] = []
        for row in record["shapes"][0]["rows"]:
            row["times"] = [t for t in row.get("times", []) if t["instrument"] == "kernel"]
        bare = Series(plotted.Plotted("bare", record, series.source.settings))
        said = {}
        for figure in self.of_records:
            try:
                figure.story([bare])
            except NothingToDrawError as reason:
                said[figure.name] = str(reason)
        self.assertIn("bare holds no prediction", said["predictions"])
        self.assertIn("kernel and span", said["kernel-and-span"])
        self.assertNotIn("progression", said)


def lightness(colour):
    """Return how light a colour is in grey, 0 to 100, as CIE L* has it."""
    y = luminance(colour)
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


class Overlays(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def test_a_record_of_another_ladder_or_shape_is_refused(self):
        path = other_machine(self.folder)
        with self.assertRaisesRegex(EvidenceError, "is of the ladder matmul; it cannot be drawn"):
            plotted.overlay(support.REPO, path, "layernorm")
        above = plotted.overlay(support.REPO, path)
        below = plotted.kept(support.REPO, "layernorm")[0]
        with self.assertRaisesRegex(EvidenceError, "only records of one shape"):
            plotted.require_same_shape(below, above)

    def test_a_sweep_is_refused(self):
        path = support.REPO / "docs/evidence/h200-1/matmul-sizes.json"
        with self.assertRaisesRegex(EvidenceError, "is a sweep over sizes"):
            plotted.overlay(support.REPO, path)

    def test_a_kept_record_is_called_by_its_namespace(self):
        path = support.REPO / "docs/evidence/h200-2/matmul.json"
        self.assertEqual(plotted.overlay(support.REPO, path).label, "h200-2")


if __name__ == "__main__":
    unittest.main()
