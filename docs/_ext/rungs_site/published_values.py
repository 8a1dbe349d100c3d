"""What the studies report, as the pages show it: beside ours, and never as ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sphinx.environment import BuildEnvironment

from evidence import page_links, published
from rungs_site.kept_records import number_label


@dataclass(frozen=True)
class Reported:
    """One value of a study, and the file that it is kept in."""

    file: Path
    document: dict
    entry: dict

    @property
    def id(self) -> str:
        """What links name it by."""
        return self.entry["id"]

    @property
    def instrument(self) -> str:
        """Which clock took it, in the study's words."""
        return self.entry["instrument"]

    @property
    def value(self) -> float | None:
        """The value; None where the study gives a range."""
        return self.entry.get("value")

    @property
    def text(self) -> str:
        """The value, or the range, with its unit."""
        return published.text(self.entry)

    @property
    def about(self) -> str:
        """What was measured, and what the study says of it."""
        parts = [self.entry["operation"], self.entry["variant"], self.entry.get("note", "")]
        return "; ".join(part for part in parts if part)

    @property
    def labels(self) -> list[str]:
        """The labels of its row on the page of published values: one for each of its numbers."""
        ends = [f"{self.id}/{end}" for end in ("low", "high") if end in self.entry]
        anchors = ([self.id] if "value" in self.entry else []) + ends
        return [number_label(self.file, anchor) for anchor in anchors]


def all_reported(env: BuildEnvironment) -> list[Reported]:
    """Return every value of every study, by file; the page being read depends on the files."""
    found = []
    for file in published.paths(Path(env.srcdir)):
        env.note_dependency(str(file))
        document = page_links.load(file)
        found += [Reported(file, document, entry) for entry in document["values"]]
    return found


def steps(
    env: BuildEnvironment, ladder: str, before: str, name: str
) -> list[tuple[Reported | None, Reported]]:
    """Return the times that the studies give for a rung, each with that of the rung before.

    A value counts whose id is ``RUNG/INSTRUMENT``; what two files repeat is there once. The rung
    before is of the same file and instrument; where it has none, that is None.
    """
    reported = [value for value in all_reported(env) if value.entry["unit"] == "us"]

    def of(rung: str) -> list[Reported]:
        key = f"{ladder}/{rung}"
        return [
            value
            for value in reported
            if value.entry["rung"] == key and value.id == f"{rung}/{value.instrument}"
        ]

    old = {(value.file, value.instrument): value for value in of(before)}
    new = {(value.instrument, value.text): value for value in reversed(of(name))}
    return [(old.get((v.file, v.instrument)), v) for v in reversed(new.values())]


def factor(old: Reported | None, new: Reported) -> float | None:
    """Return the reported time before / the reported time after; None if they are no pair.

    They are one only if the study says the same of both: of what is in two series, it says so.
    """
    if old is None or not old.value or not new.value:
        return None
    return old.value / new.value if old.entry.get("note") == new.entry.get("note") else None
