"""The guides name what there is: figures, guides, and words that lead on."""

import re
import unittest

import support

DOCS = support.REPO / "docs"


def guide(name):
    """Return a guide's text."""
    return (DOCS / name).read_text(encoding="utf-8")


class Guides(unittest.TestCase):
    def test_the_index_lists_each_guide(self):
        text = guide("README.md")
        shown, _, tree = text.partition("```{toctree}")
        there = {path.name for path in DOCS.glob("*.md")} - {"README.md"}
        self.assertEqual(set(re.findall(r"^- \[[^]]+\]\(([\w-]+\.md)\):", shown, re.M)), there)
        self.assertEqual(set(re.findall(r"^([\w-]+\.md)$", tree, re.M)), there)

    def test_the_table_of_figures_is_that_of_the_figures(self):
        modules = (support.REPO / "plots" / "figures").glob("*.py")
        there = {
            path.stem.replace("_", "-")
            for path in modules
            if re.search(r"^ORDER\b", path.read_text(encoding="utf-8"), re.M)
        }
        kinds = ("map-", "schematic-")  # pictures of one rung each: a row for all of a kind
        there = {next((f"{k}..." for k in kinds if name.startswith(k)), name) for name in there}
        named = re.findall(r"^\| `([\w.-]+)` \|", guide("records-and-figures.md"), re.M)
        self.assertEqual(sorted(named), sorted(there))

    def test_a_word_of_the_glossary_is_told_in_short_and_leads_to_a_page(self):
        entries = re.findall(r"^(\w.*)\n((?:  \S.*\n)+)", guide("glossary.md"), re.M)
        self.assertGreater(len(entries), 40)
        for word, meaning in entries:
            with self.subTest(word):
                sentences = re.findall(r"\.(?=\s)", meaning)
                self.assertIn(len(sentences), (1, 2))
                self.assertRegex(meaning, r"\]\([^)]+\.md(#[\w-]+)?\)")


if __name__ == "__main__":
    unittest.main()
