"""What a record's page says of how it was made, and the list of all evidence."""

import re
import tempfile
import unittest

from built_pages import text_of
from number_links import fault_of_number
from small_site import SmallSite, write

INDEX = """# Records

All.

## Measured

```{record-index} measured
```

## Counted

```{record-index} counts
```

## Published

```{record-index} published
```

```{toctree}
:hidden:
:glob:

*
```
"""
PAGE = "docs/records/toy-times.html"


def lowered(draft):
    """Let the GPU lower its clock, and one instrument take fewer samples."""
    draft.update(throttled=True)
    draft["states"][1].update(sm_clock_mhz=1410, throttle=["power cap"])
    draft["states"].append({"when": "later", "missing": "nobody looked"})


class RecordPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.site = SmallSite(temporary.name)
        write(cls.site.repo / "docs/records/README.md", INDEX)
        guides = "# Guides\n\nNone.\n\n```{toctree}\nrecords/index\nhow-to-read-a-rung\n```\n"
        write(cls.site.repo / "docs/README.md", guides)
        cls.record = cls.site.keep("h200-1")
        cls.site.keep("h200-2", lowered)
        cls.site.keep("h200-1", name="toy-sizes", sizes=[512, 1024])
        # The second rung changes after it was measured, and so does one floor.
        cls.site.edit("lessons/toy/1-second/second.cu", "3.0f", "4.0f")
        cls.site.edit("common/peers/floor_ffma.cu", "= from[threadIdx.x]", "= from[0]")
        cls.code, cls.output = cls.site.build()
        cls.html = cls.site.page(PAGE)

    def section(self, anchor):
        """Return a section's text, up to the next one."""
        start = self.html.index(f'<section id="{anchor}">')
        end = self.html.find("<section id=", start + 1)
        return text_of(f"<article>{self.html[start:end]}</article>")

    def test_a_record_says_how_it_was_made(self):
        text = self.section("record-h200-1-toy")
        for words in (
            f"docs/evidence/h200-1/toy.json , sha256 {self.record['sha256']}",
            "NVIDIA H200, compute capability 9.0: 132 multiprocessors at up to 1,980 MHz, each for "
            "2,048 threads; 150.0 GB of memory behind 6,144 bits at up to 3,201 MHz; 60 MiB of L2",
            "580.159.04, CUDA 13.0",
            "cuBLAS 13.1.0, CUDA runtime 13.0",
            "nvcc 13.0.88, ptxas 13.0.88, for sm_90, Release, -O3",
            "3 rounds of 5 samples after 10 warm-up launches, rotated by one each round; warm "
            "launches take one set of buffers; inputs of seed 1",
            "span, kernel, kernel-cold, graph-10, submit",
            "K = 1024, M = 1024, N = 1024: 12,582,912 bytes in and out, cold launches through 21 "
            "sets of buffers",
            "second and third differ from themselves by up to 0.20 % by kernel",
            "each checked before and after it was timed, all passed; the largest relative error is "
            "5.7e-07",
            "the GPU named no reason to lower its clock",
            "before | 1,980 | 3,201 | 41 | 320 | nothing |",
            "$ ./course bench toy --cold --counters --samples 5 --save my-gpu-1",
        ):
            self.assertIn(words, text)

    def test_a_lowered_clock_is_said(self):
        text = self.section("record-h200-2-toy")
        self.assertIn("the GPU lowered its clock during this run", text)
        self.assertIn("after | 1,410 | 3,201 | 41 | 320 | power cap |", text)
        self.assertIn("later | - | - | - | - | nobody looked |", text)

    def test_the_command_of_a_sweep_names_its_sizes(self):
        text = self.section("record-h200-1-toy-sizes")
        self.assertRegex(text, r"bench toy --sizes 512 ?,1024 --counters --samples 5 --save my-gpu")

    def test_a_row_says_whether_its_source_is_as_it_was(self):
        digits = {r["name"]: r["source_hash"] for r in self.record["shapes"][0]["rows"]}
        for name, words in (
            ("first", f"The lesson . Source {digits['first'][:12]} , as it is now. From"),
            ("second", f"Source {digits['second'][:12]} , and has changed since. From"),
            ("floor-ffma", "A floor. Source "),
            ("floor-ffma", ", and has changed since. From"),
            ("library", "A peer in FP32. From docs/evidence/h200-1/toy.json"),
        ):
            self.assertIn(words, self.section(f"record-h200-1-toy-{name}"))
        again = self.section("record-h200-1-toy-second-again")
        self.assertIn("second , entered a second time.", again)

    def test_a_row_without_its_number_or_with_another_is_found(self):
        """The test that follows every number of the course could not fail otherwise."""
        page = self.site.out / "lessons/toy/1-second/index.html"
        link = ("../../../docs/records/toy-times.html", "h200-1-toy-second-kernel")
        self.assertEqual(fault_of_number(page, link, "116.0 us"), "")
        self.assertIn("is not what the record holds", fault_of_number(page, link, "117 us"))
        nowhere = (link[0], "h200-1-toy-fourth-kernel")
        self.assertIn("has no row", fault_of_number(page, nowhere, "116.0 us"))

    def test_the_list_names_every_file(self):
        text = text_of(self.site.page("docs/records/index.html"))
        self.assertRegex(
            text, r"h200-1, toy 1024x1024x1024 \| NVIDIA H200 2026-11-30 \| 8 \| toy.json [\d,]+ kB"
        )
        self.assertIn("h200-1, toy-sizes 2 sizes, 512x512x512 to 1024x1024x1024 |", text)
        self.assertIn("toy K = 1024, M = 1024, N = 1024 | nvcc 13.0.88 sm_90 | 3 | toy.json", text)
        self.assertIn("None is kept yet.", text)
        html = self.site.page("docs/records/index.html")
        self.assertEqual(len(re.findall('class="reference download', html)), 4)

    def test_only_what_is_stale_is_complained_of(self):
        self.assertNotEqual(self.code, 0)
        for line in self.output.strip().splitlines():
            self.assertRegex(line, "has changed since|is older than|counts toy --save|anew")


if __name__ == "__main__":
    unittest.main()
