"""Strict builds with made-up measured records: what is shown of them, and what must fail."""

import json
import re
import tempfile
import unittest

from built_pages import Page, text_of
from small_site import ROWS, SmallSite, SmallSiteTest, made_up_record, write

from evidence.json_file import json_text

SECOND = "lessons/toy/1-second/second.cu"
SECOND_PAGE = "lessons/toy/1-second/README.md"
RECORD = "../../../docs/evidence/h200-1/toy.json"
SIZES = "../../../docs/evidence/h200-1/toy-sizes.json"
SITE_LADDER = "lessons/toy/index.html"
PUBLISHED = {
    "schema": "rungs-published/1",
    "study": "A study of toys",
    "machine": "another card",
    "is_not": ["It says nothing of other toys."],
    "values": [
        {
            "id": f"{name}/span",
            "operation": "a toy",
            "variant": "as told",
            "rung": f"toy/{name}",
            "instrument": "span",
            "unit": "us",
            "value": value,
        }
        for name, value in (("first", 400.0), ("second", 160.0))
    ],
}


class MeasuredSite(SmallSiteTest):
    def write(self, text):
        """Put a text into the measured part of the second rung's page."""
        self.site.edit(SECOND_PAGE, "```{rung-times}", f"{text}\n\n```{{rung-times}}")


