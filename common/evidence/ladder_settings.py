"""What ``lessons/LADDER/ladder.json`` says: the ladder's tables, and what its bench measures.

Keys, each of which may be left out:

- ``order``: the ladder's place among the ladders; those without one come last, by name.
- ``columns``: what tables show of a rung. A column has a ``heading`` and either a ``quantity``, a
  name in a rung's counts, with the kinds of ``counts`` to show (argued, ptx, sass), or a ``model``,
  whose quantity it shows. ``shared_wavefronts`` in PTX is the sum of loads and stores. ``group``
  stands above neighbouring headings, ``meaning`` below ``./course run``'s table; with
  ``only_if_any`` the column is left out where all is 0.
- ``models``: whose expected factors tables show.
- ``shapes``: what bench measures, sizes in the problem's order; the first is the problem's own.
- ``sizes``: what ``bench --sizes`` is for: sizes that the problem takes for all of its sizes.
- ``batches``: how many operations a sample of the instruments queued and graph has, one instrument
  for each; 1, 10 and 100 if it is left out.
- ``buffers``: how many sets of buffers a warm measurement takes in turn; 1 if it is left out.
- ``best_peer``: the peers whose fastest one is compared with; ``floor``: the floor that is.
- ``counters``: the hardware counters that bench can read.
- ``accuracy``: other inputs than the problem's own, over which bench asks for everyone's largest
  error: each has a ``name`` in small letters and digits, and ``ranges`` of inputs, ``[low, high]``.
"""

from dataclasses import dataclass
from pathlib import Path

from evidence import accuracy, lessons
from evidence.errors import EvidenceError
from evidence.json_file import read_json
from evidence.layout import Each, Either, require
from evidence.models import MODELS, quantity, shared_wavefronts

BATCHES = (1, 10, 100)  # operations in one sample of queued and graph, where a ladder says nothing

LAST = 1000  # the place of a ladder that names none

KINDS = {"argued": "argued", "ptx": "PTX", "sass": "SASS"}  # of counts, and as tables write them

_COLUMN = {
    "heading": str,
    "group?": str,
    "quantity?": str,
    "counts?": [Either(tuple(KINDS))],
    "model?": Either(tuple(MODELS)),
    "meaning?": str,
    "only_if_any?": bool,
}
_ACCURACY = {"name": accuracy.NAME, "ranges": Each([float])}
_LAYOUT = {
    "order?": int,
    "columns?": [_COLUMN],
    "models?": [Either(tuple(MODELS))],
    "shapes?": [[int]],
    "sizes?": [int],
    "batches?": [int],
    "buffers?": int,
    "best_peer?": [str],
    "floor?": str,
    "counters?": [str],  # held to the known ones when they are read
    "accuracy?": [_ACCURACY],
}


@dataclass(frozen=True)
class LadderColumn:
    """A count that the ladder's tables show of each rung."""

    heading: str
    quantity: str = ""  # a name in the counts of each of ``kinds``
    kinds: tuple[str, ...] = ()
    model: str = ""  # or else the model whose quantity it shows
    group: str = ""
    meaning: str = ""
    only_if_any: bool = False

    @property
    def headings(self) -> list[tuple[str, str]]:
        """Return (heading, kind) of each column of a table that tells kinds apart."""
        if self.model:
            return [(self.heading, "")]
        return [(f"{self.heading} {KINDS[kind]}", kind) for kind in self.kinds]

    @property
    def kind(self) -> str:
        """The kind of count for a table that shows one: the last but machine code's, PTX if any."""
        return "ptx" if "ptx" in self.kinds else self.kinds[-1] if self.kinds else ""

    def value(self, rung: dict, kind: str | None = None) -> float | None:
        """Return the count of a rung of a record or run document; None if it was not counted."""
        if not self.model:
            return count(rung, self.kind if kind is None else kind, self.quantity)
        try:
            return quantity(self.model, rung)
        except EvidenceError:
            return None


@dataclass(frozen=True)
class Inputs:
    """Other inputs than the problem's own, evenly over these ranges."""

    name: str
    ranges: dict[str, list[float]]  # low and high, by the input's name


