"""Measured records: made from what the conductor collected, checked, read.

A record is refused, in one sentence with the JSON path, if it is laid out wrong, contradicts itself
or its protocol, holds a failed check, was built for debugging, names a place of one machine, or
holds a time that beats what is possible. A digest over everything in it shows later changes.
"""

import copy
import hashlib
import json
import re
from pathlib import Path

from evidence import lessons, possible, source_hash, times
from evidence.errors import EvidenceError
from evidence.layout import require
from evidence.measured_consistency import require_measured_consistent
from evidence.measured_layout import DRAFT, LAYOUTS, RECORD, RECORD_SCHEMA

# What bends arithmetic or the order of launches; a record that is kept has none of them.
BENDING = (
    "NVIDIA_TF32_OVERRIDE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TRITON_F32_DEFAULT",
    "CUDA_LAUNCH_BLOCKING",
)

# The least that a record which is kept is made of.
ROUNDS, SAMPLES = 3, 100

# A path of someone's machine: a folder at the root, and something in it.
_PLACE = re.compile(r"(?<![\w./$}])/(?:home|root|work|Users|scratch|mnt|tmp)/[^\s'\":,;)]*")


def path_of(repo: Path, namespace: str, ladder: str, sizes: bool = False) -> Path:
    """Return where a measured record is kept."""
    name = f"{ladder}-sizes.json" if sizes else f"{ladder}.json"
    return Path(repo) / "docs" / "evidence" / namespace / name


def paths(repo: Path, ladder: str | None = None) -> list[Path]:
    """Return every measured record that is kept, oldest namespace first as names sort."""
    folder = Path(repo) / "docs" / "evidence"
    other = {"counts", "published", "schema"}
    found = [p for p in folder.glob("*/*.json") if p.parent.name not in other]
    if ladder is not None:
        found = [p for p in found if p.stem in (ladder, f"{ladder}-sizes")]
    return sorted(found, key=lambda path: (_natural(path.parent.name), path.stem))


def finish(draft: dict) -> dict:
    """Return the record that a draft gives: without places of this machine, with its digest.

    Raises EvidenceError if it is refused; the draft is left as it is.
    """
    record = _without_places(copy.deepcopy(draft))
    record.setdefault("schema", RECORD_SCHEMA)
    record.pop("sha256", None)
    where = f"the record of {record.get('ladder')}"
    require(record, DRAFT, where)
    record["sha256"] = record_digest(record)
    require_record(record, where)
    return record


def one_machine(machines: list[dict]) -> dict:
    """Return the one machine that every worker named. Raises EvidenceError if they differ."""
    for other in machines[1:]:
        for key in machines[0].keys() | other.keys():
            if machines[0].get(key) != other.get(key):
                raise EvidenceError(
                    f"the workers ran on two machines: {key} is {machines[0].get(key)!r} and "
                    f"{other.get(key)!r}; a record holds one"
                )
    return machines[0]


