"""The strip of a ladder, questions and folded answers, tries, and figures: shown, or refused."""

import json
import os
import re
import tempfile
import unittest

from small_site import SmallSite, SmallSiteTest, write

PAGE = "lessons/toy/1-second/README.md"
HTML = "lessons/toy/1-second/index.html"
TRY_FILE = "lessons/toy/1-second/try.patch"
QUESTION = "```{predict-first}\nIs it the factor of `reads`, 4.00x, or less?\n```\n\n"
FIGURE = "```{figure-of} progression\n```\n\n"
GLOSSARY = """# Glossary

## The course

```{glossary}
study
  What was published.
```

## The machine

```{glossary}
bank
  A column of shared memory.

bank conflict
  Two words of one bank.

block
  Some threads.
```
"""
TRY = """One store less.

ptx/shared_store_wavefronts: 1048576 becomes 524288
ptx/multiply_adds: stays 1073741824

--- a/lessons/toy/1-second/second.cu
+++ b/lessons/toy/1-second/second.cu
@@ -6,3 +6,2 @@
   out[0] = 1.0f;
-  out[1] = 3.0f;
 }
"""


def setUpModule():  # noqa: N802  (unittest's name)
    folder = tempfile.TemporaryDirectory(prefix="rungs-matplotlib-")
    unittest.addModuleCleanup(folder.cleanup)
    os.environ["MPLCONFIGDIR"] = folder.name  # its list of fonts takes seconds to make


def lesson(site, more=""):
    """Give the second rung's page a question, a try and more."""
    site.edit(PAGE, "```{rung-code}", f"{QUESTION}{more}```{{rung-code}}")
    site.edit(PAGE, "```{rung-verdict}\n```\n", "## Try it\n\n```{rung-try}\n```\n")
    write(site.repo / TRY_FILE, TRY)


