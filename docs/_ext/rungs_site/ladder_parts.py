"""``ladder-parts``: the parts of the course that a ladder uses; and the other way on the API page.

Both are computed from the sources' tokens, and every name is a link that must resolve.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes

from evidence import EvidenceError, ladder_settings, pages
from rungs_site import api_uses, lesson
from rungs_site.api_names import enumerators, public_names
from rungs_site.api_uses import Use
from rungs_site.directives import LessonDirective
from rungs_site.tables import label_link, page_link, paragraph


def header_label(header: str) -> str:
    """Return the label of a header's section on the API page."""
    return f"api/{header}"


class LadderParts(LessonDirective):
    """``ladder-parts``: each header that the page's ladder names something of, and who does."""

    def build(self) -> list[nodes.Node]:
        """Return a list of headers, each with its names."""
        ladder = self.ladder()
        found = ladder_uses(self, ladder.name)
        listed = nodes.bullet_list()
        for header in dict.fromkeys(use.header for use in found):
            title = header.removeprefix("common/")
            link = label_link(header_label(header), [nodes.literal("", title)], self.env.docname)
            some = [use for use in found if use.header == header]
            item = nodes.list_item()
            item += paragraph(link, ": ", *_names(self, some, ladder), ".")
            listed += item
        return [listed]


def used_by(directive: LessonDirective, header: str) -> list[nodes.Node]:
    """Return a paragraph that says which ladders name something of a header; nothing if none."""
    parts: list[str | nodes.Node] = []
    repo = Path(directive.env.srcdir)
    for name in ladder_settings.ladders(repo):
        some = [use for use in ladder_uses(directive, name) if use.header == header]
        if some:
            title, _ = pages.title_and_change(repo / "lessons" / name / "README.md")
            link = page_link(f"lessons/{name}/index", title, directive.env.docname)
            ladder = lesson.load_ladder(directive.env, name)
            parts += [" " if parts else "", link, ": ", *_names(directive, some, ladder), "."]
    if not parts:
        return []
    return [paragraph("Used by ", *[part for part in parts if part])]


def ladder_uses(directive: LessonDirective, ladder: str) -> list[Use]:
    """Return what a ladder uses; the page that is being read then depends on its sources."""
    env = directive.env
    projects = getattr(directive.config, "breathe_projects", None)
    if not projects:
        raise EvidenceError("without the API pages it is not known what a ladder uses of them")
    known = env.temp_data.setdefault("rungs_api_uses", {})
    if ladder not in known:
        if "" not in known:
            xml = Path(projects["rungs"])
            known[""] = public_names(xml), enumerators(xml)
        repo = Path(env.srcdir)
        for file in api_uses.sources(repo, ladder):
            env.note_dependency(str(file))
        known[ladder] = api_uses.uses(repo, ladder, *known[""])
    return known[ladder]


def _names(directive: LessonDirective, some: list[Use], ladder: lesson.Ladder) -> list:
    """Return names, those with the same users together, and who these are."""
    groups: dict[tuple, list[Use]] = {}
    for use in some:
        groups.setdefault((use.files, use.rungs), []).append(use)
    parts: list[str | nodes.Node] = []
    for group in groups.values():
        words, rungs = api_uses.users_text(group[0], len(ladder.folders))
        parts += ["; "] if parts else []
        for index, use in enumerate(group):
            parts += [", "] if index else []
            parts += _reference(directive, use)
        parts += [" in ", *([words] if words else [])]
        for index, rung in enumerate(rungs):
            parts += [", " if index or words else ""] if index or words else []
            parts.append(page_link(ladder.docname(rung), rung, directive.env.docname))
    return parts


def _reference(directive: LessonDirective, use: Use) -> list[nodes.Node]:
    """Return a link to a name on the API page, which a strict build resolves."""
    (holder,) = directive.parse_text_to_nodes(f"{{cpp:any}}`{use.last} <{use.name}>`")
    return list(holder.children)
