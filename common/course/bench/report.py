"""What ./course bench prints at its end, from a record alone: tables and what to know of them.

Every ratio, verdict and rate is evidence's; here they are only put into words and columns.
"""

from course.bench.error_table import error_tables
from course.bench.plan import FAILED_CHECK, rounds_text
from course.bench.rows import fitted, in_parts, interval
from course.bench.time_table import marks, rate_text, time_table
from evidence import claims, possible, times
from evidence.ladder_settings import LadderColumn, LadderSettings
from evidence.table import Column, number, wrapped

_FACTS = [
    Column("rung"),
    Column("check"),
    Column("registers", right=True),
    Column("shared bytes", right=True),
    Column("blocks per SM", right=True),
]
_MEASURED = ("registers", "shared_bytes")  # counts that stand among the facts as measured

_ORDER = ("kernel", "graph", "span")  # the first that gave a time is the tables'


def report(record: dict, counts: dict | None, settings: LadderSettings) -> str:
    """Return everything that is printed of a record.

    ``counts`` is the ladder's counts record, or None; ``settings`` says what is compared with.
    """
    parts = []
    for entry in record["shapes"]:
        parts += _of_shape(record, entry, counts, settings)
    parts += error_tables(record)
    parts += map(wrapped, _of_record(record))
    return "\n".join(part.rstrip("\n") for part in parts) + "\n"


def _of_shape(record: dict, entry: dict, counts: dict | None, settings) -> list[str]:
    shape, floor = entry["shape"], settings.floor
    is_first = not times.is_sweep(record) and entry is times.at_shape(record)
    rows = [row for row in entry["rows"] if row["again_of"] is None]
    instrument = next((i for i in _ORDER if _any_time(rows, i)), _ORDER[0])
    peers = [row["name"] for row in rows if settings.is_best_peer(row)]
    best = _fastest(record, peers, instrument, shape)
    size = ", ".join(f"{name} = {value}" for name, value in shape.items())
    lines = [f"{record['ladder']}, {size}, on {record['machine']['name']}", ""]
    if is_first:
        lines += [_facts(rows, _counts_here(counts, shape), settings), ""]
    compared = {"best": best, "floor": floor, "instrument": instrument, "counts": counts}
    compared["judges"] = is_first
    lines.append(time_table(record, entry, rows, compared))
    protocol = record["protocol"]
    rounds = rounds_text(protocol["rounds"])
    buffers = protocol.get("buffers", 1)
    where = "warm cache" if buffers == 1 else f"{buffers} sets of buffers in turn"
    meaning = [
        f"us: {_called(instrument)}, {where}, the median of {rounds} of "
        f"{protocol['samples']} samples; +-: how far the mean of a round is from it at most.",
        "x before: time before / time after; ~ marks a difference inside the noise.",
    ]
    legend = meaning if entry is record["shapes"][0] else []
    if best:
        legend = [*legend, f"best peer: {best}."]
    legend = [*legend, *_floors(record, rows, floor, instrument, shape)]
    if any(len(times.find(row, instrument).parts) > 1 for row in rows if interval(row, instrument)):
        legend.append("indented: the kernels of the row below them, whose time is their sum.")
    known = marks(record)
    if known and is_first:
        words = ", ".join(f"{mark} by {model}" for model, mark in known.items())
        legend.append(f"expected: {words}.")
    marked = [f"{said}." for said in map(times.crowded, rows) if said]
    return [*lines, *map(wrapped, [*legend, *marked, *_missing(record, rows)]), ""]


def _floors(record: dict, rows: list[dict], floor: str, instrument: str, shape: dict) -> list[str]:
    """Return which floor is compared with, and what the floors that only move bytes reach."""
    names = [row["name"] for row in rows if row["kind"] == "floor"]
    lines = [f"floor: {floor}."] if floor in names else []
    parts = []
    for name in names:
        moved = claims.tbps(record, name, instrument, shape)
        if claims.work(record, name, shape).multiply_adds is None and moved is not None:
            parts.append(f"{name} {rate_text(moved)}")
    if record["shapes"][0]["multiply_adds"] is None and claims.memory_tbps(record["machine"]):
        most = claims.memory_tbps(record["machine"])
        lines.append(
            f"memory: {most:.2f} TB/s by the machine's memory clock and width; "
            "what the L2 holds is no share of that."
        )
    return [*lines, f"bytes moved, in TB/s: {', '.join(parts)}."] if parts else lines


def _any_time(rows: list[dict], instrument: str) -> bool:
    return any(interval(row, instrument) is not None for row in rows)


def _called(instrument: str) -> str:
    return {
        "kernel": "kernel time (CUPTI)",
        "graph": "a graph of one launch (no kernel times: see below)",
        "span": "events around one launch (no kernel times: see below)",
    }[instrument]


def _fastest(record: dict, names: list[str], instrument: str, shape: dict) -> str | None:
    """Return the fastest of these rows; None if none was measured."""
    rows = {row["name"]: row for row in times.rows(record, shape)}
    measured = [
        (found.value, name)
        for name in names
        if name in rows and (found := interval(rows[name], instrument)) is not None
    ]
    return min(measured)[1] if measured else None


def _counts_here(counts: dict | None, shape: dict) -> dict[str, dict]:
    """Return the counted rungs by name, if they were counted at this shape."""
    if counts is None or counts["shape"] != shape:
        return {}
    return {rung["name"]: rung for rung in counts["rungs"]}


