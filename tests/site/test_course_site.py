"""The site of this repository, built strictly from a copy of it."""

import gzip
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import small_site
from built_pages import Page, is_outside, loaded_by_css
from number_links import fault_of_number, numbers_of
from rungs_site import api_uses
from rungs_site.api_names import enumerators, public_names

from evidence import lessons, measured
from evidence.page_links import number_links

SECTIONS = [
    "What the last rung left on the table",
    "The change",
    "The prediction",
    "The kernel",
    "What was counted",
    "What was measured",
    "The verdict",
    "What this does not establish",
    "Try it",
]
MOST_BYTES_OF_A_PAGE = 400_000  # compressed, with what it loads


class CourseSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name).resolve()
        cls.repo, cls.out = cls.folder / "a cöpy", cls.folder / "a büild" / "site"
        cls.out.parent.mkdir()
        ignore = shutil.ignore_patterns(".git", ".venv*", "build*", "__pycache__", ".*_cache")
        shutil.copytree(small_site.REPO, cls.repo, ignore=ignore)
        cls.before = cls.source_files()
        cls.code, cls.output = small_site.build(cls.repo, cls.out)
        if cls.code == 0:
            cls.pages = {path: Page(path) for path in sorted(cls.out.rglob("*.html"))}
        cls.keep_for_the_browser()

    @classmethod
    def keep_for_the_browser(cls):
        """Leave what was built in RUNGS_KEEP_SITE, so that the browser's tests need not build."""
        kept = os.environ.get("RUNGS_KEEP_SITE")
        if kept:
            shutil.rmtree(kept, ignore_errors=True)
            if cls.code == 0:
                shutil.copytree(cls.out, kept)

    @classmethod
    def source_files(cls):
        files = (path for path in cls.repo.rglob("*") if path.is_file())
        return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in files}

    def setUp(self):
        if self.code != 0 and self._testMethodName != "test_it_builds_without_a_word":
            self.skipTest("the site does not build")

    def test_it_builds_without_a_word(self):
        self.assertEqual((self.code, self.output.strip()), (0, ""))

    def test_nothing_is_written_below_the_source(self):
        self.assertEqual(self.source_files(), self.before)

    def test_every_readme_is_its_folders_index(self):
        for readme in self.repo.rglob("README.md"):
            folder = readme.relative_to(self.repo).parent
            if folder == Path() or folder.parts[0] in ("docs", "lessons"):
                self.assertTrue((self.out / folder / "index.html").is_file(), readme)

    def test_every_link_and_anchor_leads_somewhere(self):
        dead, checked = [], 0
        for page in self.pages.values():
            for link in page.links:
                target = page.target(link)
                if target is None:
                    continue
                path, anchor = target
                checked += 1
                where = f"{page.path.relative_to(self.out)}: {link}"
                if (
                    not path.is_file()
                    or anchor
                    and path.suffix == ".html"
                    and anchor not in self.pages[path].ids
                ):
                    dead.append(where)
        self.assertEqual(dead, [])
        self.assertGreater(checked, 1000)

    def test_every_number_is_two_clicks_from_its_file(self):
        """A number leads to its row; the row's section has the file, which holds that number."""
        wrong, followed = [], 0
        for page in self.pages.values():
            for link, text in numbers_of(page.path):
                followed += 1
                fault = fault_of_number(page.path, link, text)
                if fault:
                    wrong.append(f"{page.path.relative_to(self.out)}: {text}: {fault}")
        self.assertEqual(wrong, [])
        self.assertGreater(followed, 500)

    def test_no_page_asks_another_host(self):
        outside = []
        for page in self.pages.values():
            loads = page.loads + [a for style in page.styles for a in loaded_by_css(style)]
            outside += [f"{page.path}: {address}" for address in loads if is_outside(address)]
        for sheet in self.out.rglob("*.css"):
            found = loaded_by_css(sheet.read_text(encoding="utf-8"))
            outside += [f"{sheet}: {address}" for address in found if is_outside(address)]
        self.assertEqual(outside, [])

    def test_what_a_page_loads_is_there_and_not_too_large(self):
        packed, sizes = {}, {}
        for page in self.pages.values():
            for address in page.loads:
                target = page.target(address)
                if target is not None and target[0] not in packed:
                    self.assertTrue(target[0].is_file(), f"{page.path}: {address}")
                    packed[target[0]] = len(gzip.compress(target[0].read_bytes()))
            packed[page.path] = len(gzip.compress(page.path.read_bytes()))
            others = [address for address in page.loads if address not in page.drawings]
            for look in ("wide-light", "wide-dark", "phone-light", "phone-dark"):
                drawn = [a for a in page.drawings if a.endswith(f"-{look}.svg")]
                files = {t[0] for t in map(page.target, [*others, *drawn]) if t is not None}
                sizes[f"{page.path}, {look}"] = sum(packed[f] for f in {page.path, *files})
        self.assertGreater(max(len(page.drawings) for page in self.pages.values()), 4)
        too_large = {where: size for where, size in sizes.items() if size > MOST_BYTES_OF_A_PAGE}
        self.assertEqual(too_large, {})

    def test_every_rung_has_a_page_with_the_same_sections(self):
        for ladder in lessons.ladders(self.repo):
            rungs = lessons.rungs(self.repo, ladder)
            self.assertTrue(rungs)
            for rung in rungs:
                text = rung.page.read_text(encoding="utf-8")
                self.assertEqual(re.findall(r"(?m)^## (.*)$", text), SECTIONS, rung.key)

    def test_every_rung_is_found_by_search(self):
        index = (self.out / "searchindex.js").read_text(encoding="utf-8")
        for ladder in lessons.ladders(self.repo):
            for rung in lessons.rungs(self.repo, ladder):
                self.assertIn(f'"lessons/{ladder}/{rung.folder.name}/index"', index)

    def test_a_time_on_a_page_is_linked_or_the_published_studys(self):
        """The strict build asks for links once a record is kept; before, a page can only quote."""
        evidence = self.repo / "docs" / "evidence"
        for ladder in lessons.ladders(self.repo):
            if measured.paths(self.repo, ladder):
                continue
            for page in (self.repo / "lessons" / ladder).rglob("README.md"):
                text = page.read_text(encoding="utf-8")
                for link in reversed(number_links(page, text, evidence)):
                    text = text[: link.start] + text[link.end :]
                for paragraph in text.split("\n\n"):
                    if re.search(r"\d\s*(µs|us|ms)\b", paragraph):
                        self.assertIn("published study", paragraph, page)

    def test_every_public_name_is_on_the_api_page(self):
        xml = self.out.parent / "doctrees" / "doxygen" / "xml"
        names = public_names(xml)
        html = (self.out / "docs" / "api.html").read_text(encoding="utf-8")
        objects = set(re.findall(r'<dt class="sig sig-object cpp[^"]*" id="([^"]+)"', html))
        self.assertGreater(len(objects), 50)
        text = re.sub(r"<[^>]+>", "", html)
        for header in self.public_headers():
            self.assertIn(header, names, f"{header} is not in Doxygen's XML")
            for kind, name in names[header]:
                last = name.partition("(")[0].rpartition("::")[2]
                self.assertRegex(text, rf"\b{last}\b", f"{header}: {kind} {name}")

    def test_ladders_and_headers_name_each_other(self):
        """A ladder's page leads to the names that its sources have, and their headers lead back."""
        xml = self.out.parent / "doctrees" / "doxygen" / "xml"
        page = self.out / "docs" / "api.html"
        html, anchors, found = page.read_text(encoding="utf-8"), self.pages[page].ids, 0
        for ladder in lessons.ladders(self.repo):
            own = self.out / "lessons" / ladder / "index.html"
            links = [self.pages[own].target(link) for link in self.pages[own].links]
            there = {anchor for path, anchor in filter(None, links) if path == page} - {""}
            self.assertEqual(sorted(there - anchors), [])
            for use in api_uses.uses(self.repo, ladder, public_names(xml), enumerators(xml)):
                section = re.sub(r"[^a-z0-9]+", "-", use.header.removeprefix("common/"))
                self.assertIn(section, there, f"{ladder}: {use.header}")
                last = use.name.rpartition("::")[2]
                self.assertTrue([a for a in there if last in a], f"{ladder}: {use.name}")
                text = html[html.index(f'<section id="{section}">') :]
                text = text[: text.index("<section id=", 1)] if "<section id=" in text[1:] else text
                self.assertIn(f'href="../lessons/{ladder}/index.html"', text)
                found += 1
        self.assertGreater(found, 20)

    def test_every_public_name_is_described(self):
        silent, described = [], 0
        public, documented = self.public_headers(), list(self.documented())
        classes = {name for element, name in documented if element.tag == "compounddef"}
        for element, name in documented:
            header = element.find("location").get("file")
            if header not in public or name.rpartition("::")[0] in classes:
                continue  # a class inside a class is described by its outer one
            texts = (element.find(tag) for tag in ("briefdescription", "detaileddescription"))
            if any("".join(text.itertext()).strip() for text in texts if text is not None):
                described += 1
            else:
                silent.append(f"{header}: {name}")
        self.assertEqual(silent, [])
        self.assertGreater(described, 25)

    def documented(self):
        """Yield what Doxygen found outside of classes, and each class: its element and name."""
        for file in (self.out.parent / "doctrees" / "doxygen" / "xml").glob("*.xml"):
            for compound in ElementTree.parse(file).getroot().iterfind("compounddef"):
                name = compound.findtext("compoundname")
                if compound.get("kind") in ("class", "struct"):
                    yield compound, name
                elif compound.get("kind") in ("namespace", "file"):
                    scope = f"{name}::" if compound.get("kind") == "namespace" else ""
                    for member in compound.iterfind("sectiondef/memberdef"):
                        yield member, scope + member.findtext("name")

    def test_every_name_that_a_header_declares_is_in_the_xml(self):
        """Doxygen drops what it cannot parse without a word, so the headers are read here too."""
        in_xml = set()
        for file in (self.out.parent / "doctrees" / "doxygen" / "xml").glob("*.xml"):
            root = ElementTree.parse(file).getroot()
            for tag in ("compoundname", "name"):
                names = {(name.text or "").rpartition("::")[2] for name in root.iter(tag)}
                in_xml |= {name.removeprefix("operator ") for name in names}
        declared = re.compile(
            r"(?m)^(?:template <[^>]*>\s*)?"
            r"(?:(?:class|struct|enum class|enum)\s+(?P<type>\w+)\s*(?:[:{]|final)"
            r"|(?:inline |constexpr |const )*[\w:<>,*& ]+?[ *&](?P<function>\w+)\((?!\*))"
        )
        missing, found = [], 0
        for header in self.public_headers():
            text = (self.repo / header).read_text(encoding="utf-8")
            text = re.sub(r"\bdecltype\([^()]*\)", "auto", text.replace("operator", ""))
            for match in declared.finditer(text):
                name = match.group("type") or match.group("function")
                found += 1
                if name not in in_xml:
                    missing.append(f"{header}: {name}")
        self.assertEqual(missing, [])
        self.assertGreater(found, 25)

    def public_headers(self):
        """Return the headers of the API page, relative to the repository."""
        found = ["common/cpu_device/cpu_device.h"]
        for folder in ("common/rung", "common/check", "common/measure", "common/peers"):
            found += [
                str(path.relative_to(self.repo)) for path in (self.repo / folder).rglob("*.h*")
            ]
        return sorted(found)


if __name__ == "__main__":
    unittest.main()
