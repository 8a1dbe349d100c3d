"""Tables as document nodes."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes
from sphinx import addnodes

Cell = str | nodes.Node | Sequence[nodes.Node]
MOST_COLUMNS = 6  # more do not fit the page's column


def paragraph(*parts: str | nodes.Node) -> nodes.paragraph:
    """Return a paragraph of texts and inline nodes."""
    node = nodes.paragraph()
    for part in parts:
        node += nodes.Text(part) if isinstance(part, str) else part
    return node


def small(text: str) -> nodes.paragraph:
    """Return a line in small letters."""
    return paragraph(nodes.inline(text, text, classes=["kind"]))


def page_link(docname: str, text: str, from_docname: str) -> addnodes.pending_xref:
    """Return a link to another page of the site."""
    content = nodes.inline(text, text)
    return _link(content, from_docname, refdomain="std", reftype="doc", reftarget="/" + docname)


def heading_link(
    docname: str, slug: str, content: Sequence[nodes.Node], from_docname: str
) -> addnodes.pending_xref:
    """Return a link to a heading of another page, around ``content``, as MyST makes them."""
    where = {"refdomain": "doc", "reftype": "myst", "reftarget": docname, "reftargetid": slug}
    return _link(nodes.inline("", "", *content), from_docname, **where)


def label_link(
    label: str, content: Sequence[nodes.Node], from_docname: str
) -> addnodes.pending_xref:
    """Return a link to a label of the site, around ``content``."""
    inner = nodes.inline("", "", *content)
    return _link(inner, from_docname, refdomain="std", reftype="ref", reftarget=label)


def term_link(word: str, content: nodes.inline, from_docname: str) -> addnodes.pending_xref:
    """Return a link to a word of the glossary, around ``content``."""
    return _link(content, from_docname, refdomain="std", reftype="term", reftarget=word)


def _link(content: nodes.inline, from_docname: str, **where: str) -> addnodes.pending_xref:
    """Return a link whose target Sphinx looks for; where there is none, it says so."""
    return addnodes.pending_xref(
        "", content, refdoc=from_docname, refexplicit=True, refwarn=True, **where
    )


def table(
    header: Sequence[Cell],
    rows: Sequence[Sequence[Cell]],
    css: str = "",
    ids: Sequence[str] = (),
    most: int = MOST_COLUMNS,
) -> nodes.table:
    """Return a table whose first column holds words and whose others hold numbers.

    ``css`` is a class of the table; ``ids`` are anchors, one a row. More than ``most`` columns are
    refused: they do not fit.
    """
    if len(header) > most:
        raise ValueError(f"{len(header)} columns; a page has room for {most}")
    node = nodes.table(classes=["rungs", *([css] if css else [])])
    group = nodes.tgroup(cols=len(header))
    node += group
    for _ in header:
        group += nodes.colspec(colwidth=1)
    head, body = nodes.thead(), nodes.tbody()
    head += _row(header)
    for index, cells in enumerate(rows):
        row = _row(cells)
        if ids:
            row["ids"] = [ids[index]]
        body += row
    group += [head, body]
    return node


def _row(cells: Sequence[Cell]) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        entry = nodes.entry()
        if isinstance(cell, str):
            entry += paragraph(cell)
        elif isinstance(cell, nodes.paragraph):
            entry += cell
        elif isinstance(cell, nodes.Node):
            entry += paragraph(cell)
        else:
            entry += list(cell)
        row += entry
    return row
