"""Whether a measured record agrees with itself and with its own protocol."""

import math

from evidence import accuracy
from evidence.counters import COUNTERS
from evidence.errors import EvidenceError
from evidence.measured_layout import FIRST_SCHEMA

# Samples are rounded to a nanosecond; so is each kernel's share of one.
_NANOSECOND = 0.001


def require_measured_consistent(record: dict, where: str) -> None:
    """Raise EvidenceError, with the JSON path, at the first thing that contradicts another.

    ``record`` is laid out as a measured record.
    """
    protocol = record["protocol"]
    ways = _ways(protocol, f"{where}: protocol")
    if not record["shapes"]:
        raise EvidenceError(f"{where}: shapes is empty; a record has at least one")
    seen: list[dict] = []
    for index, entry in enumerate(record["shapes"]):
        path = f"{where}: shapes[{index}]"
        if entry["shape"] in seen:
            raise EvidenceError(f"{path}.shape stands twice")
        seen.append(entry["shape"])
        _require_rows(entry["rows"], protocol, ways, path)
        if record["schema"] == FIRST_SCHEMA:
            _require_no_floor(entry["rows"], path)
        else:
            _require_sources(entry["rows"], path)
    accuracy.require_consistent(record, where)
    _require_predictions(record, where)


def _require_no_floor(rows: list[dict], path: str) -> None:
    """Of the first schema only records without floors are read, such as sweeps over sizes."""
    for index, row in enumerate(rows):
        if row["kind"] == "floor":
            raise EvidenceError(
                f"{path}.rows[{index}] is a floor, which a record of {FIRST_SCHEMA} does not say "
                "the work and source of; measure again"
            )


def _ways(protocol: dict, path: str) -> dict[tuple, int]:
    """Return how many samples a round has, by (instrument, cache, batch)."""
    for name in ("rounds", "samples", "buffers"):
        if protocol.get(name, 1) < 1:
            raise EvidenceError(f"{path}.{name} is {protocol[name]}; it must be at least 1")
    ways: dict[tuple, int] = {}
    for index, entry in enumerate(protocol["instruments"]):
        way = (entry["name"], entry["cache"], entry["batch"])
        inside = f"{path}.instruments[{index}]"
        if way in ways:
            raise EvidenceError(f"{inside} is {' '.join(map(str, way))}, which stands twice")
        for name in ("batch", "samples"):
            if entry[name] < 1:
                raise EvidenceError(f"{inside}.{name} is {entry[name]}; it must be at least 1")
        ways[way] = entry["samples"]
    return ways


def _require_rows(rows: list[dict], protocol: dict, ways: dict, path: str) -> None:
    if not rows:
        raise EvidenceError(f"{path}.rows is empty; a shape has at least one")
    first: dict[str, dict] = {}
    for index, row in enumerate(rows):
        inside = f"{path}.rows[{index}]"
        if row["name"] in first:
            raise EvidenceError(f"{inside}.name is {row['name']!r}, which stands twice")
        if row["again_of"] is not None:
            _require_again(row, first, inside)
        first[row["name"]] = row
        if "missing" in row:
            _require_words(row["missing"], f"{inside}.missing")
            continue
        _require_check(row, inside)
        _require_times(row, protocol["rounds"], ways, inside)
        for name, value in row.get("counters", {}).items():
            if name == "missing":
                continue
            if name not in COUNTERS:
                raise EvidenceError(f"{inside}.counters.{name} is no counter of this course")
            if not _is_finite(value) or value < 0:
                raise EvidenceError(
                    f"{inside}.counters.{name} is {value}; it must be a number, not negative"
                )


def _require_sources(rows: list[dict], path: str) -> None:
    """Rungs and floors are of a source; a floor says what it does, and nothing else needs to."""
    for index, row in enumerate(rows):
        inside, is_floor = f"{path}.rows[{index}]", row["kind"] == "floor"
        if (row["source_hash"] is None) != (row["kind"] == "peer"):
            has = "no source" if row["kind"] == "peer" else "a source"
            raise EvidenceError(
                f"{inside}.source_hash is {row['source_hash']!r}; a {row['kind']} row has {has} "
                "of this course"
            )
        if ("work" in row) != is_floor:
            raise EvidenceError(
                f"{inside}.work {'is missing' if is_floor else 'is there'}; a floor says what it "
                "does, and all else does the whole operation"
            )


