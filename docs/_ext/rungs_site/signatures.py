"""The arguments of a function that stand one a line are no list of definitions.

Sphinx writes them as a ``<dl>`` of nothing but ``<dd>``, which screen readers announce as terms
that are missing. They become plain blocks.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx

_ARGUMENTS = re.compile(r"<dl>\n((?:<dd>(?:(?!</?d[dl]\b).)*</dd>\n)+)</dl>", re.DOTALL)


def plain_arguments(body: str) -> str:
    """Return a page's HTML with the arguments of functions as blocks."""

    def blocks(match: re.Match) -> str:
        lines = match[1].replace("<dd>", '<span class="argument">').replace("</dd>", "</span>")
        return f'<span class="arguments">{lines}</span>'

    return _ARGUMENTS.sub(blocks, body)


def on_page(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Rewrite the arguments on a page that has some."""
    if "body" in context:
        context["body"] = plain_arguments(context["body"])
