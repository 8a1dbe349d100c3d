"""The draft of a record: what the conductor collected, in the record's layout.

No rule is applied here. evidence.measured.finish() makes the record of it, or refuses.
"""

import datetime

from course.bench import plan
from course.bench.conductor import AtShape, Outcome, Row
from course.bench.plan import Instrument, Request
from evidence import measured, predictions
from evidence.measured_layout import RECORD_SCHEMA

# What NVML calls reasons for the clock's speed, but that hold nothing back.
_HARMLESS = {"none", "gpu_idle", "applications_clocks_setting", "display_clock_setting"}


def draft(request: Request, described: dict, counts: dict | None, outcome: Outcome) -> dict:
    """Return the draft. ``described`` is what the ladder's program says of its rungs.

    ``counts`` is the ladder's counts record, for the predictions; None leaves them out. Raises
    EvidenceError if the workers ran on two machines.
    """
    rungs = {rung["name"]: rung for rung in described["rungs"]}
    machines = [hello["machine"] for hello in outcome.hello if hello.get("machine")]
    compilers = [rung["compiler"] for rung in described["rungs"] if rung.get("compiler")]
    found = {
        "schema": RECORD_SCHEMA,
        "ladder": request.ladder,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seed": described["seed"],
        "machine": measured.one_machine(machines),
        "software": _merged(outcome, "software"),
        "environment": _merged(outcome, "environment"),
        "build": outcome.hello[0]["build"],
        "compiler": compilers[0] if compilers else None,
        "protocol": {
            "rounds": request.rounds,
            "samples": request.samples,
            "warmup": plan.WARMUP,
            "buffers": request.buffers,
            "instruments": [instrument.document() for instrument in outcome.instruments],
            "order": "rotated by one each round",
        },
        "states": outcome.states,
        "throttled": any(set(state.get("throttle") or ()) - _HARMLESS for state in outcome.states),
        "shapes": [_shape(here, rungs) for here in outcome.shapes],
        "predictions": _predictions(described, counts, outcome.shapes),
    }
    return {**found, "accuracy": outcome.accuracy} if outcome.accuracy else found


def _merged(outcome: Outcome, key: str) -> dict:
    """Return what the workers say together; what the program says of a name counts first."""
    found: dict = {}
    for hello in reversed(outcome.hello):
        found.update(hello.get(key) or {})
    return found


def _shape(here: AtShape, rungs: dict[str, dict]) -> dict:
    opened = here.opened
    rows = [_row(row, rungs.get(row.asked)) for row in _in_order(here.rows)]
    return {
        "shape": here.shape,
        "multiply_adds": opened["multiply_adds"],
        "bytes": opened["bytes"],
        "input_bytes": opened["input_bytes"],
        "sets": opened["sets"],
        "rows": rows,
    }


def _in_order(rows: list[Row]) -> list[Row]:
    """Return rungs by their order, then peers, floors, and what was entered again."""

    def place(row: Row) -> tuple:
        if row.again_of:
            return (3, 0)
        if row.is_rung:
            return (0, row.variant["order"])
        return (1 if row.variant["kind"] == plan.PEER else 2, 0)

    return sorted(rows, key=place)


def _row(row: Row, rung: dict | None) -> dict:
    variant = row.variant
    found = {
        "name": row.name,
        "kind": variant["kind"],
        "math": variant["math"],
        "order": variant.get("order") or 0,
        "after": variant.get("after") or None,
        "again_of": row.again_of,
        "source_hash": (rung or variant).get("source_hash"),
    }
    if "work" in variant:
        found["work"] = variant["work"]
    if row.note:
        found["note"] = row.note
    if row.missing is not None:
        return {**found, "missing": row.missing}
    found["check"] = row.check
    found["resources"] = row.resources
    found["times"] = [_time(how, answers) for how, answers in row.answers.items()]
    if row.counters is not None:
        found["counters"] = row.counters
    return found


def _time(how: Instrument, answers: list[dict]) -> dict:
    """Return an instrument's time; one round without samples leaves no time."""
    found = {"instrument": how.name, "cache": how.cache, "batch": how.batch}
    missing = next((answer["missing"] for answer in answers if "missing" in answer), None)
    if missing is not None:
        return {**found, "missing": missing}
    found["rounds"] = [answer["samples"] for answer in answers]
    kernels = [answer["kernels"] for answer in answers if "kernels" in answer]
    if not kernels:
        return found
    names = [[kernel["name"] for kernel in of_round] for of_round in kernels]
    if any(of_round != names[0] for of_round in names):
        return {**_without_rounds(found), "missing": "not every round launched the same kernels"}
    found["kernels"] = [
        {
            **{key: value for key, value in parts[0].items() if key != "samples"},
            "rounds": [part["samples"] for part in parts],
        }
        for parts in zip(*kernels, strict=True)
    ]
    note = next((answer["note"] for answer in answers if answer.get("note")), None)
    return {**found, "note": note} if note else found


def _without_rounds(time: dict) -> dict:
    return {key: value for key, value in time.items() if key != "rounds"}


def _predictions(described: dict, counts: dict | None, shapes: list[AtShape]) -> list[dict]:
    """Return what each rung's models expect, from the counts of the source that was measured."""
    kept = {(rung["name"], rung["source_hash"]): rung for rung in (counts or {}).get("rungs", ())}
    rungs = []
    for rung in described["rungs"]:
        counted = kept.get((rung["name"], rung.get("source_hash")), {})
        rungs.append({**rung, "counts": counted.get("counts") or {}})
    there = {row.asked for here in shapes for row in here.rows}
    return [p for p in predictions.of_counts({"rungs": rungs}) if p["rung"] in there]