class WithoutRecords(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.site = SmallSite(temporary.name)
        page = cls.site.repo / SECOND_PAGE
        page.write_text(page.read_text(encoding="utf-8") + "\nA study says 80.0 µs.\n")
        cls.code, cls.output = cls.site.build()

    def test_every_block_says_so_in_one_line(self):
        self.assertEqual((self.code, self.output.strip()), (0, ""))
        for page, sentence, times in (
            ("lessons/toy/1-second/index.html", "No record of a time of toy is kept yet.", 2),
            ("lessons/toy/0-first/index.html", "No record of a time of toy is kept yet.", 1),
            ("lessons/toy/index.html", "No record of a time of toy is kept yet.", 1),
            ("lessons/toy/index.html", "No record of a size sweep of toy is kept yet.", 1),
            ("lessons/toy/index.html", "No record of errors of toy is kept yet.", 1),
            ("lessons/toy/1-second/index.html", "No record of errors of toy is kept yet.", 1),
            ("docs/records/toy-times.html", "No measured record of toy is kept yet.", 1),
            ("docs/records/published.html", "No values of a study are kept yet.", 1),
        ):
            self.assertEqual(self.site.page(page).count(sentence), times, page)


class Good(unittest.TestCase):
    """One build for all that only looks at pages."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.site = SmallSite(temporary.name)
        cls.site.keep("h200-1", cls.with_gaps)
        cls.site.keep("h200-2", lambda draft: draft.update(throttled=True, date="2026-12-01"))
        cls.site.keep(
            "h200-1", name="toy-sizes", sizes=[512, 1024, 2048, 4096, 256, 128], same=1.01
        )
        published = cls.site.repo / "docs/evidence/published/toys.json"
        write(published, json_text(PUBLISHED))
        links = (
            f"A span: [123.0 us]({RECORD}#second/span), [2.97x]({RECORD}#second/factor) with\n"
            f"[0.2 %]({RECORD}#noise), and [48\n%][peer] of the library. A factor over the third\n"
            f"rung: [2.98x]({RECORD}#second/factor-of/third). `80 us` is code. Within 10 % holds.\n"
            f"At another size: [444 us]({SIZES}#2048x2048x2048/library/kernel).\n"
            "The study: [160 µs](../../../docs/evidence/published/toys.json#second/span).\n\n"
            f"[peer]: {RECORD}#second/of-peer/library\n"
        )
        cls.site.edit(SECOND_PAGE, "```{rung-times}", f"{links}\n```{{rung-times}}")
        cls.code, cls.output = cls.site.build()

    @staticmethod
    def with_gaps(draft):
        """Take one peer and one time away, each with its reason; add errors over six inputs."""
        made_up_record.accuracy(draft, *((f"mean {mean}", mean) for mean in (1, 2, 3, 4, 5, 60)))
        gone = draft["accuracy"][5]["rows"]
        gone[gone.index(next(r for r in gone if r["name"] == "library-tf32"))] = {
            "name": "library-tf32",
            "missing": "the library is not there",
        }
        for row in draft["shapes"][0]["rows"]:
            if row["name"] == "library-tf32":
                for key in ("check", "resources", "times", "counters"):
                    del row[key]
                row["missing"] = "the library is not there"
            if row["name"] == "floor-ffma":
                time = next(t for t in row["times"] if t["instrument"] == "submit")
                del time["rounds"]
                time["missing"] = "nobody submits a floor"

    def rows(self, page):
        """Return the lines of a page's tables."""
        return [line for line in text_of(self.site.page(page)).split("\n") if line.endswith("|")]

    def test_it_builds_without_a_word(self):
        self.assertEqual((self.code, self.output.strip()), (0, ""))

    def test_times_stand_beside_those_they_compare_with_in_each_record(self):
        rows = self.rows("lessons/toy/1-second/index.html")
        kernel = (
            "kernel | 345.00 344.77 to 345.23 | 116.00 115.92 to 116.08 | 55.50 55.46 to 55.54 | "
            "33.00 32.98 to 33.02 |"
        )
        self.assertEqual(rows.count(kernel), 2)
        for label in ("span", "kernel-cold", "graph-10", "submit"):
            self.assertEqual(len([r for r in rows if r.startswith(f"{label} |")]), 2, label)
        text = text_of(self.site.page("lessons/toy/1-second/index.html"))
        for title in ("h200-1 NVIDIA H200 2026-11-30", "h200-2 NVIDIA H200 2026-12-01"):
            self.assertIn(f"{title} | first | second | Best peer library | Floor floor-ffma", text)
        self.assertEqual(text.count("The GPU lowered its clock during this run."), 1)

    def test_hardware_counts_stand_beside_the_others(self):
        text = text_of(self.site.page("lessons/toy/1-second/index.html"))
        self.assertIn("| Argued | PTX | SASS | Hardware | Before: first |", text)
        row = "Shared load wavefronts | - | 16,777,216 | - | 25,165,824 | 16,777,216 |"
        self.assertIn(row, text)
        self.assertIn("hardware counts from the measured record h200-1 .", text)

    def test_what_is_missing_is_said_with_its_reason(self):
        text = text_of(self.site.page("lessons/toy/1-second/index.html"))
        self.assertIn(
            "submit | 4.00 4.00 to 4.00 | 4.00 4.00 to 4.00 | 4.00 4.00 to 4.00 | - |", text
        )
        self.assertIn("Not measured: floor-ffma (submit). nobody submits a floor", text)
        ladder = text_of(self.site.page("lessons/toy/index.html"))
        self.assertIn("Not measured: library-tf32. the library is not there", ladder)

    def test_a_verdict_has_the_expected_and_the_measured_factor(self):
        rows = self.rows("lessons/toy/1-second/index.html")
        for namespace in ("h200-1", "h200-2"):
            row = f"reads | {namespace} | 4.00x | 2.974x 2.968x to 2.980x | refuted | faster |"
            self.assertIn(row, rows)

    def test_a_verdict_leads_to_its_rule(self):
        page = self.site.page("lessons/toy/1-second/index.html")
        rule = "../../../docs/how-to-read-a-rung.html#predictions-and-verdicts"
        linked = rf'href="{rule}"><[^>]*><strong>refuted</strong>'
        self.assertEqual(len(re.findall(linked, page)), 2)

    def test_what_was_published_stands_beside_and_is_marked(self):
        rows = self.rows("lessons/toy/1-second/index.html")
        self.assertIn("Published | first | second | Factor |", " ".join(rows))
        row = "span, as reported A study of toys another card | 400.0 us | 160.0 us | 2.50x |"
        self.assertIn(row, rows)

    def test_a_ladder_shows_every_row_and_what_became_of_its_predictions(self):
        rows = self.rows("lessons/toy/index.html")
        second = (
            "Second second: kept reads 4.00x: refuted | 116.00 115.92 to 116.08 | 18.5 | "
            "2.974x 2.968x to 2.980x, faster | 47.8 % | 28.4 % |"
        )
        self.assertEqual(rows.count(second), 2)
        peer = "library peer, error 5.7e-07 | 55.50 55.46 to 55.54 | 38.7 | - | 100.0 % | 59.5 % |"
        self.assertEqual(rows.count(peer), 2)
        self.assertIn("library-tf32 peer, tf32, not FP32 | - | - | - | - | - |", rows)
        self.assertFalse([row for row in rows if "(again)" in row])

    def test_errors_over_other_inputs(self):
        for page, first in (
            ("lessons/toy/index.html", "First"),
            ("lessons/toy/1-second/index.html", "First"),
        ):
            rows = self.rows(page)
            head = "h200-1 NVIDIA H200 2026-11-30 | mean 1 | mean 2 | mean 3 | mean 4 | mean 5 |"
            self.assertIn(head, " ".join(rows))
            self.assertIn(f"{first} | 1.0e-07 | 2.0e-07 | 3.0e-07 | 4.0e-07 | 5.0e-07 |", rows)
            self.assertIn("Second | 2.0e-07 | 4.0e-07 | 6.0e-07 | 8.0e-07 | 1.0e-06 |", rows)
            self.assertIn("library | 1.2e-05 |", rows)
            self.assertIn("library-tf32 | - |", rows)
            text = text_of(self.site.page(page))
            self.assertIn("float64 at K = 1024, M = 1024, N = 1024, relative", text)
            self.assertIn("spread evenly, mean 1: A from 0 to 2; mean 2: A from 1 to 3;", text)
            self.assertIn("No error of library-tf32: the library is not there.", text)
        own = self.site.page("lessons/toy/1-second/index.html")
        self.assertEqual(own.count("<strong>Second</strong>"), 2)  # the table is in two parts
        record = self.site.page("docs/records/toy-times.html")
        row = record[record.index('id="h200-1-toy-second-error-mean-60"') :]
        self.assertIn("<td><p>1.2e-05</p>", row[: row.index("</tr>")])

    def test_two_records_are_compared(self):
        text = text_of(self.site.page("lessons/toy/index.html"))
        self.assertIn("Kernel, us | h200-1 | h200-2 | Moved |", text)
        self.assertIn("| +0.0 % |", text)
        self.assertIn("moved by more than 0.0 %", text)

    def test_a_size_sweep_has_a_column_for_each_size(self):
        rows = self.rows("lessons/toy/index.html")
        self.assertIn("h200-1 NVIDIA H200 2026-11-30 | 512 | 1024 | 2048 |", " ".join(rows))
        self.assertIn("h200-1 NVIDIA H200 2026-11-30 | 128 |", " ".join(rows))
        # third is 0.3 % slower than first at each size, which the noise hides.
        third = [row for row in rows if row.startswith("third | ") and "us" in row]
        self.assertEqual([row.count(" us ~ |") for row in third], [5, 1])
        self.assertFalse([row for row in rows if row.startswith("second | ") and "us ~" in row])
        noise = [row for row in rows if row.startswith("noise | ")]
        self.assertEqual(noise, ["noise |" + " 1.00 % |" * 4 + " 1.05 % |", "noise | 1.04 % |"])
        text = text_of(self.site.page(SITE_LADDER))
        self.assertIn("differs from itself at that size. ~: not resolved against the rung", text)
        found = [row for row in rows if row.startswith("library | 38.7 6.94 us | 38.7 55.50 us |")]
        self.assertEqual(len(found), 1)

    def test_a_number_leads_to_its_row(self):
        page = self.site.page("lessons/toy/1-second/index.html")
        record = self.site.page("docs/records/toy-times.html")
        for anchor, value, interval in (
            ("h200-1-toy-second-span", "123.00 us", "122.92 to 123.08"),
            ("h200-1-toy-second-factor-of-third", "2.983 x", "2.977 to 2.989"),
            ("h200-1-toy-second-of-peer-library", "47.84 %", ""),
            ("h200-1-toy-noise", "0.2 %", ""),
            ("h200-1-toy-sizes-2048x2048x2048-library-kernel", "444.00 us", "443.70 to 444.30"),
        ):
            self.assertTrue(f'href="../../../docs/records/toy-times.html#{anchor}"' in page, anchor)
            row = record[record.index(f'id="{anchor}"') :]
            row = row[: row.index("</tr>")]
            self.assertIn(f"<td><p>{value}</p>", row)
            self.assertEqual(
                re.findall('<span class="kind">(.*?)</span>', row)[:1], [interval][: bool(interval)]
            )

    def test_a_record_has_its_section_and_its_file(self):
        record = self.site.page("docs/records/toy-times.html")
        for page in ("1-second/index", "index"):
            html = self.site.page(f"lessons/toy/{page}.html")
            for anchor in ("record-h200-1-toy", "record-h200-2-toy"):
                self.assertIn(f'docs/records/toy-times.html#{anchor}"', html)
                self.assertIn(f'id="{anchor}"', record)
        self.assertIn("toy-times.html#record-h200-1-toy-sizes", self.site.page(SITE_LADDER))
        for name in ("h200-1/toy", "h200-2/toy", "h200-1/toy-sizes"):
            text = f"docs/evidence/{name}.json"
            link = re.search(f'href="([^"]*)"><code[^>]*><span[^>]*>{text}<', record)[1]
            kept = self.site.out / "docs/records" / link
            self.assertEqual(kept.read_bytes(), (self.site.repo / text).read_bytes())

    def test_a_wide_table_shows_that_it_scrolls(self):
        html = self.site.page(SITE_LADDER)
        wrapped = re.findall('<div class="table-wrapper[^"]*">\\s*<table ', html)
        self.assertEqual(len(wrapped), html.count("<table"))
        css = self.site.page("_static/rungs.css")
        rule = css[css.index("\n.table-wrapper {") :]
        self.assertIn("local, local, scroll, scroll", rule[: rule.index("}")])

    def test_every_link_leads_somewhere(self):
        pages = {path: Page(path) for path in self.site.out.resolve().rglob("*.html")}
        dead = []
        for page in pages.values():
            for link in page.links:
                target = page.target(link)
                if target and target[1] and target[1] not in pages[target[0]].ids:
                    dead.append(f"{page.path}: {link}")
        self.assertEqual(dead, [])

    def test_published_values_have_a_page(self):
        text = text_of(self.site.page("docs/records/published.html"))
        self.assertIn("second/span a toy; as told | span | 160.0 us |", text)
        self.assertIn("It says nothing of other toys.", text)


class Stale(MeasuredSite):
    def test_a_changed_floor_shows_a_banner_and_fails(self):
        self.site.keep("h200-1")
        self.site.edit("common/peers/floor_ffma.cu", "= from[threadIdx.x]", "= from[0]")
        self.assert_fails(
            "docs/evidence/h200-1/toy.json: toy/floor-ffma has changed since it was measured"
        )
        banner = "h200-1 measured floor-ffma from an older version of the source."
        for page in ("lessons/toy/1-second/index.html", "lessons/toy/index.html"):
            self.assertIn(banner, self.site.page(page))

    def test_a_changed_kernel_shows_a_banner_and_fails(self):
        self.site.keep("h200-1")
        self.site.edit(SECOND, "3.0f", "4.0f")
        self.site.change_record(lambda record: record.update(self.site.record()))
        self.assert_fails(
            "docs/evidence/h200-1/toy.json: toy/second has changed since it was measured; measure "
            "the ladder again"
        )
        banner = "h200-1 measured second from an older version of the source."
        for page in ("lessons/toy/1-second/index.html", "lessons/toy/index.html"):
            self.assertIn(banner, self.site.page(page))
        self.assertNotIn("an older version", self.site.page("lessons/toy/0-first/index.html"))

    def test_a_prediction_edited_since_the_first_record_is_shown_as_edited(self):
        self.site.keep("h200-1")

        def edit(record):
            record["rungs"][1]["because"][0]["why"] = "it had to be so"

        self.site.change_record(edit)
        self.assert_builds()
        page = text_of(self.site.page("lessons/toy/1-second/index.html"))
        self.assertIn("Edited since the first record was kept:", page)
        self.assertIn("the text was ‘it reads less’ in h200-1, and is ‘it had to be so’", page)
        other = self.site.page("lessons/toy/x1-third/index.html")
        self.assertNotIn("Edited since", other)

    def test_a_rung_that_is_in_no_record_is_said(self):
        self.site.keep("h200-1", rows=[r for r in ROWS if r[0] != "second"], change=forget)
        self.assert_builds()
        page = text_of(self.site.page("lessons/toy/1-second/index.html"))
        self.assertIn("second is not in the record h200-1.", page)
        self.assertIn("No record that is kept has second.", page)

    def test_a_doctored_sample_fails(self):
        self.site.keep("h200-1")
        path = self.site.repo / "docs/evidence/h200-1/toy.json"
        record = json.loads(path.read_text(encoding="utf-8"))
        record["shapes"][0]["rows"][1]["times"][0]["rounds"][0][0] -= 1
        write(path, json_text(record))
        output = self.assert_fails("toy.json", "changed after it was written")
        (said,) = [line for line in output.splitlines() if "toy.json" in line]
        self.assertTrue(said.startswith("ERROR: docs/evidence/h200-1/toy.json: sha256 is "), said)


class NumbersInProse(MeasuredSite):
    def setUp(self):
        super().setUp()
        self.site.keep("h200-1")

    def test_a_text_that_differs_fails_with_its_line(self):
        self.write(f"It takes [116.1 us]({RECORD}#second/kernel).")
        output = self.assert_fails("'116.1 us' is not what the record holds: 116 us")
        self.assertRegex(output, r"1-second/README\.md:\d+")

    def test_an_anchor_that_is_not_there_fails(self):
        self.write(f"It takes [116.0 us]({RECORD}#fourth/kernel) or [1 us]({RECORD}#second/magic).")
        self.assert_fails("the record has no row 'fourth'", "the record has no 'second/magic'")

    def test_a_record_that_is_not_there_fails(self):
        target = RECORD.replace("h200-1", "h200-9")
        self.write(f"It takes [116.0 us]({target}#second/kernel).")
        self.assert_fails("toy.json#second/kernel: cannot read toy.json")

    def test_another_unit_fails(self):
        self.write(f"It takes [116.0 %]({RECORD}#second/kernel).")
        self.assert_fails("is in %, but what the record holds is in us")

    def test_measured_numbers_that_are_no_links_fail(self):
        self.write(
            "It takes 116.0\nus, 0.116 ms, 18.5 TFLOP/s, 0.11 TB/s and 48 %. "
            "[Elsewhere](../0-first/README.md) it took 345.0 µs, or [346 us](../0-first/README.md)."
        )
        output = self.assert_fails("1-second/README.md")
        for number in ("116.0 us", "0.116 ms", "18.5 TFLOP/s", "0.11 TB/s", "48 %", "345.0 µs"):
            self.assertIn(f"'{number}' is no link to a record", output)
        self.assertIn("'346 us' is no link to a record", output)
        self.assertIn(f"write [346 us]({RECORD}#ROW/kernel)", output)

    def test_the_study_in_the_prediction_is_read_too(self):
        self.site.edit(SECOND_PAGE, "The study predicted nothing.", "The study predicted 80 us.")
        self.assert_fails("'80 us' is no link to a record")

    def test_guides_may_have_examples(self):
        self.site.edit("docs/README.md", "None.", "A kernel may take 5 us.")
        self.assert_builds()


def forget(draft):
    """Take the second rung's prediction away."""
    draft["predictions"] = [p for p in draft["predictions"] if p["rung"] != "second"]


if __name__ == "__main__":
    unittest.main()
