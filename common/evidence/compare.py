"""Two records of one machine, compared through what did not change between them.

A row whose source hash is the same in both, or for a peer the version of the software that it is
made of, is a *control*: its kernel did not change, so its movement is the runs'. The largest
movement of a control bounds the drift of the rows that compute in the same arithmetic. A changed
row is compared with the noise of both runs plus that bound.
"""

from dataclasses import dataclass, replace

from evidence import times
from evidence.errors import EvidenceError
from evidence.verdicts import Interval, gain, ratio_interval

# The software whose version decides what a peer or floor runs, by the begin of its name.
_SOFTWARE = (
    ("cublas", ("cublas",)),
    ("torch", ("torch",)),
    ("triton", ("triton", "torch")),
    ("floor-", ("cuda_runtime",)),
)


@dataclass(frozen=True)
class Movement:
    """One row in both records: time in A / time in B, above 1 if B is faster."""

    shape: str
    name: str
    math: str  # "fp32" or "tf32"
    before: Interval
    after: Interval
    factor: Interval  # with the noise of both runs; of a changed row also with the drift
    is_control: bool
    verdict: str  # "faster", "slower" or "not resolved"; of a control "control"

    @property
    def is_restless(self) -> bool:
        """Whether it is a control that moved by more than its own noise, which it should not."""
        return self.is_control and gain(self.factor.low, self.factor.high) != "not resolved"


@dataclass(frozen=True)
class Comparison:
    """What two records say of each other."""

    movements: list[Movement]
    drifts: dict[str, float]  # by arithmetic: the largest movement of a control, 1 or above
    missing: list[str]  # a sentence for each row that only one record holds
    untimed: list[str]  # a sentence for each row without a time by this instrument

    @property
    def drift(self) -> float | None:
        """The largest movement of any control, as a ratio of 1 or above; None if there is none."""
        return max(self.drifts.values(), default=None)


def compare(
    a: dict, b: dict, names: tuple[str, str], instrument: str = "kernel", cache: str = "warm"
) -> Comparison:
    """Compare record ``b`` with record ``a``; ``names`` is what an error calls them.

    Raises EvidenceError, naming both, if they are of two ladders or machines.
    """
    _require_comparable(a, b, names)
    pairs, missing, untimed = [], [], []
    for entry in a["shapes"]:
        other = _same_shape(b, entry["shape"])
        if other is None:
            missing.append(f"{times.shape_text(entry['shape'])} is only in {names[0]}")
            continue
        found = _Pairs(a, b, entry, other, names, instrument, cache)
        pairs += found.pairs
        missing += found.missing
        untimed += found.untimed
    for entry in b["shapes"]:
        if _same_shape(a, entry["shape"]) is None:
            missing.append(f"{times.shape_text(entry['shape'])} is only in {names[1]}")
    drifts: dict[str, float] = {}
    for one in pairs:
        if one.is_control:
            ratio = max(one.factor.value, 1 / one.factor.value)
            drifts[one.math] = max(drifts.get(one.math, 1.0), ratio)
    moved = [p if p.is_control else _widened(p, drifts.get(p.math)) for p in pairs]
    return Comparison(moved, drifts, missing, untimed)


class _Pairs:
    """The rows of one shape that both records hold."""

    def __init__(self, a, b, first: dict, second: dict, names, instrument: str, cache: str):
        self.pairs: list[Movement] = []
        self.missing: list[str] = []
        self.untimed: list[str] = []
        shape = first["shape"]
        label = times.shape_text(shape)
        at = f" at {label}" if len(a["shapes"]) > 1 or len(b["shapes"]) > 1 else ""
        old = {r["name"]: r for r in first["rows"] if r["again_of"] is None}
        new = {r["name"]: r for r in second["rows"] if r["again_of"] is None}
        self.missing += [f"{name} is only in {names[0]}{at}" for name in old if name not in new]
        self.missing += [f"{name} is only in {names[1]}{at}" for name in new if name not in old]
        same = [
            times.same_difference(record, instrument, cache, 1, shape) or 1.0 for record in (a, b)
        ]
        for name in old:
            if name not in new:
                continue
            found = [times.find(row, instrument, cache) for row in (old[name], new[name])]
            gone = [names[i] for i, t in enumerate(found) if t is None or t.interval is None]
            if gone:
                self.untimed.append(f"{name} has no {instrument} time in {' and '.join(gone)}{at}")
                continue
            before, after = found[0].interval, found[1].interval
            factor = ratio_interval(before, after, max(same))
            control = _is_control(a, b, old[name], new[name])
            how = new[name]["math"]
            self.pairs.append(Movement(label, name, how, before, after, factor, control, "control"))


def _require_comparable(a: dict, b: dict, names: tuple[str, str]) -> None:
    if a["ladder"] != b["ladder"]:
        raise EvidenceError(
            f"{names[0]} is of the ladder {a['ladder']}, {names[1]} of {b['ladder']}; "
            "two records of one ladder can be compared"
        )
    for key in ("name", "compute_capability", "multiprocessors"):
        if a["machine"][key] != b["machine"][key]:
            what = "" if key == "name" else f", {key} {{}}"
            first, second = (r["machine"]["name"] + what.format(r["machine"][key]) for r in (a, b))
            raise EvidenceError(
                f"{names[0]} was measured on {first}, {names[1]} on {second}; "
                "times of two machines are not compared"
            )


def _same_shape(record: dict, shape: dict) -> dict | None:
    return next((entry for entry in record["shapes"] if entry["shape"] == shape), None)


def _is_control(a: dict, b: dict, old: dict, new: dict) -> bool:
    """Return whether the same code ran in both: by source hash and compiler, or by version."""
    if old["source_hash"] is not None or new["source_hash"] is not None:
        return old["source_hash"] == new["source_hash"] and a["compiler"] == b["compiler"]
    if old.get("note") != new.get("note"):
        return False  # another algorithm or configuration was chosen
    for prefix, keys in _SOFTWARE:
        if old["name"].startswith(prefix):
            versions = [[r["software"].get(key) for key in keys] for r in (a, b)]
            return versions[0] == versions[1] and None not in versions[0]
    return a["software"] == b["software"]


def _widened(moved: Movement, drift: float | None) -> Movement:
    """Return a changed row whose factor is uncertain by the drift, a ratio, too.

    Without a control nothing bounds the drift, and nothing is resolved.
    """
    factor, more = moved.factor, drift or 1.0
    wide = Interval(factor.low / more, factor.value, factor.high * more)
    verdict = "not resolved" if drift is None else gain(wide.low, wide.high)
    return replace(moved, factor=wide, verdict=verdict)
