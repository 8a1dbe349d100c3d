"""The public names that Doxygen found, header by header. Knows no Sphinx."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree


def public_names(xml: Path) -> dict[str, list[tuple[str, str]]]:
    """Return per header, in its own order, what it declares: (kind, name).

    A function's name has its arguments. Members of a class belong to it and are not listed.
    """
    found: dict[str, list[tuple[int, str, str]]] = {}

    def add(element: ElementTree.Element, kind: str, name: str) -> None:
        place = element.find("location")
        found.setdefault(place.get("file"), []).append((int(place.get("line")), kind, name))

    for compound in _compounds(xml):
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


def enumerators(xml: Path) -> dict[str, str]:
    """Return the enumeration of each value that is named without it: ``a::value``, ``a::Enum``."""
    found = {}
    for compound in _compounds(xml):
        if compound.get("kind") != "namespace":
            continue
        scope = compound.findtext("compoundname")
        for member in compound.iterfind("sectiondef/memberdef[@kind='enum'][@strong='no']"):
            name = f"{scope}::{member.findtext('name')}"
            found |= {f"{scope}::{v.findtext('name')}": name for v in member.iterfind("enumvalue")}
    return found


def _compounds(xml: Path) -> Iterator[ElementTree.Element]:
    """Yield each namespace, class and file that Doxygen describes, in the files' order."""
    for file in sorted(xml.glob("*.xml")):
        if file.name in ("index.xml", "Doxyfile.xml"):
            continue
        compound = ElementTree.parse(file).getroot().find("compounddef")
        if compound is not None:
            yield compound
