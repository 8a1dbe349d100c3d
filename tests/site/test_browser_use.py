"""What a reader does on the site: search, the keyboard, copying, light and dark."""

import re
import unittest

import browser
import small_site

from evidence import lessons

RUNG = "lessons/matmul/3-transposed-a/index.html"
HITS_IN_VIEW = 10
# What a reader asks, and the page that must be among the first five.
ASKED = {
    "--json": "docs/your-card",
    "TF32": "docs/glossary",
    "add a ladder": "docs/adding",
    "add a rung": "docs/adding",
    "bank conflict": "docs/warps-banks-sectors",
    "cp.async": "lessons/matmul/6-async-copy/index",
    "data pipe": "docs/four-counts",
    "how to add a kernel": "docs/adding",
    "not resolved": "docs/noise",
    "warp divergence": "docs/cpu-device",
}
ROWS = [
    f"docs/records/{name}{end}"
    for name in ("layernorm", "matmul", "reduction")
    for end in ("", "-times")
]
# Where the keyboard is: the part of the page, and whether a reader sees it.
FOCUS = """() => {
    const at = document.activeElement, box = at.getBoundingClientRect();
    const style = getComputedStyle(at);
    const part = at.matches("input[name=q]") ? "search"
        : at.closest(".sidebar-tree") ? "navigation"
        : at.closest("article") ? "content"
        : at.closest(".toc-drawer") ? "contents" : "other";
    const inside = box.right > 0 && box.left < innerWidth
        && box.bottom > 0 && box.top < innerHeight;
    const marked = style.outlineStyle !== "none" || style.boxShadow !== "none" || part === "search";
    return { part, seen: inside && marked, html: at.outerHTML.slice(0, 100) };
}"""
HITS = "() => [...document.querySelectorAll('#search-results li a')].map(link => link.href)"
FIND = """query => {
    const found = Search._performSearch(...Search._parseQuery(query));
    return found.reverse().map(([name, title, anchor]) => name + (anchor || ""));
}"""


