"""The errors of a measured record over other inputs than the problem's own.

A ladder names such inputs in its ladder.json, for example "mean 10", and the ranges that they are
spread over. A record holds under ``accuracy``, for each, the largest error of every rung and peer
against the float64 reference: relative to max(|reference|, the output's usual magnitude), as in a
check. The problem's tolerance is not meant for them, so nothing is passed or failed.
"""

import re

from evidence.errors import EvidenceError

NAME = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")


def path(name: str) -> str:
    """Return how an anchor writes the name of inputs: ``mean-10`` for "mean 10"."""
    return name.replace(" ", "-")


def at(record: dict, shape: dict) -> list[dict]:
    """Return the entries of a record at a shape, in the record's order."""
    return [entry for entry in record.get("accuracy", ()) if entry["shape"] == shape]


def row(entry: dict, name: str) -> dict | None:
    """Return what an entry holds of a variant: its error, or why it is missing; None if nothing."""
    return next((row for row in entry["rows"] if row["name"] == name), None)


def missing(entries: list[dict]) -> dict[str, list[str]]:
    """Return why errors are missing: the variants by the reason, without its full stop."""
    found: dict[str, dict[str, None]] = {}
    for entry in entries:
        for one in entry["rows"]:
            if "missing" in one:
                found.setdefault(one["missing"].rstrip("."), {})[one["name"]] = None
    return {reason: list(names) for reason, names in found.items()}


def ranges_text(ranges: dict[str, list[float]]) -> str:
    """Return ranges in words: "X from 8.27 to 11.7", "X = 1"."""
    return ", ".join(
        f"{name} = {low:g}" if low == high else f"{name} from {low:.6g} to {high:.6g}"
        for name, (low, high) in ranges.items()
    )


def require_ranges(ranges: dict[str, list[float]], where: str) -> None:
    """Raise EvidenceError unless each is two ends, the second not below the first."""
    if not ranges:
        raise EvidenceError(f"{where} is empty; it names the inputs that are filled otherwise")
    for name, ends in ranges.items():
        if len(ends) != 2 or ends[0] > ends[1]:
            raise EvidenceError(f"{where}.{name} is {ends}; it must be its low and its high end")


def require_consistent(record: dict, where: str) -> None:
    """Raise EvidenceError, with the JSON path, where a record's errors contradict the rest of it.

    ``record`` is laid out as a measured record.
    """
    at_shape = {
        _key(entry["shape"]): {row["name"] for row in entry["rows"] if row["again_of"] is None}
        for entry in record["shapes"]
    }
    seen = set()
    for index, entry in enumerate(record.get("accuracy", ())):
        inside = f"{where}: accuracy[{index}]"
        key = _key(entry["shape"])
        if key not in at_shape:
            raise EvidenceError(f"{inside}.shape is none of the record's shapes")
        if (entry["name"], key) in seen:
            raise EvidenceError(f"{inside}.name is {entry['name']!r}, which stands twice")
        seen.add((entry["name"], key))
        require_ranges(entry["ranges"], f"{inside}.ranges")
        _require_rows(entry["rows"], at_shape[key], inside)


def _key(shape: dict[str, int]) -> tuple:
    return tuple(sorted(shape.items()))


def _require_rows(rows: list[dict], known: set[str], where: str) -> None:
    names: set[str] = set()
    for index, found in enumerate(rows):
        inside = f"{where}.rows[{index}]"
        if found["name"] not in known:
            raise EvidenceError(f"{inside}.name is {found['name']!r}, which is no row of its shape")
        if found["name"] in names:
            raise EvidenceError(f"{inside}.name is {found['name']!r}, which stands twice")
        names.add(found["name"])
        if "missing" in found and not found["missing"].strip():
            raise EvidenceError(f"{inside}.missing is empty; it must say why")
        if found.get("max_relative_error", 0) < 0:
            raise EvidenceError(
                f"{inside}.max_relative_error is {found['max_relative_error']}; an error is not "
                "negative"
            )