@dataclass(frozen=True)
class LadderSettings:
    """What a ladder says of itself; of one without the file, nothing."""

    columns: tuple[LadderColumn, ...] = ()
    models: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    sizes: tuple[int, ...] | None = None  # None: the ladder cannot be measured over sizes
    batches: tuple[int, ...] = BATCHES  # operations in a sample of queued and graph
    buffers: int = 1  # sets of them that warm launches take in turn
    best_peer: tuple[str, ...] | None = None  # None: every peer in FP32
    floor: str = ""
    counters: tuple[str, ...] = ()
    accuracy: tuple[Inputs, ...] = ()  # over which errors are asked for
    order: int = LAST  # among the ladders

    def shown(self, rungs: list[dict]) -> list[LadderColumn]:
        """Return the columns that a table of these rungs shows."""
        return [
            column
            for column in self.columns
            if not column.only_if_any or any(column.value(rung) for rung in rungs)
        ]

    def is_best_peer(self, variant: dict) -> bool:
        """Return whether a variant, or a record's row, is a peer that rungs are compared with."""
        listed = self.best_peer is None or variant["name"] in self.best_peer
        return listed and variant["kind"] == "peer" and variant["math"] == "fp32"


def count(rung: dict, kind: str, quantity: str) -> float | None:
    """Return a count of a rung of a record or run document; None if this kind does not have it."""
    if (quantity, kind) == ("shared_wavefronts", "ptx"):
        return shared_wavefronts(rung)
    return ((rung.get("counts") or {}).get(kind) or {}).get(quantity)


def path_of(repo: Path, ladder: str) -> Path:
    """Return the file of a ladder's settings."""
    return Path(repo) / "lessons" / ladder / "ladder.json"


def ladders(repo: Path) -> list[str]:
    """Return the names of all ladders in the order that their settings give, then by name."""
    return sorted(lessons.ladders(repo), key=lambda name: (load(repo, name).order, name))


def load(repo: Path, ladder: str) -> LadderSettings:
    """Return a ladder's settings. Raises EvidenceError if the file is not as it must be."""
    path = path_of(repo, ladder)
    if not path.is_file():
        return LadderSettings()
    found = read_json(path)
    where = f"lessons/{ladder}/{path.name}"
    require(found, _LAYOUT, where)
    _require_known(found, [key.rstrip("?") for key in _LAYOUT], where)
    batches = found.get("batches", BATCHES)
    if not batches or min(batches) < 1:
        raise EvidenceError(f"{where}: batches is {batches}; each must be 1 or more")
    if found.get("buffers", 1) < 1:
        raise EvidenceError(f"{where}: buffers is {found['buffers']}; it must be 1 or more")
    peers, sizes = found.get("best_peer"), found.get("sizes")
    return LadderSettings(
        columns=tuple(
            _column(one, f"{where}: columns[{i}]") for i, one in enumerate(found.get("columns", ()))
        ),
        models=tuple(found.get("models", ())),
        shapes=tuple(map(tuple, found.get("shapes", ()))),
        sizes=None if sizes is None else tuple(sizes),
        batches=tuple(batches),
        buffers=found.get("buffers", 1),
        best_peer=None if peers is None else tuple(peers),
        floor=found.get("floor", ""),
        counters=tuple(found.get("counters", ())),
        accuracy=_accuracy(found.get("accuracy", ()), where),
        order=found.get("order", LAST),
    )


def _accuracy(found: list[dict], where: str) -> tuple[Inputs, ...]:
    for index, one in enumerate(found):
        inside = f"{where}: accuracy[{index}]"
        _require_known(one, list(_ACCURACY), inside)
        accuracy.require_ranges(one["ranges"], f"{inside}.ranges")
        if any(one["name"] == other["name"] for other in found[:index]):
            raise EvidenceError(f"{inside}.name is {one['name']!r}, which stands twice")
    return tuple(Inputs(one["name"], one["ranges"]) for one in found)


def _column(found: dict, where: str) -> LadderColumn:
    _require_known(found, [key.rstrip("?") for key in _COLUMN], where)
    by_count = "quantity" in found and bool(found.get("counts")) and "model" not in found
    by_model = "model" in found and "quantity" not in found and "counts" not in found
    if not by_count and not by_model:
        raise EvidenceError(f"{where} must have a model, or else a quantity with its counts")
    return LadderColumn(
        heading=found["heading"],
        quantity=found.get("quantity", ""),
        kinds=tuple(found.get("counts", ())),
        model=found.get("model", ""),
        group=found.get("group", ""),
        meaning=found.get("meaning", ""),
        only_if_any=found.get("only_if_any", False),
    )


def _require_known(found: dict, known: list[str], where: str) -> None:
    for key in found:
        if key not in known:
            raise EvidenceError(f"{where} has {key!r}, which is none of {', '.join(known)}")
