"""What the reader unfolds: a ``<details>`` with its summary, which needs no script.

``predict-first`` asks for a guess. On a page that has one, what was counted, what was measured, the
verdict and its limits are folded, each under its own heading.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

# The sections that answer, and what is to be clicked to see them.
FOLDED = {
    "What was counted": "Show the counts",
    "What was measured": "Show the times",
    "The verdict": "Show the verdict",
    "What this does not establish": "Show the limits",
}
_AFTER_THE_QUESTION = "Write your answer down, then unfold the counts, the times and the verdict."


class fold(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """A part of a page that is closed at first. ``summary`` is the line that is always seen."""


def visit_fold(self: HTML5Translator, node: fold) -> None:
    """Open the element."""
    self.body.append(self.starttag(node, "details"))
    self.body.append(f"<summary>{self.encode(node['summary'])}</summary>\n")


def depart_fold(self: HTML5Translator, node: fold) -> None:
    """Close the element."""
    self.body.append("</details>\n")


def folded(summary: str, *children: nodes.Node, css: str = "") -> fold:
    """Return these nodes, to be unfolded by clicking on ``summary``."""
    node = fold(summary=summary, classes=["fold", *([css] if css else [])])
    node += list(children)
    return node


class PredictFirst(SphinxDirective):
    """``predict-first``: a question to the reader, before the page answers it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the question in a box. Raises an error if it asks nothing."""
        text = " ".join(self.content).strip()
        if not text.endswith("?"):
            raise self.error("predict-first: the content must end in a question mark")
        box = nodes.admonition(classes=["predict-first"])
        box += nodes.title("", "Predict first")
        box += self.parse_content_to_nodes()
        box += nodes.paragraph("", _AFTER_THE_QUESTION)
        return [box]


def fold_answers(app: Sphinx, doctree: nodes.document) -> None:
    """Fold the sections that answer the page's question, if it asks one."""
    asked = [n for n in doctree.findall(nodes.admonition) if "predict-first" in n["classes"]]
    if not asked:
        return
    for section in doctree.findall(nodes.section):
        summary = FOLDED.get(section[0].astext())
        if summary:
            content = section[1:]
            del section[1:]
            section += folded(summary, *content, css="answer")