def record_digest(record: dict) -> str:
    """Return the SHA-256 over everything in a record but the digest itself."""
    rest = {key: value for key, value in record.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def require_record(record: dict, where: str) -> None:
    """Raise EvidenceError, with ``where`` and the JSON path, unless this is a whole record."""
    require(record, LAYOUTS.get(record.get("schema"), RECORD), where)
    if record["build"] != "Release":
        raise EvidenceError(
            f"{where}: build is {record['build']!r}; only a Release build is measured"
        )
    _refuse_places(record, where)
    _require_one_machine(record, where)
    require_measured_consistent(record, where)
    possible.require_possible(record, where)
    digest = record_digest(record)
    if record["sha256"] != digest:
        raise EvidenceError(
            f"{where}: sha256 is {record['sha256'][:12]}..., but what stands in the record gives "
            f"{digest[:12]}...; it was changed after it was written"
        )


def require_keepable(repo: Path, record: dict, where: str) -> None:
    """Raise EvidenceError unless a record may be kept: nothing left out, nothing bent, current.

    ``record`` is one that require_record() accepts. A size sweep needs
    only the ladder's numbered rungs.
    """
    for name in BENDING:
        if name in record["environment"]:
            raise EvidenceError(
                f"{where}: environment.{name} is {record['environment'][name]!r}; "
                "a record that is kept is measured without it"
            )
    protocol = record["protocol"]
    for name, least in (("rounds", ROUNDS), ("samples", SAMPLES)):
        if protocol[name] < least:
            raise EvidenceError(
                f"{where}: protocol.{name} is {protocol[name]}; a record that is kept needs {least}"
            )
    for index, entry in enumerate(record["shapes"]):
        _require_all_rungs(repo, record, entry, f"{where}: shapes[{index}].rows")
        if sum(1 for row in entry["rows"] if row["again_of"] is not None) < 2:
            raise EvidenceError(
                f"{where}: shapes[{index}].rows has no two rungs entered twice; "
                "without them the noise is not known"
            )
    for sentence in stale(repo, record):
        raise EvidenceError(f"{where}: {sentence}")


def stale(repo: Path, record: dict) -> list[str]:
    """Return a sentence for each row whose source is no longer the one that was measured."""
    ladder, found, seen = record["ladder"], [], set()
    for entry in record["shapes"]:
        for row in entry["rows"]:
            name = row["again_of"] or row["name"]
            if row["source_hash"] is None or name in seen:
                continue
            seen.add(name)
            now = source_hash.row_hash(repo, ladder, name, row["kind"])
            if now is None:
                what = "source" if row["kind"] == "floor" else "folder"
                found.append(f"{ladder}/{name} is in the record, but has no {what}")
            elif now != row["source_hash"]:
                found.append(f"{ladder}/{name} has changed since it was measured")
    return found


def _require_all_rungs(repo: Path, record: dict, entry: dict, path: str) -> None:
    names = [row["name"] for row in entry["rows"]]
    measured = any(row["kind"] not in ("kept", "rejected", "beyond") for row in entry["rows"])
    if not measured:
        raise EvidenceError(f"{path} has no peer and no floor; nothing to compare with is kept")
    rungs = lessons.rungs(repo, record["ladder"])
    if times.is_sweep(record):
        rungs = [rung for rung in rungs if not rung.is_aside]
    missing = [rung.name for rung in rungs if rung.name not in names]
    if missing:
        raise EvidenceError(
            f"{path} lacks {', '.join(missing)}; a record that is kept has them all"
        )


def _require_one_machine(record: dict, where: str) -> None:
    """Refuse parts that say they are of another machine than the record."""
    for path, inner in _objects(record):
        other = inner.get("machine")
        if path and other is not None and other != record["machine"]:
            name = other.get("name") if isinstance(other, dict) else other
            raise EvidenceError(
                f"{where}: {path}.machine is {name!r}, but the record is of "
                f"{record['machine']['name']!r}; a record holds one machine"
            )


def _objects(value: object, path: str = ""):
    """Yield (JSON path, object) for every object in a document."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            yield from _objects(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and not isinstance(value[0], int | float):
        for index, inner in enumerate(value):
            yield from _objects(inner, f"{path}[{index}]")


def _refuse_places(record: dict, where: str) -> None:
    for path, inner in _objects(record):
        for key, text in inner.items():
            if isinstance(text, str) and _PLACE.search(text):
                raise EvidenceError(
                    f"{where}: {path + '.' if path else ''}{key} names a place of one machine"
                )


def _without_places(value: object) -> object:
    """Return a document whose texts name files without the folders of this machine."""
    if isinstance(value, dict):
        return {key: _without_places(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_places(inner) for inner in value]
    if isinstance(value, str):
        return _PLACE.sub(lambda match: match[0].rstrip("/").rpartition("/")[2], value)
    return value


def _natural(name: str) -> list:
    """Sort h200-2 before h200-10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
