"""The site's parts that need no build."""

import tempfile
import unittest
from pathlib import Path

import small_site  # noqa: F401  (puts the site's code on the path)
from built_pages import Page, is_outside, loaded_by_css
from rungs_site.api_names import public_names
from rungs_site.differences import diff_lines, function_at
from rungs_site.doxygen import mend_function_pointers
from rungs_site.folders import FolderProject
from rungs_site.plain_numbers import measured_numbers
from rungs_site.signatures import plain_arguments

from evidence import EvidenceError
from evidence.numbers import NumberError, all_numbers, check_text, format_number, look_up
from evidence.page_links import number_links
from evidence.regions import source_region

KERNEL = """// A claim.
namespace toy::first {

constexpr int tile = 16;  // why

// [kernel]
__global__ void kernel() {}
// [/kernel]
}  // namespace toy::first
"""


class Numbers(unittest.TestCase):
    def test_a_text_shows_its_number_at_its_own_precision(self):
        good = [
            ("0.125", 0.125),
            ("25,165,824", 25165824),
            ("25.2 million", 25165824),
            ("25.2\nmillion wavefronts", 25165824),
            ("1.60x", 1.6),
            ("0.0664", 0.06640625),
            ("0", 0),
            ("4 reads", 4),
            ("1.07 billion", 2**30),
        ]
        for text, value in good:
            check_text(text, value)

    def test_a_text_that_shows_another_number_is_refused(self):
        bad = [
            ("0.126", 0.125),
            ("25,165,825", 25165824),
            ("25.1 million", 25165824),
            ("25.2", 25165824),
            ("25.2 thousand", 25165824),
            ("1.6 million", 1.6),
            ("0", 0.4),
            ("0.3", 0.3125),  # rounds, but is four per cent off
            ("1", 0),
            ("many", 4),
            ("about 4", 4),
            ("-4", 4),
        ]
        for text, value in bad:
            with self.assertRaises(NumberError, msg=text):
                check_text(text, value)

    def test_a_path_leads_to_a_number_or_is_refused(self):
        counts = {"ptx": {"kernels": [{"barriers": 8, "name": "k"}], "ok": True}, "sass": None}
        self.assertEqual(look_up(counts, "ptx/kernels/0/barriers"), 8)
        for path in ("ptx/kernels/1/barriers", "ptx/kernels/0/name", "ptx", "ptx/ok", "sass/x", ""):
            with self.assertRaises(NumberError, msg=path):
                look_up(counts, path)
        self.assertEqual(list(all_numbers(counts)), [("ptx/kernels/0/barriers", 8)])

    def test_numbers_are_printed_with_four_digits_that_count(self):
        printed = [(25165824, "25,165,824"), (0.3125, "0.3125"), (0.0244140625, "0.02441")]
        printed += [(2.0, "2"), (31.96, "31.96"), (12345.678, "12,345.7"), (0, "0")]
        for value, text in printed:
            self.assertEqual(format_number(value), text)


class MeasuredNumbers(unittest.TestCase):
    def test_a_number_and_its_unit_are_found(self):
        for text, found in (
            ("It takes 74.1 us.", ["74.1 us"]),
            ("1,234.5\nµs and 2ms", ["1,234.5 µs", "2ms"]),
            ("65.3 TFLOP/s, 4.67 TB/s (97 %)", ["65.3 TFLOP/s", "4.67 TB/s", "97 %"]),
            ("It tells us 5 users use 3 msgs, 10 x 4 and 12.5x.", []),
            ("Within 10 % it holds; more than\n10 % and it fails.", []),
            ("Within 11 %", ["11 %"]),
        ):
            self.assertEqual(measured_numbers(text), found, text)