class Use(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = browser.built_site(cls.addClassCleanup)
        cls.browser = browser.Browser(cls.site, cls.addClassCleanup)

    def setUp(self):
        self.browser.complaints.clear()

    def open(self, name, width=1280, **how):
        page = self.browser.open(width, **how)
        self.addCleanup(page.context.close)
        page.goto(self.browser.address(name))
        return page

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [])

    def open_search(self):
        """Return the search page with its index loaded."""
        page = self.open("search.html")
        page.goto(self.browser.address("search.html") + "?q=matmul")
        page.wait_for_selector("#search-results li a")
        return page

    def rungs(self):
        for ladder in lessons.ladders(small_site.REPO):
            for rung in lessons.rungs(small_site.REPO, ladder):
                title = re.match(r"# (.*)", rung.page.read_text(encoding="utf-8"))[1]
                yield title, f"lessons/{ladder}/{rung.folder.name}/index"

    def test_the_search_box_leads_to_the_page(self):
        page = self.open(RUNG)
        page.fill("input[name=q]", "transposed A")
        page.press("input[name=q]", "Enter")
        page.wait_for_selector("#search-results li a")
        page.wait_for_timeout(300)
        hits = [link.partition("?")[0].partition("#")[0] for link in page.evaluate(HITS)]
        self.assertIn(self.browser.address(RUNG), hits[:HITS_IN_VIEW])

    def test_search_finds_every_rung_by_its_title(self):
        page = self.open_search()
        missed = []
        for title, name in self.rungs():
            found = [hit.partition("#")[0] for hit in page.evaluate(FIND, title)]
            if name not in found[:HITS_IN_VIEW]:
                missed.append(f"{title}: {found[:3]}")
        self.assertEqual(missed, [])

    def test_search_finds_the_page_for_what_a_reader_asks(self):
        page = self.open_search()
        for query, wanted in ASKED.items():
            found = [hit.partition("#")[0] for hit in page.evaluate(FIND, query)]
            with self.subTest(query):
                self.assertIn(wanted, found[:5])
                self.assertEqual([name for name in found if name in ROWS], [])

    def test_search_finds_names_of_the_api(self):
        page = self.open("docs/api.html")
        names = page.evaluate(
            "() => [...document.querySelectorAll('dt.sig-object .sig-name.descname')]"
            ".map(name => name.textContent)"
        )
        self.assertGreater(len(names), 50)
        page = self.open_search()
        for name in sorted(set(names))[::10]:
            with self.subTest(name):
                found = page.evaluate(FIND, name)[:HITS_IN_VIEW]
                self.assertTrue(any(hit.startswith("docs/api") for hit in found), found)

    def test_search_finds_each_message_and_each_word(self):
        page = self.open_search()
        for name, pattern in (("troubleshooting", r"^### `(.*)`$"), ("glossary", r"^(\w.*)\n  \w")):
            text = (small_site.REPO / "docs" / f"{name}.md").read_text(encoding="utf-8")
            asked = re.findall(pattern, text, re.MULTILINE)
            self.assertGreater(len(asked), 30)
            for query in asked:
                found = [hit.partition("#")[0] for hit in page.evaluate(FIND, query)]
                with self.subTest(query):
                    self.assertIn(f"docs/{name}", found[: 2 * HITS_IN_VIEW])

    def test_tab_reaches_search_navigation_and_content_and_is_seen(self):
        page = self.open(RUNG)
        parts, hidden = [], []
        for _ in range(120):
            page.keyboard.press("Tab")
            focus = page.evaluate(FOCUS)
            parts.append(focus["part"])
            if focus["part"] in ("search", "navigation", "content") and not focus["seen"]:
                hidden.append(focus["html"])
            if focus["part"] == "content":
                break
        self.assertEqual([p for p in ("search", "navigation", "content") if p not in parts], [])
        self.assertEqual(hidden, [])

    def test_the_first_tab_leads_past_the_navigation(self):
        for width in browser.WIDTHS:
            page = self.open(RUNG, width)
            page.keyboard.press("Tab")
            while "sidebar-toggle" in page.evaluate("document.activeElement.className"):
                page.keyboard.press("Tab")
            self.assertIn("Skip to content", page.evaluate("document.activeElement.textContent"))
            page.keyboard.press("Enter")
            page.keyboard.press("Tab")
            self.assertEqual(page.evaluate(FOCUS)["part"], "content")

    def test_what_scrolls_sideways_is_reached_and_moved_by_keys(self):
        page = self.open(RUNG, 390)
        boxes = page.locator("article [tabindex='0']")
        self.assertGreater(boxes.count(), 0)
        boxes.first.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("document.activeElement.scrollLeft > 0")

    def test_commands_are_copied_without_prompts_and_output(self):
        copied = 0
        for name in ("index.html", RUNG):
            page = self.open(name)
            browser.unfold(page)
            page.evaluate("document.body.append(document.createElement('textarea'))")
            blocks = page.locator("article div.highlight:not(.rung-diff div.highlight)")
            for i in range(blocks.count()):
                block = blocks.nth(i)
                block.hover()
                block.locator("button.copybtn").click()
                paste = page.locator("textarea")
                paste.fill("")
                paste.press("Control+V")
                text = paste.input_value()
                expected = block.evaluate(
                    """block => {
                        const copy = block.querySelector("pre").cloneNode(true);
                        copy.querySelectorAll(".gp, .go, .linenos").forEach(x => x.remove());
                        return copy.textContent;
                    }"""
                )
                self.assertEqual(text.strip(), expected.strip())
                self.assertNotRegex(text, r"(?m)^\$ ")
                copied += 1
        self.assertGreater(copied, 3)

    def test_the_keyboard_sees_the_copy_button(self):
        page = self.open(RUNG)
        button = page.locator("button.copybtn").first
        page.keyboard.press("Tab")
        button.focus()
        self.assertEqual(button.evaluate("b => getComputedStyle(b).opacity"), "1")
        self.assertTrue(button.get_attribute("aria-label") or button.get_attribute("data-tooltip"))

    def test_the_toggle_is_remembered_and_beats_the_system(self):
        for system in ("light", "dark"):
            page = self.open(RUNG, system=system)
            other = browser.COLOURS[system]
            for _ in range(3):
                page.locator(".theme-toggle:visible").first.click()
                if page.evaluate("document.body.dataset.theme") == other:
                    break
            self.assertEqual(page.evaluate("document.body.dataset.theme"), other)
            page.goto(self.browser.address("index.html"))
            self.assertEqual(page.evaluate("document.body.dataset.theme"), other)
            self.assertEqual(browser.survey(page)["ground"] > 0.5, other == "light")

    def test_next_leads_through_a_ladder_and_previous_back(self):
        for ladder in lessons.ladders(small_site.REPO):
            folders = [rung.folder.name for rung in lessons.rungs(small_site.REPO, ladder)]
            page = self.open(f"lessons/{ladder}/index.html")
            for link, names in (("next", folders), ("prev", folders[-2::-1])):
                for name in names:
                    page.locator(f".related-pages a.{link}-page").click()
                    address = self.browser.address(f"lessons/{ladder}/{name}/index.html")
                    self.assertEqual(page.url.partition("#")[0], address)

    def test_a_page_reads_without_script(self):
        page = self.open(RUNG, script=False)
        strip = page.locator(".ladder-strip")
        self.assertTrue(strip.is_visible())
        self.assertTrue(page.locator(".predict-first").is_visible())
        answer = page.locator("details.answer").first
        self.assertFalse(answer.locator("table").first.is_visible())
        answer.locator("summary").click()
        self.assertTrue(answer.locator("table").first.is_visible())
        strip.locator("a", has_text="k64").click()
        self.assertTrue(page.url.endswith("/4-k64/index.html"))
        page = self.open("lessons/matmul/index.html", script=False)
        drawings = page.locator("figure.figure-of").first.locator("img")
        self.assertEqual([drawings.nth(i).is_visible() for i in range(2)], [True, False])

    def test_only_the_drawings_that_are_shown_are_loaded(self):
        for width, system, look in ((1280, "light", "wide-light"), (390, "dark", "phone-dark")):
            page = self.browser.open(width, system=system, lazy=True)
            self.addCleanup(page.context.close)
            asked = []
            page.on("request", lambda request, to=asked: to.append(request.url))
            page.goto(self.browser.address("lessons/matmul/index.html"))
            figures = page.locator("figure.figure-of")
            for i in range(figures.count()):
                figures.nth(i).scroll_into_view_if_needed()
                page.wait_for_timeout(100)
            drawings = [url for url in asked if "/_images/" in url]
            self.assertGreaterEqual(len(drawings), figures.count())
            self.assertEqual([d for d in drawings if not d.endswith(f"-{look}.svg")], [])

    def test_the_keyboard_unfolds_an_answer(self):
        page = self.open(RUNG)
        answer = page.locator("details.answer").first
        answer.locator("summary").focus()
        page.keyboard.press("Enter")
        self.assertTrue(answer.locator("table").first.is_visible())

    def test_the_navigation_opens_on_a_phone(self):
        page = self.open(RUNG, 390)
        page.locator("label.nav-overlay-icon").click()
        page.wait_for_function(
            "document.querySelector('.sidebar-drawer').getBoundingClientRect().left >= 0"
        )
        page.locator(".sidebar-tree a.reference").first.click()
        page.wait_for_url(lambda url: RUNG not in url)


if __name__ == "__main__":
    unittest.main()
