"""Which lessons name which public names, from the tokens of their sources. Knows no Sphinx.

A lesson writes a public name in full, as ``rungs::Shape``, or behind an alias of a namespace, as
``cublas::Product`` after ``namespace cublas = rungs::cublas;``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evidence import EvidenceError, lessons
from evidence.tokens import tokens

ROOT = "rungs"
PROBLEM, PEERS = "the problem header", "the peers"
HEADERS = (".h", ".hpp")


@dataclass(frozen=True)
class Use:
    """A public name of a header, and who names it in one ladder."""

    header: str
    name: str  # in full, without arguments
    ladder: str
    files: tuple[str, ...]  # PROBLEM, PEERS
    rungs: tuple[str, ...]  # by name, in the ladder's order

    @property
    def last(self) -> str:
        """The name without the namespace of the course."""
        return self.name.removeprefix(f"{ROOT}::")


def headers_of(public: Mapping[str, Iterable[tuple[str, str]]]) -> dict[str, list[str]]:
    """Return per name, without arguments, the headers that declare it, as api.public_names()."""
    found: dict[str, list[str]] = {}
    for header, names in public.items():
        if Path(header).suffix in HEADERS:
            for _, name in names:
                found.setdefault(name.partition("(")[0], []).append(header)
    return {name: list(dict.fromkeys(headers)) for name, headers in found.items()}


def named(text: str, known: Mapping[str, str], where: str) -> set[str]:
    """Return the known names that a source names, each as the name that ``known`` gives for it.

    Raises EvidenceError at a name of the course that is not known: it is then not public, or
    Doxygen lost it.
    """
    namespaces = {name[:at] for name in known for at in _ends(name)} | {ROOT}
    aliases = {ROOT: ROOT}
    found = set()
    for chain, before, after in _chains(tokens(text, where)):
        if before == "namespace" and after == "=":
            continue  # the alias' own name; what it stands for follows
        if chain[0] not in aliases:
            continue
        full = "::".join([aliases[chain[0]], *chain[1:]])
        if before.startswith("namespace ") and before.endswith("="):
            aliases[before.split()[1]] = full
            continue
        ends = [full[:at] for at in _ends(full)] + [full]
        names = [end for end in ends if end in known]
        if names:
            found.add(known[names[0]])  # what stands behind it is a part of it
        elif full not in namespaces:
            raise EvidenceError(f"{where} names {full}, which no header of the API declares")
    return found


def _ends(name: str) -> list[int]:
    return [at for at in range(len(name)) if name.startswith("::", at)]


def _chains(found: list[str]) -> Iterator[tuple[list[str], str, str]]:
    """Yield each chain of words joined by ``::``, with the words before it and the one after."""
    at = 0
    while at < len(found):
        if not (found[at][0].isalpha() or found[at][0] == "_"):
            at += 1
            continue
        begin, chain = at, [found[at]]
        while found[at + 1 : at + 2] == ["::"] and at + 2 < len(found):
            chain.append(found[at + 2])
            at += 2
        at += 1
        before = found[begin - 1] if begin else ""
        if before == "=" and begin >= 3 and found[begin - 3] == "namespace":
            before = " ".join(found[begin - 3 : begin])
        yield chain, before, found[at] if at < len(found) else ""


def sources(repo: Path, ladder: str) -> dict[Path, str]:
    """Return the sources of a ladder, each with what it is: PROBLEM, PEERS or a rung's name."""
    folder = Path(repo) / "lessons" / ladder
    found = {folder / f"{ladder}.hpp": PROBLEM}
    found |= dict.fromkeys(sorted(folder.glob("peers.c*")), PEERS)
    return found | {rung.source: rung.name for rung in lessons.rungs(repo, ladder)}


def uses(
    repo: Path,
    ladder: str,
    public: Mapping[str, Iterable[tuple[str, str]]],
    enumerators: Mapping[str, str],
) -> list[Use]:
    """Return which public names a ladder's sources name, in the headers' order.

    ``enumerators`` gives the enumeration of each of its values that has the scope around it.
    """
    headers = headers_of(public)
    known = {name: name for name in headers} | dict(enumerators)
    users: dict[str, list[str]] = {}
    for path, what in sources(repo, ladder).items():
        where = path.relative_to(repo).as_posix()
        for name in named(path.read_text(encoding="utf-8"), known, where):
            users.setdefault(name, []).append(what)
    return [
        Use(
            header,
            name,
            ladder,
            tuple(what for what in users[name] if what in (PROBLEM, PEERS)),
            tuple(what for what in users[name] if what not in (PROBLEM, PEERS)),
        )
        for header in public
        for name in headers
        if name in users and header in headers[name]
    ]


def users_text(use: Use, all_rungs: int) -> tuple[str, tuple[str, ...]]:
    """Return who names it in words, and the rungs to be named beside: none where all do."""
    everywhere = bool(use.rungs) and len(use.rungs) == all_rungs
    words = [*(["every rung"] if everywhere else []), *use.files]
    text = " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
    return text, () if everywhere else use.rungs