def _require_again(row: dict, first: dict[str, dict], path: str) -> None:
    """A row entered twice is its original in all that was not measured."""
    original = first.get(row["again_of"])
    if original is None or original["again_of"] is not None:
        raise EvidenceError(f"{path}.again_of is {row['again_of']!r}, which is no row before it")
    for key in ("kind", "math", "source_hash", "work"):
        if row.get(key) != original.get(key):
            raise EvidenceError(
                f"{path}.{key} is {row.get(key)!r}, but {row['again_of']} has {original.get(key)!r}"
            )


def _require_check(row: dict, path: str) -> None:
    """A row was checked before and after it was timed, and passed."""
    if "check" not in row:
        if row["again_of"] is None:
            raise EvidenceError(f"{path}.check is missing; what is not checked is not recorded")
        return
    for when in ("before", "after"):
        check, inside = row["check"][when], f"{path}.check.{when}"
        if not check["passed"]:
            raise EvidenceError(f"{inside}.passed is False; {row['name']} is not recorded")
        if not check["shapes"]:
            raise EvidenceError(f"{inside}.shapes is empty; a check has at least one")
        for index, shape in enumerate(check["shapes"]):
            if not shape["passed"]:
                raise EvidenceError(f"{inside}.shapes[{index}].passed is False")
            error, tolerance = shape.get("max_relative_error"), shape.get("tolerance")
            if error is not None and (error < 0 or tolerance is not None and error > tolerance):
                raise EvidenceError(
                    f"{inside}.shapes[{index}].max_relative_error is {error}; "
                    f"the tolerance is {tolerance}"
                )


def _require_times(row: dict, rounds: int, ways: dict, path: str) -> None:
    seen = set()
    for index, time in enumerate(row["times"]):
        inside = f"{path}.times[{index}]"
        way = (time["instrument"], time["cache"], time["batch"])
        name = " ".join(map(str, way))
        if way not in ways:
            raise EvidenceError(f"{inside} is {name}, which the protocol does not name")
        if way in seen:
            raise EvidenceError(f"{inside} is {name}, which stands twice")
        seen.add(way)
        if "missing" in time:
            _require_words(time["missing"], f"{inside}.missing")
            continue
        _require_samples(time["rounds"], rounds, ways[way], inside)
        kernels = time.get("kernels")
        if time["instrument"] == "kernel":
            if not kernels:
                raise EvidenceError(f"{inside}.kernels is missing; a kernel time names its kernels")
            for number, kernel in enumerate(kernels):
                _require_samples(kernel["rounds"], rounds, ways[way], f"{inside}.kernels[{number}]")
            _require_sums(time, inside)


def _require_samples(found: list, rounds: int, samples: int, path: str) -> None:
    """Rounds and samples are as many as the protocol says, each positive."""
    if len(found) != rounds:
        raise EvidenceError(f"{path}.rounds has {len(found)} rounds; the protocol says {rounds}")
    for number, one in enumerate(found):
        inside = f"{path}.rounds[{number}]"
        if len(one) != samples:
            raise EvidenceError(f"{inside} has {len(one)} samples; the protocol says {samples}")
        for index, value in enumerate(one):
            if not _is_finite(value) or value <= 0:
                raise EvidenceError(f"{inside}[{index}] is {value}; a time is above 0 and finite")


def _require_sums(time: dict, path: str) -> None:
    """An operation's kernel time is the sum over its kernels, to the rounding of each."""
    kernels = time["kernels"]
    allowed = _NANOSECOND * (len(kernels) + 1)
    for number, one in enumerate(time["rounds"]):
        for index, value in enumerate(one):
            total = math.fsum(kernel["rounds"][number][index] for kernel in kernels)
            if abs(total - value) > allowed:
                raise EvidenceError(
                    f"{path}.rounds[{number}][{index}] is {value}, but its kernels sum to "
                    f"{total:.3f}"
                )


def _require_predictions(record: dict, where: str) -> None:
    known = {row["name"]: row for entry in record["shapes"] for row in entry["rows"]}
    for index, prediction in enumerate(record["predictions"]):
        path = f"{where}: predictions[{index}]"
        if not prediction["expected"] > 0:
            raise EvidenceError(f"{path}.expected is {prediction['expected']}; a factor is above 0")
        row = known.get(prediction["rung"])
        if row is None:
            raise EvidenceError(f"{path}.rung is {prediction['rung']!r}, which is no row")
        if row["after"] != prediction["after"]:
            raise EvidenceError(
                f"{path}.after is {prediction['after']!r}, but its row is after {row['after']!r}"
            )


def _require_words(text: str, path: str) -> None:
    if not text.strip():
        raise EvidenceError(f"{path} is empty; it must say why")


def _is_finite(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value)
