"""Strict builds of a small made-up repository: what must be shown, and what must fail."""

import copy
import html
import json
import re
import tempfile
import unittest

from small_site import SmallSite, SmallSiteTest

SECOND = "lessons/toy/1-second/second.cu"
SECOND_PAGE = "lessons/toy/1-second/README.md"


def cells(page):
    """Return the text of a page, with a stroke before and behind each cell of a table."""
    text = re.sub(r"<[^>]*>", " ", re.sub(r"</?t[hd]\b[^>]*>", "|", page))
    return re.sub(r"(\s*\|)+\s*", " | ", re.sub(r"\s+", " ", html.unescape(text)))


def without_work(counts):
    """Set a kernel's counts to 0, so that its rung's sums stay what they are."""
    for key, value in counts.items():
        if isinstance(value, dict):
            without_work(value)
        elif isinstance(value, list) and key == "lines":
            value.clear()
        elif isinstance(value, int) and key not in ("launches", "blocks", "threads_per_block"):
            counts[key] = 0


class Good(unittest.TestCase):
    """One build for all that only looks at pages."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.site = SmallSite(temporary.name)
        cls.before = cls.files()
        cls.code, cls.output = cls.site.build()

    @classmethod
    def files(cls):
        return sorted(str(p) for p in cls.site.repo.rglob("*"))

    def test_it_builds_without_a_word(self):
        self.assertEqual((self.code, self.output.strip()), (0, ""))

    def test_nothing_is_written_below_the_source(self):
        self.assertEqual(self.files(), self.before)

    def test_a_folders_page_is_its_index(self):
        for page in ("index.html", "lessons/toy/1-second/index.html", "docs/index.html"):
            self.assertTrue((self.site.out / page).is_file(), page)
        self.assertFalse(list(self.site.out.rglob("README*")))

    def test_links_between_pages_lead_to_folders(self):
        page = self.site.page("lessons/toy/1-second/index.html")
        self.assertIn('href="../0-first/index.html#what-was-counted"', page)

    def test_code_has_file_and_line_numbers(self):
        page = self.site.page("lessons/toy/1-second/index.html")
        self.assertIn("second.cu</span></a>, lines 5 to 8", page)
        self.assertIn('<span class="linenos">5</span>', page)
        self.assertNotIn("[kernel]", page)
        self.assertNotIn("A made-up kernel", page)

    def test_a_difference_keeps_its_signs_and_says_its_files(self):
        page = self.site.page("lessons/toy/1-second/index.html")
        self.assertIn("first.cu</span></a>, lines 5 to 8, becomes second.cu, lines 5 to 8", page)
        removed = '<span class="line removed"><span class="number">7</span>'
        added = '<span class="line added"><span class="number"></span><span class="number">7</span>'
        self.assertIn(removed + '<span class="number"></span><span class="sign">-</span>', page)
        self.assertIn(added + '<span class="sign">+</span>', page)
        self.assertEqual(page.count('class="line same"'), 3)

    def test_counts_stand_side_by_side_with_the_rung_before(self):
        page = self.site.page("lessons/toy/1-second/index.html")
        cells = "</p></td>\n<td><p>".join(["0.5", "0.5", "0.5", "2"])
        self.assertIn(f"Shared reads per multiply-add</p></td>\n<td><p>{cells}</p></td>", page)

    def test_a_prediction_is_computed_and_the_studys_is_labelled(self):
        page = self.site.page("lessons/toy/1-second/index.html")
        self.assertIn("<td><p>4.00x</p></td>", page)
        self.assertIn("What the published study predicted", page)
        slower = self.site.page("lessons/toy/x1-third/index.html")
        self.assertIn("<td><p>0.50x</p></td>", slower)

    def test_a_number_leads_to_its_row(self):
        page = self.site.page("lessons/toy/1-second/index.html")
        anchor = "toy-second-ptx-shared-load-wavefronts"
        self.assertIn(f'href="../../../docs/records/toy.html#{anchor}"', page)
        record = self.site.page("docs/records/toy.html")
        row = record[record.index(f'id="{anchor}"') :]
        self.assertIn("<td><p>16,777,216</p></td>", row[: row.index("</tr>")])
        self.assertNotIn("lines/0", record)

    def test_what_is_computed_stands_apart_from_what_is_in_the_file(self):
        page = self.site.page("docs/records/toy.html")
        start = page.index('<section id="record-second">')
        section = page[start : page.index('<section id="record-third">')]
        heading = '<h3 class="rubric">Computed from the counts of second</h3>'
        counted, computed = section.split(heading)
        self.assertIn("<p>Path in the file</p>", counted)
        self.assertIn("These are not in the file", computed)
        self.assertIn("is what a model looks at in first over", computed)
        for path, part, other in (
            ("ptx/shared_load_wavefronts", counted, computed),
            ("expected/reads", computed, counted),
            ("residency/held", computed, counted),
        ):
            self.assertIn(f">{path}<", part)
            self.assertNotIn(f">{path}<", other)

    def test_search_leaves_the_rows_of_records_out(self):
        index = self.site.page("searchindex.js")
        index = json.loads(index[index.index("{") : index.rindex("}") + 1])
        number = {page: at for at, page in enumerate(index["docnames"])}

        def pages(word):
            found = index["terms"].get(word, [])
            return found if isinstance(found, list) else [found]

        for page in ("docs/records/toy", "docs/records/toy-times"):
            self.assertFalse([word for word in index["terms"] if number[page] in pages(word)])
        self.assertIn(number["lessons/toy/1-second/index"], pages("wavefront"))

    def test_a_ladder_lists_its_rungs_and_its_asides_apart(self):
        page = self.site.page("lessons/toy/index.html")
        tables = page.split("<table")
        self.assertEqual(len(tables), 3)
        self.assertIn('href="1-second/index.html"', tables[1])
        self.assertNotIn('href="x1-third/index.html"', tables[1])
        self.assertIn('href="x1-third/index.html"', tables[2])

    def test_previous_and_next_follow_the_ladder(self):
        page = self.site.page("lessons/toy/1-second/index.html")
        self.assertIn('<a class="next-page" href="../x1-third/index.html">', page)
        self.assertIn('<a class="prev-page" href="../0-first/index.html">', page)

    def test_a_region_of_the_problems_header_is_shown_as_it_stands_there(self):
        page = self.site.page("lessons/toy/0-first/index.html")
        shown = page[: page.index("first.cu</span></a>, lines")]
        self.assertIn("toy.hpp</span></a>, lines 2 to 2", shown)
        self.assertIn(">Launch</span>", shown)


class Markers(SmallSiteTest):
    def test_a_region_of_another_file_than_the_problems_header_fails(self):
        self.site.edit("lessons/toy/0-first/README.md", ":of: problem", ":of: second")
        self.assert_fails("second", "problem")

    def test_a_missing_marker_fails(self):
        self.site.edit(SECOND, "// [/kernel]\n", "")
        self.assert_fails("second.cu", "[/kernel]", "is missing")

    def test_a_doubled_marker_fails(self):
        self.site.edit(SECOND, "// [kernel]\n", "// [kernel]\n// [kernel]\n")
        self.assert_fails("second.cu", "[kernel]", "stands 2 times")

    def test_an_unknown_region_fails(self):
        self.site.edit(SECOND_PAGE, "```{rung-code}", "```{rung-code} nothing")
        self.assert_fails("[nothing]", "is missing")

    def test_a_difference_of_nothing_fails(self):
        self.site.edit(SECOND, "3.0f", "2.0f")
        self.assert_fails(
            "the region 'kernel' of toy/second is that of first, and so shows nothing; name a "
            "region that the rung changes, such as 'constants'"
        )

    def test_a_difference_of_equal_constants_says_what_to_name(self):
        for name in ("0-first/first.cu", "1-second/second.cu"):
            self.site.edit(
                f"lessons/toy/{name}", "// [kernel]\n", "constexpr int n = 2;\n// [kernel]\n"
            )
        self.site.change_record(lambda record: record.update(self.site.record()))
        self.site.edit(SECOND_PAGE, "```{rung-diff}", "```{rung-diff} constants")
        self.assert_fails("such as 'kernel', or no region at all")


class Kernels(SmallSiteTest):
    def test_a_rung_of_two_kernels_shows_both(self):
        def add_a_kernel(record):
            counts = record["rungs"][1]["counts"]
            ptx, sass = (copy.deepcopy(counts[kind]["kernels"][0]) for kind in ("ptx", "sass"))
            for kernel in (ptx, sass):
                kernel.update(mangled="_ZN3toy6finishEPf", name="void toy::finish<toy::X>(float*)")
            without_work(ptx)
            ptx.update(blocks=1, threads_per_block=1024)
            sass.update(registers=8, bytes_in_flight=4)
            counts["ptx"]["kernels"].append(ptx)
            counts["sass"]["kernels"].append(sass)

        self.site.change_record(add_a_kernel)
        self.assert_builds()
        text = cells(self.site.page("lessons/toy/1-second/index.html"))
        self.assertIn("| Of each kernel | kernel | finish |", text)
        self.assertIn("| Threads a block | 256 | 1,024 |", text)
        self.assertIn("| Registers a thread | 40 | 8 |", text)
        first = cells(self.site.page("lessons/toy/0-first/index.html"))
        self.assertNotIn("Of each kernel", first)

    def test_a_model_of_something_that_a_rung_has_none_of_has_no_factor(self):
        def drop_barriers(record):
            second = record["rungs"][1]
            second["because"].append({"model": "barriers", "why": "none is left"})
            for counts in (second["counts"]["ptx"], *second["counts"]["ptx"]["kernels"]):
                counts["barriers"] = 0

        self.site.change_record(drop_barriers)
        self.assert_builds()
        text = cells(self.site.page("lessons/toy/1-second/index.html"))
        self.assertIn("| 4,096 | none | none |", text)


class Records(SmallSiteTest):
    def test_a_changed_kernel_makes_the_record_stale(self):
        self.site.edit(SECOND, "3.0f", "4.0f")
        self.assert_fails("toy/second has changed since it was counted")
        banner = "were made from an older version of its source"
        self.assertIn(banner, self.site.page("lessons/toy/1-second/index.html"))

    def test_a_changed_comment_does_not(self):
        self.site.edit(SECOND, "// A made-up kernel.", "// Another comment.")
        self.assert_builds()

    def test_a_rung_that_is_not_in_the_record_fails(self):
        self.site.change_record(lambda record: record["rungs"].pop())
        code, output = self.site.build()
        self.assertNotEqual(code, 0)
        sentence = (
            "docs/evidence/counts/toy.json lacks toy/third: ./course counts toy --save counts the "
            "ladder anew"
        )
        self.assertEqual(output.strip(), f"ERROR: {sentence}")

    def test_a_doctored_total_fails(self):
        def doctor(record):
            record["rungs"][1]["counts"]["ptx"]["shared_load_wavefronts"] -= 1

        self.site.change_record(doctor)
        self.assert_fails("shared_load_wavefronts", "toy.json")

    def test_a_doctored_ratio_fails(self):
        def doctor(record):
            record["rungs"][1]["counts"]["sass"]["shared_reads_per_multiply_add"] = 0.125

        self.site.change_record(doctor)
        self.assert_fails("shared_reads_per_multiply_add", "toy.json")

    def test_a_doctored_but_consistent_record_still_contradicts_the_page(self):
        def doctor(record):
            ptx = record["rungs"][1]["counts"]["ptx"]
            for place in (ptx, ptx["kernels"][0]["lines"][0]):
                place["shared_load_wavefronts"] *= 2
            ptx["kernels"][0]["shared"]["load"]["wavefronts"] *= 2
            both = ptx["shared_load_wavefronts"] + ptx["shared_store_wavefronts"]
            ptx["shared_wavefronts_per_multiply_add"] = both / ptx["multiply_adds"]

        self.site.change_record(doctor)
        self.assert_fails("'16.8 million' is not what the record holds: 33,554,432")

    def test_a_failed_check_fails(self):
        def doctor(record):
            record["rungs"][0]["check"]["passed"] = False

        self.site.change_record(doctor)
        self.assert_fails("check.passed is False")

    def test_a_missing_record_fails_with_the_command_that_makes_it(self):
        self.site.record_path.unlink()
        self.assert_fails("docs/evidence/counts/toy.json is missing: ./course counts toy --save")


class NumbersInProse(SmallSiteTest):
    def test_a_text_that_differs_fails(self):
        self.site.edit(SECOND_PAGE, "[16.8 million]", "[16.9 million]")
        self.assert_fails("README.md:15", "'16.9 million' is not what the record holds: 16,777,216")

    def test_an_expected_factor_that_differs_fails(self):
        self.site.edit(SECOND_PAGE, "[4.00x]", "[3.90x]")
        self.assert_fails("'3.90x' is not what the record holds")

    def test_a_path_that_is_not_there_fails(self):
        self.site.edit(SECOND_PAGE, "/ptx/shared_load_wavefronts", "/ptx/shared_wavefronts")
        self.assert_fails("the record has no 'ptx/shared_wavefronts'")

    def test_a_count_of_one_line_is_no_target(self):
        path = "/ptx/kernels/0/lines/0/shared_load_wavefronts"
        self.site.edit(SECOND_PAGE, "/ptx/shared_load_wavefronts", path)
        self.assert_fails("counts of one source line have no row to lead to; link to a total")

    def test_an_unknown_rung_or_model_fails(self):
        self.site.edit(SECOND_PAGE, "#second/expected/reads", "#fourth/expected/reads")
        self.assert_fails("the record has no rung 'fourth'")
        self.site.edit(SECOND_PAGE, "#fourth/expected/reads", "#second/expected/magic")
        self.assert_fails("there is no model 'magic'")

    def test_a_link_by_reference_is_compared_too(self):
        target = "../../../docs/evidence/counts/toy.json#second/sass/registers"
        text = f"\n\nIt has [40][r] registers.\n\n[r]: {target}\n"
        page = self.site.repo / SECOND_PAGE
        good = page.read_text(encoding="utf-8") + text
        page.write_text(good, encoding="utf-8")
        self.assert_builds()
        page.write_text(good.replace("[40][r]", "[41][r]"), encoding="utf-8")
        self.assert_fails("'41' is not what the record holds: 40")
        page.write_text(good.replace("[40][r]", "[40][s]"), encoding="utf-8")
        self.assert_fails("the link '[40][s]' leads nowhere")


class Links(SmallSiteTest):
    def test_a_page_that_is_not_there_fails(self):
        self.site.edit(SECOND_PAGE, "../0-first/README.md#", "../0-nothing/README.md#")
        self.assert_fails("0-nothing")

    def test_an_anchor_that_is_not_there_fails(self):
        self.site.edit(SECOND_PAGE, "#what-was-counted", "#what-was-not")
        self.assert_fails("what-was-not")


if __name__ == "__main__":
    unittest.main()
