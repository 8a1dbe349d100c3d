"""Links to records: a number in prose is a link, and its text is held equal to the record.

``[0.125](../../../docs/evidence/counts/matmul.json#transposed-a/ptx/barriers)`` leads to the
record's file on a code host and to the number's row on the record's page in the site. What
stands behind ``#`` is the rung and the path of the number in the rung's counts; the path
``expected/reads`` is the factor that the model ``reads`` expects.

``[74.1 us](../../../docs/evidence/h200-1/matmul.json#transposed-a/kernel)`` leads to a measured
record, and ``docs/evidence/published/FILE.json#ID/value`` to what a study reports, in the same way.
A time, a rate or a per cent in a lesson's text that is no such link is a warning, once a record of
its ladder is kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from docutils import nodes
from markdown_it.tree import SyntaxTreeNode
from myst_parser.mdit_to_docutils.base import token_line
from myst_parser.mdit_to_docutils.sphinx_ import SphinxRenderer
from myst_parser.parsers.mdit import create_md_parser
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.util import logging

from evidence import EvidenceError, anchors, page_links
from evidence.numbers import NumberError, is_of_one_line
from rungs_site import kept_records, lesson
from rungs_site.figure_block import figure_of
from rungs_site.kept_records import number_label
from rungs_site.plain_numbers import measured_numbers
from rungs_site.record_pages import record_label
from rungs_site.tables import label_link

LOGGER = logging.getLogger(__name__)

# A link whose target is defined nowhere is plain text to Markdown: "[0.125][reads]".
_UNDEFINED_LINK = re.compile(r"\[[^\[\]]*\]\[[^\[\]]*\]|\[[a-z-]+\]: \S")


class RecordLinkRenderer(SphinxRenderer):
    """MyST's renderer, but for links to a number of a record."""

    def render_inline(self, token: SyntaxTreeNode) -> None:
        """Render a paragraph's text, after looking for measured numbers that are no links."""
        if self._must_link():
            for number in measured_numbers(_text_of(token, self._leads_to_evidence)):
                place = (self.sphinx_env.docname, token_line(token, 0))
                LOGGER.warning(
                    "'%s' is no link to a record: write [%s](%s#ROW/kernel), or another number "
                    "of a record",
                    number,
                    number,
                    self._nearest_record(),
                    location=place,
                    type="rungs",
                )
        super().render_inline(token)

    def render_link_unknown(self, token: SyntaxTreeNode) -> None:
        """Render a link, after comparing its text if it leads to a number of a record."""
        file, fragment = self._target(token)
        if not self._leads_to_evidence(token):
            super().render_link_unknown(token)
            return
        try:
            label = self._checked_label(file, fragment, _text_of(token))
        except EvidenceError as error:
            place = (self.sphinx_env.docname, token_line(token, 0))
            LOGGER.warning("%s#%s: %s", file.name, fragment, error, location=place, type="rungs")
            return
        holder = nodes.Element()
        with self.current_node_context(holder):
            self.render_children(token)
        link = label_link(label, holder.children, self.sphinx_env.docname)
        link["classes"] = ["record-number"]
        self.add_line_and_source_path(link, token)
        self.current_node.append(link)

    def _must_link(self) -> bool:
        """Return whether the page is a lesson of a ladder of which a measured record is kept."""
        return bool(self._kept())

    def _kept(self) -> list[Path]:
        """Return the measured records of the ladder that the page is a lesson of; else nothing."""
        parts = Path(self.sphinx_env.doc2path(self.sphinx_env.docname, base=False)).parts
        if len(parts) < 3 or parts[0] != "lessons":
            return []
        return kept_records.kept_paths(Path(self.sphinx_env.srcdir), parts[1])

    def _nearest_record(self) -> str:
        """Return the path of a measured record from the page's own folder, as a link has it."""
        page = Path(self.sphinx_env.doc2path(self.sphinx_env.docname))
        return Path(os.path.relpath(self._kept()[0], page.parent)).as_posix()

    def _target(self, token: SyntaxTreeNode) -> tuple[Path, str]:
        """Return the file that a link leads to, and what stands behind its ``#``."""
        target, _, fragment = str(token.attrGet("href") or "").partition("#")
        _, path = self.sphinx_env.relfn2path(target, self.sphinx_env.docname)
        return Path(path), fragment

    def _leads_to_evidence(self, token: SyntaxTreeNode) -> bool:
        """Return whether a link leads to a number of a file of evidence."""
        file, fragment = self._target(token)
        evidence = Path(self.sphinx_env.srcdir) / "docs" / "evidence"
        return bool(fragment) and file.is_relative_to(evidence)

    def _checked_label(self, file: Path, fragment: str, text: str) -> str:
        """Return the label of a number's row. Raises if the text shows another number."""
        env = self.sphinx_env
        if is_of_one_line(fragment):
            raise NumberError("counts of one source line have no row to lead to; link to a total")
        env.note_dependency(str(file))
        anchors.check(text, page_links.number(file, fragment))
        if file == lesson.record_path(env, file.stem):
            return record_label(file.stem, *fragment.split("/", 1))
        return number_label(file, fragment)


class LessonParser(MystParser):
    """MyST's parser with the renderer above. A page has no front matter."""

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse a page into ``document``."""
        parser = create_md_parser(document.settings.env.myst_config, RecordLinkRenderer)
        # A line that begins with a per cent sign is a comment to MyST. Here it is text.
        parser.disable("myst_line_comment")
        parser.options["document"] = document
        parser.render(inputstring)
        for text in document.findall(nodes.Text):
            undefined = _UNDEFINED_LINK.search(text)
            code = isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.comment)
            if undefined and not code and not _is_in_a_figure(text):
                place = text.parent.parent if text.parent.line is None else text.parent
                message = "the link '%s' leads nowhere: its target is not defined on this page"
                LOGGER.warning(message, undefined.group(), location=place, type="rungs")


def _is_in_a_figure(node: nodes.Node) -> bool:
    """Return whether a text is a figure's own: its words and values are no Markdown."""
    while node is not None and not isinstance(node, figure_of):
        node = node.parent
    return node is not None


def _text_of(
    token: SyntaxTreeNode, leave_out: Callable[[SyntaxTreeNode], bool] | None = None
) -> str:
    """Return a token's text; where the source breaks the line there is a space.

    Code, and a link that ``leave_out`` says so of, then stand as one sign that is no number.
    """
    if leave_out is not None and (
        token.type == "code_inline" or token.type == "link" and leave_out(token)
    ):
        return "\N{OBJECT REPLACEMENT CHARACTER}"
    if token.type in ("text", "code_inline"):
        return token.content
    if token.type in ("softbreak", "hardbreak"):
        return " "
    return "".join(_text_of(inner, leave_out) for inner in token.children)
