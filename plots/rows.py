"""The rows of a record by kind, each with a hatch and a word: rungs, peers, floors."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.patches import Patch

from evidence.plotted import is_numbered
from plots import frame
from plots.series import Series
from plots.style import Look

_HATCHES = {"kept": "", "beyond": "/////", "rejected": "xxxx", "peer": "||||", "floor": "----"}
_ROW = 0.25  # inches for a row with one bar; each more bar adds
_MORE = 0.17


@dataclass(frozen=True)
class Row:
    """A row of bars: its name, its kind, and the word that says more than the kind."""

    name: str
    kind: str
    word: str
    is_again: bool  # the second entry of a program


def of(series: Sequence[Series], instrument: str) -> list[Row]:
    """Return every row that one of these records timed so, by its time in the first that did."""
    found: dict[str, tuple[float, Row]] = {}
    for one in series:
        for row in one.record["shapes"][0]["rows"]:
            time = one.time(row["name"], instrument)
            if time is not None:
                line = Row(row["name"], row["kind"], _word(row), row["again_of"] is not None)
                found.setdefault(row["name"], (time.value, line))
    return [row for _, row in sorted(found.values(), key=lambda pair: pair[0])]


def _word(row: dict) -> str:
    """Return what a row is in a word: TF32 is no pair of FP32, and an aside is no step."""
    if row["math"] != "fp32":
        return f"{row['kind']}, {row['math'].upper()}"
    is_rung = row["kind"] not in ("peer", "floor")
    is_aside = is_rung and row["again_of"] is None and not is_numbered(row)
    return f"{row['kind']}, aside" if is_aside else row["kind"]


def untimed(series: Sequence[Series], instrument: str) -> str:
    """Return a sentence on the rows without such a time; nothing if there is none."""
    said = []
    for one in series:
        names = [
            row["name"]
            for row in one.record["shapes"][0]["rows"]
            if one.time(row["name"], instrument) is None
        ]
        if names:
            said.append(f"{', '.join(names)} ({one.source.label})")
    return f"Not measured: {'; '.join(said)}." if said else ""


def height(rows: int, bars: int = 1) -> float:
    """Return how high a panel of so many rows is, with so many bars each."""
    return rows * (_ROW + (bars - 1) * _MORE)


def left(look: Look, rows: Sequence[Row]) -> float:
    """Return the margin that the rows' names need."""
    return frame.widest([row.name for row in rows], look.variant.text) + 0.12


def fill(look: Look, kind: str, is_overlay: bool = False) -> dict:
    """Return how the bar of a kind is filled; the reader's own stands on grey."""
    colour, palette = look.colour(is_overlay), look.palette
    hatch = _HATCHES[kind]
    if not hatch:
        return look.bar(hatched=False, is_overlay=is_overlay)
    inside = palette.band if is_overlay else palette.background
    return {"facecolor": inside, "edgecolor": colour, "hatch": hatch, "linewidth": 0.9}


def legend(look: Look, series: Sequence[Series], rows: Sequence[Row]) -> list[tuple]:
    """Return what the fills mean, kind by kind."""
    entries = []
    for one in series:
        own = one.name_in_legend if len(series) > 1 else ""
        for kind in _HATCHES:
            if any(row.kind == kind and one.has(row.name) for row in rows):
                entries.append((Patch(**fill(look, kind, one.is_overlay)), own + _MEANING[kind]))
    return entries


_MEANING = {
    "kept": "kept by the study",
    "beyond": "past the study",
    "rejected": "rejected by the study",
    "peer": "peer",
    "floor": "floor",
}
