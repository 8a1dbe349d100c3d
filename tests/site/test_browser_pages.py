"""Every page in a browser: wide and narrow, light and dark, without a network."""

import unittest
from urllib.parse import unquote, urldefrag, urlsplit

import browser

MOST_COLUMNS = 84  # of a lesson's code; it fits the page at 1280 pixels
# Pages of each kind, on which axe looks at the colours too; on all others only our survey does.
COLOURS_BY_AXE = (
    "index.html",
    "search.html",
    "lessons/index.html",
    "lessons/matmul/1-register-tile/index.html",
    "docs/how-to-read-a-rung.html",
)
NO_COLOURS = {"color-contrast": {"enabled": False}}


class EveryPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = browser.built_site(cls.addClassCleanup)
        cls.browser = browser.Browser(cls.site, cls.addClassCleanup)
        cls.names = [str(path.relative_to(cls.site)) for path in sorted(cls.site.rglob("*.html"))]
        cls.surveys, cls.axe, cls.folded = {}, {}, {}
        for width in browser.WIDTHS:
            page = cls.browser.open(width)
            for name in cls.names:
                page.goto(cls.browser.address(name))
                cls.folded[name] = browser.unfold(page)
                for reader in browser.COLOURS:
                    browser.choose(page, reader)
                    cls.surveys[name, width, reader] = browser.survey(page)
                    cls.look_with_axe(page, name, width, reader)
            page.context.close()

    @classmethod
    def look_with_axe(cls, page, name, width, reader):
        where = f"{name} at {width} px, {reader}"
        if name in COLOURS_BY_AXE:
            cls.axe[where] = browser.axe(page, {})
        elif (width, reader) == (390, "dark"):
            browser.thin(page)
            cls.axe[where] = browser.axe(page, NO_COLOURS)

    def each(self, width=None):
        """Yield where a survey was made, and the survey."""
        for (name, at, reader), survey in self.surveys.items():
            if width in (None, at):
                yield f"{name} at {at} px, {reader}", survey

    def assert_none(self, found):
        found = {where: what for where, what in found if what}
        lines = [f"{where}: {what}" for where, what in list(found.items())[:20]]
        self.assertFalse(found, f"{len(found)} pages\n" + "\n".join(lines))

    def test_there_are_pages(self):
        self.assertGreater(len(self.names), 50)
        self.assertGreater(len(self.axe), 50)

    def test_the_browser_complains_of_nothing_and_asks_for_nothing_outside(self):
        self.assertEqual(self.browser.complaints[:20], [])

    def test_no_page_is_wider_than_the_window(self):
        self.assert_none((where, max(0, survey["overflow"])) for where, survey in self.each())

    def test_nothing_sticks_out_of_the_window(self):
        self.assert_none((where, survey["outside"][:3]) for where, survey in self.each())

    def test_every_text_stands_out_from_its_ground(self):
        self.assert_none((where, survey["faint"][:3]) for where, survey in self.each())

    def test_the_readers_choice_beats_the_systems(self):
        for where, survey in self.each():
            with self.subTest(where):
                self.assertEqual(survey["ground"] > 0.5, where.endswith("light"))

    def test_axe_finds_nothing_serious(self):
        self.assert_none(self.axe.items())

    def test_code_of_84_columns_and_a_lessons_code_fits_its_box(self):
        for where, survey in self.each(width=1280):
            for code in survey["code"]:
                if code["columns"] <= MOST_COLUMNS or where.startswith("lessons/"):
                    self.assertTrue(code["fits"], f"{where}: {code}")

    def test_code_is_not_wrapped_and_not_small(self):
        for where, survey in self.each():
            for code in survey["code"]:
                self.assertFalse(code["wraps"], f"{where}: {code}")
                self.assertGreaterEqual(code["size"], 11, f"{where}: {code}")

    def test_all_code_but_a_difference_has_a_button_that_copies_it(self):
        for where, survey in self.each():
            for code in survey["code"]:
                self.assertEqual(code["button"], not code["difference"], f"{where}: {code}")

    def test_every_image_is_there_and_has_a_text(self):
        self.assert_none((where, survey["images"]) for where, survey in self.each())

    def test_every_figure_shows_the_one_drawing_that_fits_and_has_words_and_values(self):
        found = 0
        for where, survey in self.each():
            wide = "wide" if " at 1280 px" in where else "phone"
            for figure in survey["figures"]:
                found += 1
                with self.subTest(f"{where}: {figure['id']}"):
                    (shown,) = figure["shown"]
                    self.assertTrue(shown.endswith(f"-{wide}-{where.rpartition(' ')[2]}.svg"))
                    self.assertEqual(len(set(figure["alt"])), 1)
                    self.assertRegex(figure["alt"][0], r"\w+ .*\d.*\.$")
                    self.assertGreater(figure["rows"], 0)
                    self.assertEqual(figure["png"], 1)
        self.assertGreater(found, 3 * 4)

    def test_a_lessons_answers_are_folded_at_first(self):
        lessons = [name for name in self.names if name.count("/") == 3 and "lessons/" in name]
        self.assertGreater(len(lessons), 30)
        self.assertEqual([name for name in lessons if self.folded[name] < 3], [])

    def test_every_link_leads_to_a_file_and_an_anchor_of_the_site(self):
        ids = {}
        for name in self.names:
            ids[self.browser.address(name)] = set(self.surveys[name, 1280, "light"]["ids"])
        dead, checked = [], 0
        for name in self.names:
            for link in self.surveys[name, 1280, "light"]["links"]:
                address, anchor = urldefrag(link)
                parts = urlsplit(address)
                if parts.scheme != "file":
                    continue
                checked += 1
                path = browser.Path(unquote(parts.path))
                inside = path.is_file() and path.is_relative_to(self.site)
                if not inside or (anchor and unquote(anchor) not in ids.get(address, ())):
                    dead.append(f"{name}: {link}")
        self.assertEqual(dead[:20], [])
        self.assertGreater(checked, 1000)


if __name__ == "__main__":
    unittest.main()
