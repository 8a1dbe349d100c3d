"""The one reader and writer of records.

A *run document* is what an executable writes by ``--json``. A *counts record* is what is kept of
one in ``docs/evidence/counts/<ladder>.json``: descriptions, counts, compiler and source hashes,
nothing that changes from run to run, so that equal sources and compilers give equal bytes. A
*measured record* is what ``./course bench`` makes on a GPU; ``measured`` has its rules.
"""

import copy
from pathlib import Path

from evidence import lessons, measured, pages, published, source_hash
from evidence.consistency import require_consistent
from evidence.counts_layout import COUNTS, COUNTS_SCHEMA, REPORT, REPORT_SCHEMA, RUN, RUN_SCHEMA
from evidence.errors import EvidenceError
from evidence.json_file import read_json
from evidence.layout import require
from evidence.measured_layout import LAYOUTS, RECORD, RECORD_SCHEMA


def counts_path(repo: Path, ladder: str) -> Path:
    """Return where the counts record of a ladder is kept."""
    return Path(repo) / "docs" / "evidence" / "counts" / f"{ladder}.json"


def load_counts(path: Path) -> dict:
    """Return a counts record. Raises EvidenceError unless it is whole and agrees with itself."""
    record = _load(path, COUNTS_SCHEMA, COUNTS)
    for index, rung in enumerate(record["rungs"]):
        if not rung["check"]["passed"]:
            raise EvidenceError(
                f"{path}: rungs[{index}].check.passed is False; nothing was counted"
            )
    require_consistent(record, str(path))
    return record


def load_record(path: Path) -> dict:
    """Return a measured record. Raises EvidenceError unless it is whole and agrees with itself."""
    record = _load(path, RECORD_SCHEMA, RECORD, LAYOUTS)
    measured.require_record(record, str(path))
    return record


def load_any(path: Path) -> dict:
    """Return any document that is kept: a measured or counts record, or published values.

    Raises EvidenceError as the loader of its kind does.
    """
    document = read_json(path)
    schema = document.get("schema") if isinstance(document, dict) else None
    kind = schema.split("/")[0] if isinstance(schema, str) else None
    loaders = {"rungs-counts": load_counts, "rungs-published": published.load}
    return loaders.get(kind, load_record)(path)


def load_run(path: Path) -> dict:
    """Return the run document that an executable wrote. Raises EvidenceError if it is none."""
    return _load(path, RUN_SCHEMA, RUN)


def load_report(path: Path) -> dict:
    """Return what the CPU device counted of any program. Raises EvidenceError if it is none."""
    return _load(path, REPORT_SCHEMA, REPORT)


def counts_record(repo: Path, run: dict) -> dict:
    """Return the counts record that a run document of a whole ladder gives.

    Raises EvidenceError if a check failed, a count is missing, the kernels were not compiled by one
    compiler, or a rung was built from another source than the one that is there.
    """
    ladder = run["ladder"]
    expected = [rung.name for rung in lessons.rungs(repo, ladder)]
    if [rung["name"] for rung in run["rungs"]] != expected:
        raise EvidenceError(f"a record needs every rung of {ladder}, in order: {expected}")
    record = {
        "schema": COUNTS_SCHEMA,
        "ladder": ladder,
        "shape": run["shape"],
        "seed": run["seed"],
        "compiler": _one_compiler(run),
        "rungs": [_counts_rung(repo, ladder, rung) for rung in run["rungs"]],
    }
    require(record, COUNTS, f"the counts of {ladder}")
    require_consistent(record, f"the counts of {ladder}")
    return copy.deepcopy(record)


def stale(repo: Path, record: dict) -> list[str]:
    """Return a sentence for each rung that the record no longer describes."""
    found = []
    names = [rung.name for rung in lessons.rungs(repo, record["ladder"])]
    for rung in record["rungs"]:
        if rung["name"] not in names:
            found.append(f"{rung['key']} is in the record, but has no folder")
        elif source_hash.rung_hash(repo, record["ladder"], rung["name"]) != rung["source_hash"]:
            found.append(f"{rung['key']} has changed since it was counted")
    recorded = [rung["name"] for rung in record["rungs"]]
    found += [f"{record['ladder']}/{n} is not in the record" for n in names if n not in recorded]
    return found


def differences(old: object, new: object, path: str = "") -> list[str]:
    """Return a line for each value that differs between two documents: path, old, new."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in sorted(old.keys() | new.keys()):
            inside = f"{path}.{key}" if path else key
            if key not in new:
                found.append(f"{inside}: is gone")
            elif key not in old:
                found.append(f"{inside}: is new")
            else:
                found += differences(old[key], new[key], inside)
        return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [line for i, (a, b) in pairs for line in differences(a, b, f"{path}[{i}]")]
    if old == new and isinstance(old, bool) == isinstance(new, bool):
        return []
    if isinstance(old, list) and isinstance(new, list):
        return [f"{path}: {len(old)} entries -> {len(new)}"]
    return [f"{path}: {old!r} -> {new!r}"]


def _load(path: Path, schema: str, layout: object, layouts: dict | None = None) -> dict:
    """Return a document of this schema and layout; ``layouts`` has those of older versions too."""
    document = read_json(path)
    found = document.get("schema") if isinstance(document, dict) else None
    if isinstance(found, str) and found in (layouts or {}):
        layout = layouts[found]
    elif found != schema:
        kind, version = schema.split("/")
        if isinstance(found, str) and found.startswith(f"{kind}/"):
            raise EvidenceError(
                f"{path}: is of version {found}, this course reads {kind}/{version}; "
                "use the course that wrote it"
            )
        said = "missing" if found is None else repr(found)
        raise EvidenceError(f"{path}: schema is {said}; it must be {schema}")
    require(document, layout, str(path))
    return document


def _one_compiler(run: dict) -> dict:
    """Return the compiler that made every rung."""
    for rung in run["rungs"]:
        if rung["compiler"] is None:
            raise EvidenceError(f"{rung['key']}: the machine code was not counted")
        if rung["compiler"] != run["rungs"][0]["compiler"]:
            raise EvidenceError(f"{rung['key']} was built by another compiler than the first rung")
    return run["rungs"][0]["compiler"]


def _counts_rung(repo: Path, ladder: str, rung: dict) -> dict:
    """Return what is kept of one rung of a run document."""
    key = rung["key"]
    if not rung["check"]["passed"]:
        raise EvidenceError(f"{key}: the check failed; nothing is recorded")
    counts = rung.get("counts") or {}
    for kind in ("ptx", "sass"):
        if not counts.get(kind):
            raise EvidenceError(f"{key}: counts.{kind} is missing; nothing is recorded")
    if rung["source_hash"] != source_hash.rung_hash(repo, ladder, rung["name"]):
        raise EvidenceError(f"{key} was built from another source; build again")
    title, change = pages.title_and_change(lessons.rung(repo, ladder, rung["name"]).page)
    shapes = [{"shape": s["shape"], "passed": s["passed"]} for s in rung["check"]["shapes"]]
    return {
        "name": rung["name"],
        "key": key,
        "order": rung["order"],
        "after": rung["after"],
        "kind": rung["kind"],
        "because": rung["because"],
        "title": title,
        "change": change,
        "source_hash": rung["source_hash"],
        "check": {"passed": True, "shapes": shapes},
        "counts": {kind: counts[kind] for kind in ("argued", "ptx", "sass")},
    }
