"""Predictions as the first record that was kept froze them, and what was edited since."""

import math
from pathlib import Path

from evidence import lessons, measured, models, records, times
from evidence.errors import EvidenceError

# Expected factors are ratios of counts; the last bits of one may depend on who divided.
_SAME = 1e-9


def first_record(repo: Path, ladder: str) -> Path | None:
    """Return the oldest measured record of a ladder that holds predictions; None if none is kept.

    Oldest by the date in it, then by the namespace. A size sweep does not count.
    """
    dated = []
    for number, path in enumerate(measured.paths(repo, ladder)):
        record = records.load_record(path)
        if record["predictions"] and not times.is_sweep(record):
            dated.append((record["date"], number, path))
    return min(dated)[2] if dated else None


def edited(repo: Path, ladder: str) -> list[str]:
    """Return a sentence for each prediction that differs from the oldest record that is kept.

    What is compared is the text, the rung that the step follows, and the expected factor as counted
    now. A rung that the record does not hold is free. Raises EvidenceError if a record is no good.
    """
    path = first_record(repo, ladder)
    if path is None:
        return []
    record = records.load_record(path)
    now = _now(records.load_counts(records.counts_path(repo, ladder)))
    return differences(record, now, f"{path.parent.name}/{path.stem}")


def differences(record: dict, now: dict[tuple[str, str], dict], where: str) -> list[str]:
    """Return a sentence for each prediction of ``now`` that is not as ``record`` holds it.

    ``now`` has what stands today by (rung, model): "why", "after", "expected".
    """
    frozen = {(p["rung"], p["model"]): p for p in record["predictions"]}
    measured_rungs = {row["name"] for entry in record["shapes"] for row in entry["rows"]}
    found = []
    for key, old in frozen.items():
        name, new = f"{record['ladder']}/{key[0]}, {key[1]}", now.get(key)
        if new is None:
            found.append(f"{name}: {where} holds this prediction, but it is no longer made")
            continue
        if new["why"] != old["why"]:
            found.append(f"{name}: the text was {old['why']!r} in {where}, and is {new['why']!r}")
        if new["after"] != old["after"]:
            found.append(f"{name}: the step followed {old['after']} in {where}, now {new['after']}")
        elif not math.isclose(new["expected"], old["expected"], rel_tol=_SAME):
            found.append(
                f"{name}: the expected factor was {old['expected']:.4g} in {where}, and is "
                f"{new['expected']:.4g}"
            )
    for rung, model in now.keys() - frozen.keys():
        if rung in measured_rungs:
            found.append(
                f"{record['ladder']}/{rung}, {model}: {where} was measured without this prediction"
            )
    return sorted(found)


def of_counts(counts: dict) -> list[dict]:
    """Return the predictions that a counts record makes, as a measured record holds them."""
    return [
        {"rung": rung, "model": model, **prediction}
        for (rung, model), prediction in _now(counts).items()
    ]


def _now(counts: dict) -> dict[tuple[str, str], dict]:
    known = {entry["name"]: entry for entry in counts["rungs"]}
    found = {}
    for entry in counts["rungs"]:
        if entry["after"] is None:
            continue
        for because in entry["because"]:
            model = because["model"]
            try:
                expected = models.expected_factor(model, known[entry["after"]], entry)
            except EvidenceError:
                continue  # the quantity was not counted: nothing is expected
            found[entry["name"], model] = {
                "after": entry["after"],
                "why": because["why"],
                "expected": expected,
            }
    return found


def edited_everywhere(repo: Path) -> list[str]:
    """Return what edited() says of every ladder."""
    return [sentence for ladder in lessons.ladders(repo) for sentence in edited(repo, ladder)]