def _facts(rows: list[dict], counted: dict[str, dict], settings: LadderSettings) -> str:
    shown = [c for c in settings.shown(list(counted.values())) if c.quantity not in _MEASURED]
    columns = [*_FACTS, *(Column(c.heading, right=True, group=c.group) for c in shown)]
    cells: list[list[str] | str] = []
    for part, row in in_parts(rows):
        if row is None:
            cells.append(part)
            continue
        cells.append([row["name"], _check(row), *_resources(row), *_counts(row, counted, shown)])
    return fitted(columns, cells)


def _check(row: dict) -> str:
    if "missing" in row:
        return "FAILED" if row["missing"].startswith(FAILED_CHECK) else "-"
    if not row.get("check"):
        return "-"
    return "ok" if all(check["passed"] for check in row["check"].values()) else "FAILED"


def _resources(row: dict) -> list[str]:
    """Return registers, shared bytes and blocks of a multiprocessor, of the longest kernel."""
    time = times.find(row, "kernel")
    timed = list(time.kernels) if time else []
    kernels = (row.get("resources") or {}).get("kernels") or timed
    if not kernels:
        return ["-"] * 3
    longest = max(timed, key=lambda kernel: sum(map(sum, kernel["rounds"])), default=kernels[0])
    kernel = next((one for one in kernels if one["name"] == longest["name"]), kernels[0])
    shared = kernel["static_shared_bytes"] + kernel["dynamic_shared_bytes"]
    blocks = kernel.get("blocks_per_multiprocessor")
    return [str(kernel["registers"]), str(shared), "-" if blocks is None else str(blocks)]


def _counts(row: dict, counted: dict[str, dict], shown: list[LadderColumn]) -> list[str]:
    rung = counted.get(row["name"])
    if rung is None or rung["source_hash"] != row["source_hash"]:
        return ["-"] * len(shown)
    return [number(column.value(rung)) for column in shown]


def _missing(record: dict, rows: list[dict]) -> list[str]:
    """Return a line for each reason why rows or times are not there."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if "missing" in row:
            found.setdefault(row["missing"], []).append(row["name"])
            continue
        for time in times.all_times(row):
            if time.missing is not None:
                found.setdefault(f"{time.label}: {time.missing}", []).append(row["name"])
        counters = row.get("counters") or {}
        if "missing" in counters:
            found.setdefault(f"counters: {counters['missing']}", []).append(row["name"])
    every = sum(1 for row in rows if "missing" not in row)
    lines = []
    for reason, names in found.items():
        who = "every row" if len(names) == every and every > 2 else ", ".join(names)
        lines.append(f"missing: {who}: {reason.rstrip('.')}.")
    return lines


def _of_record(record: dict) -> list[str]:
    """Return what is to be known of the whole run."""
    found = [*_noise(record), *_errors(record)]
    if record["throttled"]:
        reasons = {r for state in record["states"] for r in state.get("throttle") or ()}
        found.append(
            f"throttled: the card held its clocks back ({', '.join(sorted(reasons))}); the record "
            "is marked so."
        )
    return [*found, *_drift(record), *possible.unknown(record["machine"])]


def _noise(record: dict) -> list[str]:
    """Return by how much rungs that were entered twice differ from themselves."""
    lines = []
    for entry in record["shapes"]:
        again = [row["again_of"] for row in entry["rows"] if row["again_of"]]
        parts = []
        for how in record["protocol"]["instruments"]:
            name, cache, batch = how["name"], how["cache"], how["batch"]
            ratio = times.same_difference(record, name, cache, batch, entry["shape"])
            if ratio is not None:
                parts.append(f"{times.label(name, cache, batch)} {100 * (ratio - 1):.2f} %")
        where = f" at {times.shape_text(entry['shape'])}" if len(record["shapes"]) > 1 else ""
        if parts:
            who = " and ".join(again)
            lines.append(f"noise{where}: {who}, entered twice, differ by up to {', '.join(parts)}.")
        else:
            lines.append(f"noise{where}: nothing was timed twice, so no difference is resolved.")
    return lines


def _errors(record: dict) -> list[str]:
    """Return each peer's error against float64: it proves its arithmetic."""
    parts = []
    for row in record["shapes"][0]["rows"]:
        error = claims.max_relative_error(row)
        if row["kind"] == "peer" and error is not None and row["again_of"] is None:
            parts.append(f"{row['name']} {error:.1e} ({row['math'].upper()})")
    return [f"errors of the peers against float64: {', '.join(parts)}."] if parts else []


def _drift(record: dict) -> list[str]:
    """Return how clock and temperature moved from the first round to the last."""
    states = [state for state in record["states"] if state["when"].startswith("round")]
    missing = next((s["missing"] for s in record["states"] if "missing" in s), None)
    if missing is not None:
        return [f"clocks: {missing.rstrip('.')}."]
    if not states:
        return []
    parts = []
    for key, name, unit in (("sm_clock_mhz", "SM clock", "MHz"), ("temperature_c", "", "C")):
        values = [state[key] for state in states if state.get(key) is not None]
        if values:
            span = f"{min(values):g} to {max(values):g}" if min(values) < max(values) else (
                f"{values[0]:g}")  # fmt: skip
            parts.append(f"{name} {span} {unit}".strip())
    return [f"during the rounds: {', '.join(parts)}."] if parts else []
