"""Ladders and rungs, as the folders under ``lessons`` name them.

The folder is the only place where a rung's name and order stand:
``lessons/matmul/3-transposed-a`` is the rung ``transposed-a`` of the ladder ``matmul``, at order 3.
Asides (``x1-small-tile``) sort behind the numbered rungs.
"""

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from evidence.errors import EvidenceError

ASIDE_ORDER = 1000  # what an aside's number is added to: x1 is 1001

_MOST_NAMED = 8  # in one sentence

_RUNG_FOLDER = re.compile(r"(?P<aside>x?)(?P<number>\d+)-(?P<name>[a-z0-9]+(?:-[a-z0-9]+)*)")


@dataclass(frozen=True)
class Rung:
    """One rung: where it lives and what it is called."""

    ladder: str
    name: str
    order: int
    folder: Path

    @property
    def key(self) -> str:
        """What the rung is called everywhere: ``ladder/name``."""
        return f"{self.ladder}/{self.name}"

    @property
    def is_aside(self) -> bool:
        """True for a rung that no numbered rung follows."""
        return self.order > ASIDE_ORDER

    @property
    def source(self) -> Path:
        """The file with the kernel."""
        return self.folder / f"{self.name}.cu"

    @property
    def page(self) -> Path:
        """The file with the rung's page."""
        return self.folder / "README.md"


def order_and_name(folder_name: str) -> tuple[int, str] | None:
    """Return (order, name) of a rung's folder name; None if no rung is called so."""
    match = _RUNG_FOLDER.fullmatch(folder_name)
    if match is None:
        return None
    order = int(match["number"])
    return (order + ASIDE_ORDER if match["aside"] else order), match["name"]


def problem_header(repo: Path, ladder: str) -> Path:
    """Return the file that states the ladder's problem."""
    return Path(repo) / "lessons" / ladder / f"{ladder}.hpp"


def ladders(repo: Path) -> list[str]:
    """Return the names of all ladders, sorted: the folders that hold a problem header."""
    lessons = Path(repo) / "lessons"
    if not lessons.is_dir():
        return []
    return sorted(d.name for d in lessons.iterdir() if problem_header(repo, d.name).is_file())


def rungs(repo: Path, ladder: str) -> list[Rung]:
    """Return the rungs of a ladder in order, asides last.

    Raises EvidenceError for an unknown ladder, and for two folders of one name or number.
    """
    known = ladders(repo)
    if ladder not in known:
        raise EvidenceError(f"there is no ladder {ladder!r}; there is {_words(known)}")
    found = []
    for folder in (Path(repo) / "lessons" / ladder).iterdir():
        parsed = order_and_name(folder.name)
        if parsed is not None and folder.is_dir():
            found.append(Rung(ladder, parsed[1], parsed[0], folder))
    found.sort(key=lambda rung: (rung.order, rung.name))
    for first, second in zip(found, found[1:], strict=False):
        if first.order == second.order:
            raise EvidenceError(
                f"lessons/{ladder} has two folders of one number, {first.folder.name} and "
                f"{second.folder.name}; renumber one"
            )
    names = [rung.name for rung in found]
    for name in names:
        if names.count(name) > 1:
            raise EvidenceError(f"lessons/{ladder} has two folders for {name!r}; rename one")
    return found


def rung(repo: Path, ladder: str, name: str) -> Rung:
    """Return one rung, by its name or its folder's.

    Raises EvidenceError, with the names that come near or a way to see them, if it is unknown.
    """
    every = rungs(repo, ladder)
    for candidate in every:
        if name in (candidate.name, candidate.folder.name):
            return candidate
    words = hint(name, {one.name: one.name for one in every})
    raise EvidenceError(f"there is no rung {name!r} in {ladder}; {words}")


def hint(name: str, known: dict[str, str]) -> str:
    """Return what there is in place of ``name``: all if few, what comes near, or how to see them.

    ``known`` has what is shown of each, and the name that ``name`` may come near to.
    """
    if len(known) <= _MOST_NAMED:
        return f"there is {_words(list(known))}"
    near = difflib.get_close_matches(name, set(known.values()), n=3)
    shown = [text for text, short in known.items() if short in near]
    return f"did you mean {' or '.join(shown)}?" if shown else "./course list names them all"


def _words(names: list[str]) -> str:
    """Return names as one would say them."""
    return ", ".join(names) if names else "none yet"
