"""Made-up measured records of the ladder ``demo``, as the conductor would collect them.

Nothing in one was measured. Times are given as medians; samples scatter around them in a pattern
that is always the same.
"""

import copy

import support  # noqa: F401  (puts common/ on the path)

from evidence import measured

MACHINE = {
    "name": "NVIDIA H200",
    "compute_capability": "9.0",
    "multiprocessors": 132,
    "memory_bytes": 150_000_000_000,
    "l2_bytes": 62_914_560,
    "max_sm_clock_mhz": 1980,
    "max_memory_clock_mhz": 3201,
    "memory_bus_bits": 6144,
    "threads_per_multiprocessor": 2048,
    "driver": "580.159.04",
    "cuda_driver": "13.0",
}

COMPILER = {"nvcc": "13.0.88", "ptxas": "13.0.88", "architecture": "sm_90", "flags": ["-O3"]}

# name, kind, math, order, after, kernel time in us
ROWS = (
    ("first", "kept", "fp32", 0, None, 345.0),
    ("second", "kept", "fp32", 1, "first", 116.0),
    ("third", "kept", "fp32", 2, "second", 116.2),
    ("aside", "rejected", "fp32", 1001, "first", 225.0),
    ("library", "peer", "fp32", 0, None, 55.5),
    ("library-tf32", "peer", "tf32", 1, None, 12.9),
    ("floor-ffma", "floor", "fp32", 0, None, 33.0),
)
# What floors do of an operation's work.
WORK = {
    "floor-ffma": ["multiply_adds"],
    "floor-copy": ["input_bytes", "output_bytes"],
    "floor-read": ["input_bytes"],
}
WAYS = (
    ("span", "warm", 1),
    ("kernel", "warm", 1),
    ("kernel", "cold", 1),
    ("graph", "warm", 10),
    ("submit", "warm", 1),
)
SWEEP_WAYS = (("kernel", "warm", 1), ("graph", "warm", 10))
_MORE = {"span": 7.0, "kernel": 0.0, "graph": 0.3, "submit": None}


def samples(median: float, rounds: int = 3, count: int = 5, spread: float = 0.002) -> list:
    """Return rounds of samples around a median: each round's mean is off by up to ``spread``."""
    made = []
    for number in range(rounds):
        shift = spread * (number - (rounds - 1) / 2) / max(1, rounds)
        steps = [0.001 * ((index * 7 + number) % 5 - 2) for index in range(count)]
        made.append([round(median * (1 + shift + step), 3) for step in steps])
    return made


def times(kernel: float, rounds: int = 3, count: int = 5, spread: float = 0.002, ways=WAYS) -> list:
    """Return every time of a row whose kernel takes so many microseconds."""
    made = []
    for instrument, cache, batch in ways:
        more = _MORE.get(instrument, 5.0)
        middle = 4.0 if more is None else kernel + more + (1.5 if cache == "cold" else 0)
        entry = {"instrument": instrument, "cache": cache, "batch": batch}
        entry["rounds"] = samples(middle, rounds, count, spread)
        if instrument == "kernel":
            entry["kernels"] = [
                {
                    "name": "demo::kernel(float const*, float*)",
                    "launches_per_operation": 1,
                    "grid": [256, 1, 1],
                    "block": [256, 1, 1],
                    "registers": 48,
                    "static_shared_bytes": 16384,
                    "dynamic_shared_bytes": 0,
                    "rounds": copy.deepcopy(entry["rounds"]),
                }
            ]
        made.append(entry)
    return made


def check(shape: dict) -> dict:
    """Return a check that passed."""
    one = {
        "shape": shape,
        "passed": True,
        "max_relative_error": 5.7e-7,
        "tolerance": 1e-5,
        "message": "",
    }
    return {"passed": True, "shapes": [one]}


def row(name, kind, math, order, after, kernel, shape, hashes=None, **how) -> dict:
    """Return the row of a variant; ``hashes`` gives a rung's or floor's source hash by its name."""
    found = {
        "name": name,
        "kind": kind,
        "math": math,
        "order": order,
        "after": after,
        "again_of": None,
        "source_hash": None if kind == "peer" else (hashes or {}).get(name, f"{order:064x}"),
        "check": {"before": check(shape), "after": check(shape)},
        "resources": {
            "kernels": [
                {
                    "name": "demo::kernel(float const*, float*)",
                    "registers": 48,
                    "static_shared_bytes": 16384,
                    "dynamic_shared_bytes": 0,
                    "local_bytes": 0,
                    "block_threads": 256,
                    "blocks": 256,
                    "blocks_per_multiprocessor": 5,
                }
            ]
        },
        "times": times(kernel, **how),
        "counters": {"shared_load_wavefronts": 25165824, "issue_active": 45.1},
    }
    return {**found, "work": WORK[name]} if kind == "floor" else found


