"""The system's Chromium, led by Playwright, on the built site: it sees files and no network."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import small_site

HERE = Path(__file__).resolve().parent
NEEDED = ("playwright", "axe_playwright_python")
NAMES = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = {1280: 900, 390: 844}  # and the height
COLOURS = {"light": "dark", "dark": "light"}  # the reader's choice: the system's, against it
_SURVEY = (HERE / "page_survey.js").read_text(encoding="utf-8")
# Nothing moves or comes later: a test sees a colour, a place or an image once it is final.
_STILL = """addEventListener("DOMContentLoaded", () => {
  const style = document.createElement("style");
  style.textContent =
    "*, *::before, *::after { transition: none !important; animation: none !important }";
  document.head.append(style);
});"""
_AT_ONCE = """addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("img[loading]").forEach(image => { image.loading = "eager"; });
});"""


def chromium():
    """Return the path of the system's Chromium; None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def reason_to_skip():
    """Return why there is no browser to test with, in one sentence; empty if there is one."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return f"Python lacks {', '.join(missing)}: ./course setup --all installs them"
    program = chromium()
    if program is None:
        return f"there is no {', '.join(NAMES)} on PATH: ./course setup --all installs Chromium"
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    if done.returncode != 0:
        return f"{program} does not start: {(done.stderr or done.stdout).strip()[:200]}"
    return ""


def built_site(cleanup):
    """Return the folder of this repository's built site.

    It is RUNGS_BUILT_SITE's, where the tests of the build have left it; else it is built here, and
    ``cleanup`` (addClassCleanup) is told how to remove it.
    """
    kept = os.environ.get("RUNGS_BUILT_SITE")
    if kept and (Path(kept) / "index.html").is_file():
        return Path(kept).resolve()
    temporary = tempfile.TemporaryDirectory()
    cleanup(temporary.cleanup)
    out = Path(temporary.name).resolve() / "a büilt site"
    code, output = small_site.build(small_site.REPO, out)
    if code != 0:
        raise AssertionError(f"the site does not build: {output}")
    return out


class Browser:
    """One Chromium and one page in it; ``complaints`` are what it and the site have to say."""

    def __init__(self, site, cleanup):
        from playwright.sync_api import sync_playwright

        self.site, self.complaints = site, []
        playwright = sync_playwright().start()
        cleanup(playwright.stop)
        self._chromium = playwright.chromium.launch(executable_path=chromium())
        cleanup(self._chromium.close)

    def open(self, width, system="light", reader=None, script=True, lazy=False):
        """Return a new page of this width; ``system`` and ``reader`` choose light or dark.

        Without ``script`` the browser runs none of the page's. Images are loaded at once unless
        ``lazy``.
        """
        context = self._chromium.new_context(
            viewport={"width": width, "height": WIDTHS[width]},
            color_scheme=system,
            reduced_motion="reduce",
            offline=True,
            java_script_enabled=script,
        )
        context.add_init_script(_STILL)
        if not lazy:
            context.add_init_script(_AT_ONCE)
        if reader is not None:
            context.add_init_script(f"localStorage.setItem('theme', '{reader}')")
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._complain(page.url, str(error)))
        page.on("requestfailed", lambda request: self._complain(page.url, f"no {request.url}"))
        page.on("request", lambda request: self._on_request(page, request))
        return page

    def address(self, name):
        """Return the address of a page, for example ``docs/api.html``."""
        return (self.site / name).as_uri()

    def _on_console(self, message):
        if message.type in ("error", "warning"):
            self._complain(message.location.get("url", ""), message.text)

    def _on_request(self, page, request):
        if not request.url.startswith((self.site.as_uri() + "/", "data:")):
            self._complain(page.url, f"asks for {request.url}")

    def _complain(self, url, text):
        self.complaints.append(f"{url.removeprefix(self.site.as_uri() + '/')}: {text}")


def choose(page, reader):
    """Make the reader's choice ``reader`` and the system's the other one, on an open page."""
    page.emulate_media(color_scheme=COLOURS[reader], reduced_motion="reduce")
    page.evaluate("theme => { document.body.dataset.theme = theme; }", reader)


def unfold(page):
    """Open everything that the page keeps folded; return how much that is."""
    return page.evaluate("""() => {
        const folds = [...document.querySelectorAll("details:not([open])")];
        folds.forEach(fold => { fold.open = true; });
        return folds.length;
    }""")


def survey(page):
    """Return what page_survey.js finds on the page as it stands."""
    return page.evaluate(_SURVEY)


def thin(page):
    """Take from an open page what only repeats: words of code, rows, tables, navigation.

    axe takes seconds for them, and finds nothing there but colours.
    """
    page.evaluate("""() => {
        document.querySelectorAll("tbody tr:nth-child(n+13)").forEach(row => row.remove());
        document.querySelectorAll(".sidebar-tree li li").forEach(part => part.remove());
        [...document.querySelectorAll("article table")].slice(12).forEach(part => part.remove());
        for (const code of document.querySelectorAll("pre")) code.textContent = code.textContent;
    }""")


def axe(page, rules):
    """Return axe's serious and critical findings; ``rules`` is its option of that name."""
    from axe_playwright_python.base import AXE_SCRIPT

    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(
        """async rules => (await axe.run(document, {
            rules, preload: false, resultTypes: ["violations"],
        })).violations.map(v => [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 120)])""",
        rules,
    )
    serious = [finding for finding in found if finding[0] in ("serious", "critical")]
    return [f"{name} ({impact}) {count} times: {html}" for impact, name, count, html in serious]