class Shown(unittest.TestCase):
    """One build for all that only looks at pages."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.site = SmallSite(temporary.name)
        cls.site.keep("h200-1")
        cls.site.keep("h200-2")
        lesson(cls.site, FIGURE)
        write(cls.site.repo / "docs/glossary.md", GLOSSARY)
        cls.site.edit("docs/README.md", "records/toy.md\n", "glossary.md\nrecords/toy.md\n")
        words = "Bank\nconflicts of the study: `bank`, a block, banks, and a bank conflict."
        cls.site.edit(PAGE, "```{rung-code}", f"{words}\n\n```{{rung-code}}")
        (cls.site.repo / "README.md").write_text(
            "# Toys\n\nHome.\n\n<!-- figure-of progression toy -->\n", encoding="utf-8"
        )
        cls.code, cls.output = cls.site.build()

    def setUp(self):
        self.assertEqual((self.code, self.output.strip()), (0, ""))
        self.page = self.site.page(HTML)

    def test_a_rungs_page_has_a_strip_that_leads_to_the_rungs_around_it(self):
        strip = re.search(r'<nav class="ladder-strip".*?</nav>', self.page, re.DOTALL)[0]
        self.assertLess(self.page.index("</h1>"), self.page.index(strip))
        self.assertIn('<a href="../0-first/index.html">first</a>', strip)
        self.assertIn('aria-current="page"><span class="number">1</span> second<', strip)
        self.assertIn('<a href="../index.html">Toy</a>', strip)
        first = re.search(
            r'<nav class="ladder-strip".*?</nav>',
            self.site.page("lessons/toy/0-first/index.html"),
            re.DOTALL,
        )[0]
        self.assertIn('Asides from here: <a href="../x1-third/index.html">third</a>', first)
        aside = self.site.page("lessons/toy/x1-third/index.html")
        self.assertIn('an aside after <a href="../0-first/index.html">first</a>', aside)
        self.assertNotIn("ladder-strip", self.site.page("lessons/toy/index.html"))

    def test_the_strip_is_not_what_a_search_finds(self):
        text = (self.site.out / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(text[text.index("{") : text.rindex("}") + 1])
        self.assertIn(">third</a>", self.site.page("lessons/toy/0-first/index.html"))
        pages = index["terms"]["third"]
        pages = [index["docnames"][at] for at in ([pages] if isinstance(pages, int) else pages)]
        self.assertNotIn("lessons/toy/0-first/index", pages)

    def test_a_word_of_the_glossary_is_a_link_where_it_stands_first(self):
        links = re.findall(
            r'<a [^>]*href="([^"]*)"[^>]*><span class="first-use">([^<]*)<', self.page
        )
        glossary = "../../../docs/glossary.html#term-"
        self.assertEqual(
            links,
            [(f"{glossary}bank-conflict", "Bank\nconflicts"), (f"{glossary}bank", "banks")],
        )

    def test_the_navigation_numbers_the_rungs(self):
        text = re.sub(r"<[^>]+>", "", self.site.page("lessons/index.html"))
        for name in ("0 First", "1 Second", "x1 Third"):
            self.assertIn(name, text)

    def test_a_question_folds_what_answers_it_and_nothing_else(self):
        answers = re.findall(r'<details class="fold answer.*?</summary>', self.page, re.DOTALL)
        self.assertEqual(len(answers), 1, answers)  # the page has one section of that name
        self.assertIn("<summary>Show the times</summary>", answers[0])
        self.assertLess(self.page.index("Predict first"), self.page.index("Show the times"))
        self.assertLess(self.page.index(">What was measured<"), self.page.index("Show the times"))
        self.assertNotIn("fold answer", self.site.page("lessons/toy/x1-third/index.html"))
        self.assertNotRegex(self.page, r"<details[^>]* open")

    def test_other_records_and_instruments_are_there_to_unfold(self):
        for summary in ("The same in the record h200-2", "By the other instruments"):
            self.assertIn(f"<summary>{summary}</summary>", self.page)

    def test_a_try_shows_its_patch_commands_and_counts(self):
        text = re.sub(r"<[^>]+>", "", self.page)
        for part in (
            "One store less.",
            "-  out[1] = 3.0f;",
            "$ git apply lessons/toy/1-second/try.patch",
            "$ ./course run toy/second --device cpu",
            "$ git apply -R lessons/toy/1-second/try.patch",
            "1,048,576",
            "524,288",
            "the same",
        ):
            self.assertIn(part, text)
        self.assertTrue('<span class="gd">-  out[1]' in self.page, "the patch has no colours")

    def test_a_figure_has_a_picture_for_each_look_and_says_what_it_shows(self):
        for name in (HTML, "index.html"):
            page = self.site.page(name)
            figure = re.search(r'<figure class="figure-of".*?</figure>', page, re.DOTALL)[0]
            for colours in ("light", "dark"):
                part = re.search(rf'drawing only-{colours}".*?</div>', figure, re.DOTALL)[0]
                files = re.findall(r'(?:src|srcset)="([^"]+)"', part)
                self.assertEqual(len(files), 2, part)
                for file in files:
                    self.assertIn(f"-{colours}.svg", file)
                    self.assertTrue((self.site.out / name).parent.joinpath(file).is_file(), file)
                self.assertRegex(part, r'alt="h200-1 [^"]*first takes 345\.00 us')
                self.assertEqual(len(re.findall(r' width="\d+" height="\d+"', part)), 2)
            self.assertIn("In words and values", figure)
            self.assertIn("345.00", figure[figure.index("<table") :])
            png = re.search(r'href="([^"]+\.png)" download', figure)[1]
            self.assertTrue((self.site.out / name).parent.joinpath(png).is_file())
            self.assertIn("h200-1/toy.json", figure)

    def test_a_figure_is_drawn_once_for_the_pages_that_show_it(self):
        drawn = self.site.out.parent / "doctrees" / "figures"
        self.assertEqual(len([path for path in drawn.glob("*/*") if path.is_dir()]), 1)

    def test_ladders_are_listed_with_what_was_measured(self):
        text = re.sub(r"<[^>]+>", "", self.site.page("lessons/index.html"))
        self.assertRegex(text, r"first, 345\.00 us to second, 116\.00 us: 2\.97x\.")
        self.assertIn("The best peer: library, 55.50 us.", text)


class Refused(SmallSiteTest):
    def test_a_question_that_asks_nothing(self):
        lesson(self.site)
        self.site.edit(PAGE, "4.00x, or less?", "4.00x, or less.")
        self.assert_fails("predict-first: the content must end in a question mark")

    def test_a_try_that_is_missing_and_one_that_is_not_of_the_record(self):
        lesson(self.site)
        write(self.site.repo / TRY_FILE, TRY.replace("1048576 becomes", "1048577 becomes"))
        self.assert_fails("ptx/shared_store_wavefronts is 1048576 before the change, not 1048577")
        (self.site.repo / TRY_FILE).unlink()
        self.assert_fails("rung-try: cannot read", "try.patch")

    def test_a_figure_that_does_not_exist_or_has_nothing_to_draw(self):
        lesson(self.site, FIGURE)
        self.assert_fails("figure-of: no record of toy is kept")
        self.site.keep("h200-1")
        self.site.edit(PAGE, FIGURE, FIGURE.replace("progression", "regression"))
        self.assert_fails("figure-of: there is no figure 'regression'; there is ", "progression")
        self.site.edit(PAGE, "{figure-of} regression\n", "{figure-of} progression\n:record: no\n")
        self.assert_fails("figure-of: there is no record of toy called 'no'; there is h200-1")


if __name__ == "__main__":
    unittest.main()