def again(row: dict, kernel: float, **how) -> dict:
    """Return a row entered a second time, with times of its own."""
    made = copy.deepcopy(row)
    made.update(name=f"{row['name']} (again)", again_of=row["name"], times=times(kernel, **how))
    del made["counters"]
    return made


def draft(rows=ROWS, size=1024, sizes=None, hashes=None, same=1.002, **how) -> dict:
    """Return what a conductor would hand to measured.finish().

    ``rows`` are tuples as in ROWS. ``sizes`` gives a sweep over several in place of one ``size``.
    ``same`` is by how much the fastest and the slowest rung differ from themselves. ``how`` is
    passed on to samples(): rounds, count, spread.
    """
    if sizes:
        how = {"ways": SWEEP_WAYS, **how}
    rounds, count = how.get("rounds", 3), how.get("count", 5)
    ways = how.get("ways", WAYS)
    return {
        "schema": "rungs-record/2",
        "ladder": "demo",
        "date": "2026-11-30",
        "seed": 1,
        "machine": dict(MACHINE),
        "software": {"cuda_runtime": "13.0", "cublas": "13.1.0", "torch": None},
        "environment": {},
        "build": "Release",
        "compiler": copy.deepcopy(COMPILER),
        "protocol": {
            "rounds": rounds,
            "samples": count,
            "warmup": 10,
            "buffers": 1,
            "instruments": [
                {"name": name, "cache": cache, "batch": batch, "samples": count}
                for name, cache, batch in ways
            ],
            "order": "rotated by one each round",
        },
        "states": [
            {
                "when": when,
                "sm_clock_mhz": 1980,
                "memory_clock_mhz": 3201,
                "temperature_c": 41,
                "power_w": 320.5,
                "throttle": [],
            }
            for when in ("before", "after")
        ],
        "throttled": False,
        "shapes": [_shape(s, rows, hashes, same, how) for s in (sizes or [size])],
        "predictions": [
            {
                "rung": name,
                "after": after,
                "model": "reads",
                "why": "fewer reads",
                "expected": expected,
            }
            for name, after, expected in (("second", "first", 4.0), ("third", "second", 1.6))
            if any(name == one[0] for one in rows)
        ],
    }


def accuracy(draft: dict, *inputs: tuple[str, float]) -> None:
    """Give a draft errors over inputs of these means: 1e-7 x mean, of every second row doubled."""
    entry = draft["shapes"][0]
    names = [row["name"] for row in entry["rows"]]
    wanted = [row for row in entry["rows"] if row["kind"] != "floor" and row["again_of"] is None]
    draft["accuracy"] = [
        {
            "name": name,
            "shape": entry["shape"],
            "ranges": {"A": [mean - 1, mean + 1]},
            "rows": [
                {
                    "name": row["name"],
                    "max_relative_error": 1e-7 * mean * (1 + names.index(row["name"]) % 2),
                }
                for row in wanted
            ],
        }
        for name, mean in inputs
    ]


def record(**how) -> dict:
    """Return a finished record; the arguments are those of draft()."""
    return measured.finish(draft(**how))


def _shape(size: int, rows, hashes, same: float, how: dict) -> dict:
    shape = {"M": size, "N": size, "K": size}
    scale = (size / 1024) ** 3
    made = [row(*one[:5], one[5] * scale, shape, hashes, **how) for one in rows]
    rungs = [(one[5], i) for i, one in enumerate(rows) if one[1] not in ("peer", "floor")]
    agains = []
    for kernel, index in sorted({min(rungs), max(rungs)}) if rungs and same else []:
        agains.append(again(made[index], kernel * scale * same, **how))
    return {
        "shape": shape,
        "multiply_adds": size**3,
        "bytes": 12 * size * size,
        "input_bytes": 8 * size * size,
        "sets": 21,
        "rows": made + agains,
    }
