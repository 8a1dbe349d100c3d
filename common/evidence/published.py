"""The studies' own values: read, and found by rung.

They are reported, not measured here: no plot shows one as a measurement of this course, and no
ratio has one side from here and one from there.
"""

from pathlib import Path

from evidence.errors import EvidenceError
from evidence.json_file import read_json
from evidence.layout import require
from evidence.published_layout import PUBLISHED, PUBLISHED_SCHEMA


def paths(repo: Path) -> list[Path]:
    """Return every file of published values, sorted."""
    return sorted((Path(repo) / "docs" / "evidence" / "published").glob("*.json"))


def load(path: Path) -> dict:
    """Return what a study reports. Raises EvidenceError unless it is whole and says each once."""
    document = read_json(path)
    found = document.get("schema") if isinstance(document, dict) else None
    if found != PUBLISHED_SCHEMA:
        said = "missing" if found is None else repr(found)
        raise EvidenceError(f"{path}: schema is {said}; it must be {PUBLISHED_SCHEMA}")
    require(document, PUBLISHED, str(path))
    seen = set()
    for index, value in enumerate(document["values"]):
        where = f"{path}: values[{index}]"
        if value["id"] in seen:
            raise EvidenceError(f"{where}.id is {value['id']!r}, which stands twice")
        seen.add(value["id"])
        if not ("value" in value or "low" in value and "high" in value):
            raise EvidenceError(f"{where} has no value, and no low and high")
        if ("low" in value) != ("high" in value) or value.get("low", 0) > value.get("high", 0):
            raise EvidenceError(f"{where}: low and high are no range")
    return document


def of_rung(repo: Path, key: str) -> list[tuple[dict, dict]]:
    """Return (document, value) for all that the studies report of a rung, ``ladder/name``."""
    found = []
    for path in paths(repo):
        document = load(path)
        found += [(document, value) for value in document["values"] if value["rung"] == key]
    return found


def text(value: dict) -> str:
    """Return a value as the study prints it: ``141.70 us``, or ``13.3 to 13.7 us`` for a range.

    Of a value with its range, the value.
    """
    unit = value["unit"] if value["unit"] in ("x", "") else f" {value['unit']}"
    if "value" in value:
        return f"{_digits(value, 'value')}{unit}"
    return f"{_digits(value, 'low')} to {_digits(value, 'high')}{unit}"


def _digits(value: dict, key: str) -> str:
    number = value[key]
    if "decimals" in value:
        return f"{number:,.{value['decimals']}f}"
    return f"{number:,}"
