"""``api-headers FOLDER``: every public name of a folder's headers, header by header, by Breathe.

The names come from Doxygen's XML, so that a new header or function is on the page by itself.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

_DIRECTIVES = {"enum": "doxygenenum", "typedef": "doxygentypedef", "variable": "doxygenvariable"}
_ORDER = ("enum", "typedef", "variable", "class", "struct", "function")


def public_names(xml: Path) -> dict[str, list[tuple[str, str]]]:
    """Return per header, in its own order, what it declares: (kind, name).

    A function's name has its arguments. Members of a class belong to it and are not listed.
    """
    found: dict[str, list[tuple[int, str, str]]] = {}

    def add(element: ElementTree.Element, kind: str, name: str) -> None:
        place = element.find("location")
        found.setdefault(place.get("file"), []).append((int(place.get("line")), kind, name))

    for file in sorted(xml.glob("*.xml")):
        if file.name in ("index.xml", "Doxyfile.xml"):
            continue
        compound = ElementTree.parse(file).getroot().find("compounddef")
        if compound is None:
            continue
        kind, name = compound.get("kind"), compound.findtext("compoundname")
        if kind in ("class", "struct"):
            add(compound, kind, name)
        elif kind in ("namespace", "file"):
            scope = f"{name}::" if kind == "namespace" else ""
            for member in compound.iterfind("sectiondef/memberdef"):
                arguments = member.findtext("argsstring") or ""
                is_function = member.get("kind") == "function"
                full = scope + member.findtext("name") + (arguments if is_function else "")
                add(member, member.get("kind"), full)
    classes = {n for names in found.values() for _, kind, n in names if kind in ("class", "struct")}
    return {
        header: [(kind, n) for _, kind, n in sorted(names) if not _is_inner(n, classes)]
        for header, names in sorted(found.items())
    }


def _is_inner(name: str, classes: set[str]) -> bool:
    return name.partition("(")[0].rpartition("::")[0] in classes


class ApiHeaders(SphinxDirective):
    """A section for each header of a folder, or for one header."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
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
        for kind, name in names:
            directive = _DIRECTIVES.get(kind, f"doxygen{kind}")
            text = f"```{{{directive}}} {name}\n"
            if kind in ("class", "struct"):
                text += ":members:\n:undoc-members:\n"
            section += self.parse_text_to_nodes(text + "```\n")
        return section
