"""A difference as a node: highlighted code, two columns of line numbers, and its signs."""

from __future__ import annotations

from html import escape

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers.c_like import CudaLexer
from sphinx.writers.html5 import HTML5Translator

from evidence.regions import Region
from rungs_site.differences import DiffLine, diff_lines, function_at

_CLASSES = {" ": "same", "+": "added", "-": "removed"}


class difference(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """Ready-made HTML lines in ``lines``."""


def difference_block(before: Region, after: Region, title: nodes.paragraph) -> nodes.container:
    """Return the difference of two regions under a caption."""
    block = nodes.container(classes=["rung-diff"], literal_block=True)
    block += nodes.caption("", "", *title.children)
    block += difference(lines=html_lines(before, after))
    return block


def html_lines(before: Region, after: Region) -> list[str]:
    """Return the lines of HTML, one a source line; what is left out says in which function."""
    old, new = _highlighted(before), _highlighted(after)
    out = []
    for hunk in diff_lines(before.lines, after.lines):
        first = hunk[0]
        if first.before or first.after:
            cut, at = (before, first.before) if first.after is None else (after, first.after)
            name = function_at(cut.lines, at)
            out.append(
                f'<span class="line gap">...{f" in {escape(name)}()" if name else ""}</span>'
            )
        out += [_html_line(line, before, after, old, new) for line in hunk]
    return out


def _html_line(
    line: DiffLine, before: Region, after: Region, old: list[str], new: list[str]
) -> str:
    code = new[line.after] if line.after is not None else old[line.before]
    numbers = "".join(
        f'<span class="number">{"" if index is None else first + index}</span>'
        for index, first in ((line.before, before.first_line), (line.after, after.first_line))
    )
    sign = f'<span class="sign">{escape(line.sign)}</span>'
    return f'<span class="line {_CLASSES[line.sign]}">{numbers}{sign}{code}</span>'


def _highlighted(cut: Region) -> list[str]:
    """Return each line of a region as HTML.

    The whole region is highlighted at once, so that a comment over several lines is one.
    """
    lexer = CudaLexer(stripnl=False, ensurenl=True)
    return highlight(cut.text, lexer, HtmlFormatter(nowrap=True)).split("\n")


def visit_difference(translator: HTML5Translator, node: difference) -> None:
    """Write the block."""
    translator.body.append(
        '<div class="highlight notranslate"><pre tabindex="0">'
        + "\n".join(node["lines"])
        + "</pre></div>\n"
    )
    raise nodes.SkipNode


def depart_difference(translator: HTML5Translator, node: difference) -> None:
    """Do nothing: the visit has written everything."""
