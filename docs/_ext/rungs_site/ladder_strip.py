"""Where a rung stands: a strip below the title of its page, with links to the rungs around it.

It is put into the finished page, not into the document: a search for a rung shall find its own page
and not every page that leads there.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from evidence import EvidenceError, pages
from evidence.lessons import Rung
from rungs_site import lesson
from rungs_site.lesson import Ladder

_TITLE_ENDS = "</h1>"


def add_strip(app: Sphinx, pagename: str, _template: str, context: dict, _tree: nodes.Node) -> None:
    """Put the strip below the title, if the page is a rung's."""
    body = context.get("body", "")
    if not pagename.startswith("lessons/") or _TITLE_ENDS not in body:
        return
    ladder, here = _rung(app, pagename)
    if here is None:
        return

    def link(rung: Rung) -> str:
        return _link(app, pagename, ladder.docname(rung.name), rung.name)

    title, _ = pages.title_and_change(here.folder.parent / "README.md")
    whole = _link(app, pagename, f"lessons/{ladder.name}/index", title)
    head, rest = body.split(_TITLE_ENDS, 1)
    context["body"] = head + _TITLE_ENDS + strip(ladder, here, link, whole) + rest


def strip(ladder: Ladder, here: Rung, link: Callable[[Rung], str], whole: str) -> str:
    """Return the strip: the ladder, its numbered rungs, and the asides around this one."""
    entry = ladder.entry(here.name)
    before = ladder.folder(entry["after"]) if entry["after"] else None
    about = whole
    if before:
        about += f" &middot; {'an aside ' if here.is_aside else ''}after {link(before)}"
    steps = "".join(_step(rung, rung == here, link) for rung in ladder.folders if not rung.is_aside)
    parent = before if here.is_aside else here
    around = [
        rung
        for rung in ladder.folders
        if rung.is_aside
        and rung != here
        and ladder.entry(rung.name)["after"] in {parent.name, here.name}
    ]
    asides = ""
    if around:
        links = ", ".join(link(rung) for rung in around)
        asides = f"<p>{'Other asides' if here.is_aside else 'Asides'} from here: {links}</p>"
    return (
        f'<nav class="ladder-strip" aria-label="The ladder {escape(ladder.name)}">'
        f"<p>{about}</p><ol>{steps}</ol>{asides}</nav>"
    )


def _step(rung: Rung, is_here: bool, link: Callable[[Rung], str]) -> str:
    number = f'<span class="number">{rung.order}</span> '
    if is_here:
        return f'<li aria-current="page">{number}{escape(rung.name)}</li>'
    return f"<li>{number}{link(rung)}</li>"


def _link(app: Sphinx, pagename: str, target: str, text: str) -> str:
    address = app.builder.get_relative_uri(pagename, target)
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def _rung(app: Sphinx, pagename: str) -> tuple[Ladder | None, Rung | None]:
    """Return the ladder and the rung that a page is of; of other pages neither."""
    parts = pagename.split("/")
    if len(parts) != 4:
        return None, None
    try:
        ladder = lesson.read_ladder(Path(app.srcdir), parts[1])
    except EvidenceError:
        return None, None
    return ladder, next((rung for rung in ladder.folders if rung.folder.name == parts[2]), None)
