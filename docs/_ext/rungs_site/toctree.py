"""A hidden table of contents that a block makes, so that new folders are in it by themselves."""

from __future__ import annotations

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective


def toctree(directive: SphinxDirective, entries: list[tuple[str | None, str]]) -> nodes.Node:
    """Return a hidden table of contents, which gives the pages their order and neighbours.

    An entry is what the navigation calls a page, None for its title, and the page's docname.
    """
    tree = addnodes.toctree(
        parent=directive.env.docname,
        entries=entries,
        includefiles=[docname for _, docname in entries],
        maxdepth=-1,
        caption=None,
        glob=False,
        hidden=True,
        includehidden=False,
        numbered=0,
        titlesonly=True,
    )
    directive.set_source_info(tree)
    wrapper = nodes.compound(classes=["toctree-wrapper"])
    wrapper += tree
    return wrapper
