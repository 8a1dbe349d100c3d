"""Links to records: a number in prose is a link, and its text is held equal to the record.

``[0.125](../../../docs/evidence/counts/matmul.json#transposed-a/ptx/barriers)`` leads to the
record's file on a code host and to the number's row on the record's page in the site. What
stands behind ``#`` is the rung and the path of the number in the rung's counts; the path
``expected/reads`` is the factor that the model ``reads`` expects.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from markdown_it.tree import SyntaxTreeNode
from myst_parser.mdit_to_docutils.base import token_line
from myst_parser.mdit_to_docutils.sphinx_ import SphinxRenderer
from myst_parser.parsers.mdit import create_md_parser
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.util import logging

from evidence import EvidenceError
from rungs_site import lesson
from rungs_site.directives import record_label
from rungs_site.numbers import NumberError, check_text, is_of_one_line
from rungs_site.tables import label_link

LOGGER = logging.getLogger(__name__)

# A link whose target is defined nowhere is plain text to Markdown: "[0.125][reads]".
_UNDEFINED_LINK = re.compile(r"\[[^\[\]]*\]\[[^\[\]]*\]|\[[a-z-]+\]: \S")


class RecordLinkRenderer(SphinxRenderer):
    """MyST's renderer, but for links to a number of a record."""

    def render_link_unknown(self, token: SyntaxTreeNode) -> None:
        """Render a link, after comparing its text if it leads to a number of a record."""
        target, _, fragment = str(token.attrGet("href") or "").partition("#")
        _, path = self.sphinx_env.relfn2path(target, self.sphinx_env.docname)
        file = Path(path)
        if not fragment or file != lesson.record_path(self.sphinx_env, file.stem):
            super().render_link_unknown(token)
            return
        try:
            label = self._checked_label(file.stem, fragment, _text_of(token))
        except (EvidenceError, NumberError) as error:
            place = (self.sphinx_env.docname, token_line(token, 0))
            LOGGER.warning("#%s: %s", fragment, error, location=place, type="rungs")
            return
        holder = nodes.Element()
        with self.current_node_context(holder):
            self.render_children(token)
        link = label_link(label, holder.children, self.sphinx_env.docname)
        link["classes"] = ["record-number"]
        self.add_line_and_source_path(link, token)
        self.current_node.append(link)

    def _checked_label(self, ladder_name: str, fragment: str, text: str) -> str:
        rung, _, path = fragment.partition("/")
        if is_of_one_line(path):
            raise NumberError("counts of one source line have no row to lead to; link to a total")
        ladder = lesson.load_ladder(self.sphinx_env, ladder_name)
        check_text(text, ladder.number(rung, path))
        return record_label(ladder_name, rung, path)


class LessonParser(MystParser):
    """MyST's parser with the renderer above. A page has no front matter."""

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse a page into ``document``."""
        parser = create_md_parser(document.settings.env.myst_config, RecordLinkRenderer)
        parser.options["document"] = document
        parser.render(inputstring)
        for text in document.findall(nodes.Text):
            undefined = _UNDEFINED_LINK.search(text)
            code = isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.comment)
            if undefined and not code:
                place = text.parent.parent if text.parent.line is None else text.parent
                message = "the link '%s' leads nowhere: its target is not defined on this page"
                LOGGER.warning(message, undefined.group(), location=place, type="rungs")


def _text_of(token: SyntaxTreeNode) -> str:
    """Return a link's text; where the source breaks the line there is a space."""
    words = {"text", "code_inline"}
    breaks = {"softbreak", "hardbreak"}
    parts = (
        inner.content if inner.type in words else " " if inner.type in breaks else ""
        for inner in token.walk()
    )
    return "".join(parts)
