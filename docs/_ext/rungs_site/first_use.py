"""On a lesson's page a word of the glossary is a link where it stands first.

The pages are written without these links: a word that is added to the glossary is linked on all of
them. Words that every reader knows stay plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from rungs_site.figure_block import figure_of
from rungs_site.tables import term_link

# The glossary's sections whose words are linked, and those of their words that are not.
SECTIONS = ("Counts", "Times", "The machine", "Matrix multiply")
PLAIN = {"block", "factor", "model", "round", "tile"}

_SECTION = re.compile(r"(?m)^## (.+)$")
_ENTRY = re.compile(r"(?m)^(\w[^\n]*)\n  \S")
_NOT_IN = (
    *(nodes.reference, addnodes.pending_xref, nodes.title, nodes.literal, nodes.literal_block),
    *(nodes.table, nodes.caption, nodes.comment, figure_of),
)


def words(glossary: str) -> list[str]:
    """Return the words of a glossary's text that are linked, longest first."""
    parts = _SECTION.split(glossary)
    found = [
        word
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
        if name in SECTIONS
        for word in _ENTRY.findall(text)
    ]
    return sorted(set(found) - PLAIN, key=lambda word: (-len(word), word))


def link_first_uses(app: Sphinx, doctree: nodes.document) -> None:
    """Make the first use of each word a link, if the page is a lesson's and there is a glossary."""
    glossary = Path(app.srcdir) / "docs" / "glossary.md"
    if not app.env.docname.startswith("lessons/") or not glossary.is_file():
        return
    app.env.note_dependency(str(glossary))
    left = words(glossary.read_text(encoding="utf-8"))
    for element in list(doctree.findall(nodes.TextElement)):
        _join_texts(element)
    for text in list(_texts(doctree)):
        text.parent.replace(text, list(_linked(text.astext(), left, app.env.docname)))


def _join_texts(element: nodes.TextElement) -> None:
    """Make one text of those that follow each other: lines of the source are texts of their own."""
    for at in range(len(element) - 1, 0, -1):
        if isinstance(element[at], nodes.Text) and isinstance(element[at - 1], nodes.Text):
            element[at - 1] = nodes.Text(element[at - 1] + element[at])
            del element[at]


def _texts(doctree: nodes.document) -> Iterator[nodes.Text]:
    """Yield the texts of a page's own prose."""
    for text in doctree.findall(nodes.Text):
        node = text.parent
        while node is not None and not isinstance(node, _NOT_IN):
            node = node.parent
        if node is None:
            yield text


def _linked(text: str, left: list[str], docname: str) -> Iterator[nodes.Node]:
    """Yield a text with the first use of each word in ``left`` as a link; take these from it."""
    while left:
        pattern = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in left)
        match = re.search(rf"(?<![\w-])({pattern})(?:s|es)?(?![\w-])", text, re.IGNORECASE)
        if match is None:
            break
        said = " ".join(match[1].lower().split())
        word = next(word for word in left if word.lower() == said)
        left.remove(word)
        if match.start():
            yield nodes.Text(text[: match.start()])
        yield term_link(word, nodes.inline("", match[0], classes=["first-use"]), docname)
        text = text[match.end() :]
    if text:
        yield nodes.Text(text)