class NumberLinks(unittest.TestCase):
    EVIDENCE = Path("/repo/docs/evidence")

    def found(self, text):
        page = Path("/repo/lessons/toy/0-first/README.md")
        links = number_links(page, text, self.EVIDENCE)
        for link in links:
            self.assertEqual(text[link.start : link.end], link.text)
        return [
            (link.text, str(link.file.relative_to(self.EVIDENCE)), link.anchor, link.line)
            for link in links
        ]

    def test_links_are_found_inline_and_by_reference(self):
        to = "../../../docs/evidence"
        text = (
            f"# A\n\n[1 us]({to}/a/toy.json#first/kernel), [2\nus][Two] and [3 us][].\n"
            f"See [a page](../1-second/README.md#x), [a file]({to}/a/toy.json) and [4][none].\n\n"
            f"```{{rung-prediction}}\n[5 us]({to}/a/toy.json#five)\n```\n\n"
            f"[two]: {to}/published/s.json#two/span\n[3 us]: {to}/a/toy.json#three\n"
        )
        self.assertEqual(
            self.found(text),
            [
                ("1 us", "a/toy.json", "first/kernel", 3),
                ("2\nus", "published/s.json", "two/span", 3),
                ("3 us", "a/toy.json", "three", 4),
                ("5 us", "a/toy.json", "five", 8),
            ],
        )

    def test_code_holds_no_links(self):
        link = "[1 us](../../../docs/evidence/a/toy.json#first/kernel)"
        for text in (
            f"`{link}`",
            f"``a ` {link}``",
            f"```\n{link}\n```",
            f"~~~text\n```\n{link}\n~~~",
            f"````{{code-block}} md\n```\n{link}\n```\n````",
            f"```cuda\n{link}\n",
            f"\\{link}",
            f"!{link}",
        ):
            self.assertEqual(self.found(f"Text.\n\n{text}\n"), [], text)
        self.assertEqual(len(self.found(f"`code` and {link}, then `more`\n")), 1)
        self.assertEqual(len(self.found(f"```cuda\nx\n```\n\n{link}\n")), 1)


class Differences(unittest.TestCase):
    def shown(self, before, after, context=3):
        hunks = diff_lines(before, after, context)
        return [[(x.sign, x.before, x.after) for x in hunk] for hunk in hunks]

    def test_each_side_keeps_its_own_lines(self):
        self.assertEqual(
            self.shown(["a", "b", "c"], ["a", "x", "c"]),
            [[(" ", 0, 0), ("-", 1, None), ("+", None, 1), (" ", 2, 2)]],
        )

    def test_a_line_is_in_the_function_around_it(self):
        lines = [
            "/// Adds (all).",
            "template <int n>",
            "__device__ float add(float value) {",
            "  return twice(value);",
            "}",
            "",
            "__global__ void __launch_bounds__(threads)",
            "    kernel(const float* x,",
            "           float* y) {",
            "  y[0] = add(x[0]);",
            "}",
        ]
        names = [function_at(lines, index) for index in range(len(lines))]
        self.assertEqual(names, ["", "", "add", "add", "add", "", "", "", *["kernel"] * 3])

    def test_changes_far_apart_are_two_hunks(self):
        before = [str(n) for n in range(20)]
        after = ["new", *before[1:19], "new"]
        self.assertEqual([len(hunk) for hunk in self.shown(before, after, 1)], [3, 3])

    def test_equal_texts_have_no_hunk(self):
        self.assertEqual(self.shown(["a"], ["a"]), [])


