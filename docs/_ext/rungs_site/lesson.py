"""What a page is about: its ladder, its rung, and what the counts record says of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sphinx.environment import BuildEnvironment

from evidence import EvidenceError, ladder_settings, lessons, models, records, source_hash
from evidence.ladder_settings import LadderSettings
from evidence.lessons import Rung


@dataclass(frozen=True)
class Ladder:
    """A ladder, its folders, and its counts record."""

    repo: Path
    name: str
    folders: list[Rung]
    record_path: Path
    record: dict
    settings: LadderSettings

    def folder(self, name: str) -> Rung:
        """Return the folder of the rung ``name``."""
        for rung in self.folders:
            if rung.name == name:
                return rung
        raise EvidenceError(f"{self.name} has no rung '{name}'")

    def entry(self, name: str) -> dict:
        """Return what the record holds of the rung ``name``."""
        for entry in self.record["rungs"]:
            if entry["name"] == name:
                return entry
        raise EvidenceError(f"{self.record_path.name} has no rung '{name}'")

    def entries(self) -> list[dict]:
        """Return what the record holds of every rung, in the ladder's order."""
        return [self.entry(rung.name) for rung in self.folders]

    def is_current(self, name: str) -> bool:
        """Return whether the record was made from the source as it is now."""
        return self.entry(name)["source_hash"] == source_hash.rung_hash(self.repo, self.name, name)

    def docname(self, name: str) -> str:
        """Return the docname of the rung's page."""
        return f"lessons/{self.name}/{self.folder(name).folder.name}/index"

    def expected(self, model: str, name: str) -> float:
        """Return the factor that ``model`` expects of the rung ``name`` over the one before."""
        entry = self.entry(name)
        if not entry["after"]:
            raise EvidenceError(f"{self.name}/{name} comes after no rung")
        return models.expected_factor(model, self.entry(entry["after"]), entry)


def record_path(env: BuildEnvironment, ladder: str) -> Path:
    """Return the file of the counts record of ``ladder``."""
    return records.counts_path(Path(env.srcdir), ladder)


def load_ladder(env: BuildEnvironment, name: str) -> Ladder:
    """Return the ladder ``name``; the page that is being read then depends on its files."""
    ladder = read_ladder(Path(env.srcdir), name)
    said = ladder_settings.path_of(ladder.repo, name)
    sources = [rung.source for rung in ladder.folders]
    for file in [ladder.record_path, *([said] if said.is_file() else []), *sources]:
        env.note_dependency(str(file))
    return ladder


def read_ladder(repo: Path, name: str) -> Ladder:
    """Return the ladder ``name``. Raises EvidenceError if it has no counts record."""
    path = records.counts_path(repo, name)
    if not path.is_file():
        raise EvidenceError(
            f"{path.relative_to(repo)} is missing: ./course counts {name} --save makes it"
        )
    folders = lessons.rungs(repo, name)
    settings = ladder_settings.load(repo, name)
    return Ladder(repo, name, folders, path, records.load_counts(path), settings)


def ladder_of_page(env: BuildEnvironment) -> str:
    """Return the name of the ladder that the page being read belongs to."""
    parts = Path(env.doc2path(env.docname, base=False)).parts
    if len(parts) < 3 or parts[0] != "lessons":
        raise EvidenceError("this page does not stand in a ladder's folder")
    return parts[1]


def rung_of_page(env: BuildEnvironment, ladder: Ladder) -> Rung:
    """Return the rung that the page being read is about."""
    folder = Path(env.doc2path(env.docname, base=False)).parent.name
    for rung in ladder.folders:
        if rung.folder.name == folder:
            return rung
    raise EvidenceError(f"lessons/{ladder.name}/{folder} is no rung's folder")
