"""What must be there before a page is read: a sound counts record with every rung, sound evidence.

Without it each number of each page fails by itself, and one missing rung, or one damaged record,
gives a hundred errors.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from evidence import EvidenceError, lessons, measured, page_links, published, records


def require_records(app: Sphinx, config: Config) -> None:
    """End the build unless all evidence is sound, and each ladder's record holds all its rungs.

    Raises SystemExit with one sentence. Of an exception of its own Sphinx would print the
    versions of its parts and a traceback, as if the fault were in them.
    """
    repo = Path(app.srcdir)
    try:
        for ladder in lessons.ladders(repo):
            _require_record(repo, ladder)
    except EvidenceError as error:
        raise SystemExit(f"ERROR: {error}") from error
    bad = page_links.damaged(repo, [*measured.paths(repo), *published.paths(repo)])
    if bad:
        raise SystemExit("\n".join(f"ERROR: {sentence}" for sentence in bad))


def _require_record(repo: Path, ladder: str) -> None:
    path = records.counts_path(repo, ladder)
    shown = path.relative_to(repo)
    if not path.is_file():
        raise EvidenceError(f"{shown} is missing: ./course counts {ladder} --save makes it")
    recorded = {rung["name"] for rung in records.load_counts(path)["rungs"]}
    lacking = [rung.key for rung in lessons.rungs(repo, ladder) if rung.name not in recorded]
    if lacking:
        raise EvidenceError(
            f"{shown} lacks {', '.join(lacking)}: ./course counts {ladder} --save counts the "
            "ladder anew"
        )