class Sources(unittest.TestCase):
    def region(self, text, name="constants"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "first.cu"
            path.write_text(text, encoding="utf-8")
            return source_region(path, name)

    def test_constants_stand_between_namespace_and_kernel(self):
        found = self.region(KERNEL)
        self.assertEqual(found.lines, ["constexpr int tile = 16;  // why"])
        self.assertEqual(found.first_line, 4)
        self.assertEqual(self.region(KERNEL, "kernel").first_line, 7)

    def test_a_file_in_another_order_is_refused(self):
        for text, message in (
            (KERNEL.replace("// [kernel]\n", ""), "missing"),
            (KERNEL.replace("namespace toy::first {", ""), "0 lines open a namespace"),
            (KERNEL + "namespace more {\n", "2 lines open a namespace"),
            (KERNEL.replace("constexpr int tile = 16;  // why", ""), "no constants"),
        ):
            with self.assertRaisesRegex(EvidenceError, message):
                self.region(text)


class Folders(unittest.TestCase):
    def test_a_readme_is_its_folders_index(self):
        project = FolderProject("/repo", {".md": "markdown"})
        for path, docname in (
            ("README.md", "index"),
            ("lessons/toy/0-first/README.md", "lessons/toy/0-first/index"),
            ("/repo/lessons/README.md", "lessons/index"),
            ("docs/four-counts.md", "docs/four-counts"),
            ("docs/NOT-README.md", "docs/NOT-README"),
            ("lessons/toy/toy.hpp", None),
        ):
            self.assertEqual(project.path2doc(path), docname)


class Doxygen(unittest.TestCase):
    def test_pointers_to_functions_are_written_as_breathe_reads_them(self):
        new = (
            '<memberdef kind="variable"><type>int(*)</type>\n<definition>int(*) f(float)'
            "</definition>\n<argsstring>(float)</argsstring></memberdef>\n"
            '<memberdef kind="typedef"><type>int(*)</type>\n<definition>typedef int(*) F(float)'
            "</definition>\n<argsstring>(float)</argsstring></memberdef>\n"
            '<memberdef kind="variable"><type>int</type><argsstring></argsstring></memberdef>'
            '<memberdef kind="function"><type>int</type><argsstring>()</argsstring></memberdef>'
        )
        old = new.replace("<type>int(*)<", "<type>int(*<").replace(">(float)<", ">)(float)<")
        self.assertEqual(mend_function_pointers(new), old)
        self.assertEqual(mend_function_pointers(old), old)
        using = new.partition("</memberdef>")[0].replace("variable", "typedef")
        using = using.replace("<definition>int(*)", "<definition>using rungs::")
        self.assertEqual(mend_function_pointers(using), using)

    def test_names_are_listed_by_header_without_members(self):
        with tempfile.TemporaryDirectory() as folder:
            xml = Path(folder)
            place = '<location file="common/rung/a.hpp" line="{}"/>'
            (xml / "structrungs_1_1A.xml").write_text(
                '<doxygen><compounddef kind="struct"><compoundname>rungs::A</compoundname>'
                + place.format(9)
                + "</compounddef></doxygen>"
            )
            (xml / "structrungs_1_1A_1_1B.xml").write_text(
                '<doxygen><compounddef kind="struct"><compoundname>rungs::A::B</compoundname>'
                + place.format(10)
                + "</compounddef></doxygen>"
            )
            (xml / "namespacerungs.xml").write_text(
                '<doxygen><compounddef kind="namespace"><compoundname>rungs</compoundname>'
                '<sectiondef><memberdef kind="function"><name>f</name>'
                "<argsstring>(int x)</argsstring>" + place.format(3) + "</memberdef></sectiondef>"
                "</compounddef></doxygen>"
            )
            expected = [("function", "rungs::f(int x)"), ("struct", "rungs::A")]
            self.assertEqual(public_names(xml), {"common/rung/a.hpp": expected})


class Signatures(unittest.TestCase):
    def test_arguments_become_blocks_and_definitions_stay(self):
        arguments = "f(<dl>\n<dd>int a,</dd>\n<dd>int b</dd>\n</dl>\n)"
        definitions = "<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>\n<dl>\n<dd><dl>\n</dl>\n</dd>\n</dl>"
        blocks = "".join(f'<span class="argument">int {x}</span>\n' for x in ("a,", "b"))
        self.assertEqual(
            plain_arguments(arguments + definitions),
            f'f(<span class="arguments">{blocks}</span>\n){definitions}',
        )


class BuiltPages(unittest.TestCase):
    """What the test of the whole site looks with must see what it looks for."""

    PAGE = """<html><head><link rel="stylesheet" href="a.css"><link rel="next" href="b.html">
<script src="https://cdn.example/x.js"></script><style>@import "//fonts.example/f";</style></head>
<body style="background: url('http://example/b.png')"><a id="here" href="c/d.html#x%20y">c</a>
<a href="https://example.org/">out</a><picture><source srcset="f.svg"><img src="e.svg"></picture>
<img src="g.png"></body></html>"""

    def test_links_anchors_and_loads_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder).resolve() / "p.html"
            path.write_text(self.PAGE, encoding="utf-8")
            page = Page(path)
            self.assertEqual(page.ids, {"here"})
            self.assertEqual(
                page.loads, ["a.css", "https://cdn.example/x.js", "f.svg", "e.svg", "g.png"]
            )
            self.assertEqual(page.drawings, ["f.svg", "e.svg"])
            self.assertEqual(page.target(page.links[0]), (path.parent / "c/d.html", "x y"))
            self.assertIsNone(page.target(page.links[1]))
            addresses = [a for style in page.styles for a in loaded_by_css(style)]
            self.assertEqual(sorted(addresses), ["//fonts.example/f", "http://example/b.png"])
            outside = [a for a in page.loads + addresses if is_outside(a)]
            self.assertEqual(len(outside), 3)


if __name__ == "__main__":
    unittest.main()
