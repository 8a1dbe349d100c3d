"""``api-headers FOLDER``: every public name of a folder's headers, header by header, by Breathe.

The names come from Doxygen's XML, so that a new header or function is on the page by itself. Each
header says which ladders name something of it.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes

from rungs_site.api_names import public_names
from rungs_site.directives import LessonDirective
from rungs_site.ladder_parts import header_label, used_by

_DIRECTIVES = {"enum": "doxygenenum", "typedef": "doxygentypedef", "variable": "doxygenvariable"}


class ApiHeaders(LessonDirective):
    """A section for each header of a folder, or for one header."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        """Return the sections."""
        where = self.arguments[0]
        names = public_names(Path(self.config.breathe_projects["rungs"]))
        headers = [h for h in names if h == where or h.startswith(where + "/")]
        headers = [h for h in headers if Path(h).suffix in (".h", ".hpp")]
        if not headers:
            raise self.error(f"{self.name}: {where} has no header that Doxygen read")
        return [self._section(header, names[header]) for header in headers]

    def _section(self, header: str, names: list[tuple[str, str]]) -> nodes.section:
        title = header.removeprefix("common/")
        section = nodes.section(
            ids=[nodes.make_id(title)], names=[nodes.fully_normalize_name(title)]
        )
        section += nodes.title("", "", nodes.literal("", title))
        domain = self.env.domains.standard_domain
        domain.note_hyperlink_target(header_label(header), self.env.docname, section["ids"][0])
        section += used_by(self, header)
        for kind, name in names:
            directive = _DIRECTIVES.get(kind, f"doxygen{kind}")
            text = f"```{{{directive}}} {name}\n"
            if kind in ("class", "struct"):
                text += ":members:\n:undoc-members:\n"
            section += self.parse_text_to_nodes(text + "```\n")
        return section
