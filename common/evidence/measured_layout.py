"""The layout of a measured record, ``docs/evidence/<namespace>/<ladder>.json``.

The JSON Schema in ``docs/evidence/schema`` is generated from it. All times are microseconds of one
operation; clocks are MHz, sizes bytes.

Version 1 is read, and no more written: its floors have no source hash and no work.
"""

import re

from evidence.accuracy import NAME
from evidence.counts_layout import KINDS
from evidence.layout import Each, Either, Maybe, OrMissing

RECORD_SCHEMA = "rungs-record/2"
FIRST_SCHEMA = "rungs-record/1"

INSTRUMENTS = ("span", "kernel", "awaited", "queued", "graph", "submit")
CACHES = ("warm", "cold")
MATH = ("fp32", "tf32")
WORK = ("multiply_adds", "input_bytes", "output_bytes")

_HASH = re.compile("[0-9a-f]{64}")

MACHINE = {
    "name": str,
    "compute_capability": re.compile(r"\d+\.\d"),
    "multiprocessors": int,
    "memory_bytes": int,
    "l2_bytes": int,
    "max_sm_clock_mhz": Maybe(float),
    "max_memory_clock_mhz": Maybe(float),
    "memory_bus_bits": Maybe(int),
    "threads_per_multiprocessor": int,
    "driver": Maybe(str),
    "cuda_driver": Maybe(str),
}

_STATE = OrMissing(
    {
        "sm_clock_mhz": Maybe(float),
        "memory_clock_mhz": Maybe(float),
        "temperature_c": Maybe(float),
        "power_w": Maybe(float),
        "throttle": Maybe([str]),
    },
    {"when": str},
)

_HOW = {"instrument": Either(INSTRUMENTS), "cache": Either(CACHES), "batch": int}

PROTOCOL = {
    "rounds": int,
    "samples": int,
    "warmup": int,
    "buffers": int,  # buffer sets that warm launches take in turn
    "instruments": [
        {"name": Either(INSTRUMENTS), "cache": Either(CACHES), "batch": int, "samples": int}
    ],
    "order": str,
}

_CHECK = {
    "passed": bool,
    "shapes": [
        {
            "shape": Each(int),
            "passed": bool,
            "max_relative_error?": Maybe(float),
            "tolerance?": Maybe(float),
            "message?": str,
        }
    ],
}

_KERNEL = {
    "name": str,
    "registers": int,
    "static_shared_bytes": int,
    "dynamic_shared_bytes": int,
}

_RESOURCES = OrMissing(
    {
        "kernels": [
            {
                **_KERNEL,
                "local_bytes": int,
                "block_threads": int,
                "blocks": int,
                "blocks_per_multiprocessor": int,
            }
        ]
    }
)

_TIME = OrMissing(
    {
        "rounds": [[float]],
        "kernels?": [
            {
                **_KERNEL,
                "launches_per_operation": int,
                "grid": [int],
                "block": [int],
                "rounds": [[float]],
            }
        ],
        "note?": str,
    },
    _HOW,
)

ROW = OrMissing(
    {
        "check?": {"before": _CHECK, "after": _CHECK},
        "resources?": _RESOURCES,
        "times": [_TIME],
        "counters?": OrMissing({}),
    },
    {
        "name": str,
        "kind": Either(KINDS),
        "math": Either(MATH),
        "order": int,
        "after": Maybe(str),
        "again_of": Maybe(str),
        "source_hash": Maybe(_HASH),  # of a rung and of a floor
        "work?": [Either(WORK)],  # of a floor: what of the operation's work it does
        "note?": str,
    },
)

PREDICTION = {
    "rung": str,
    "after": str,
    "model": re.compile(r"[a-z]+(?:-[a-z]+)*"),  # as it stood; a model may be gone since
    "why": str,
    "expected": float,
}

# Largest errors over other inputs than the problem's own: see accuracy.
ACCURACY = {
    "name": NAME,
    "shape": Each(int),
    "ranges": Each([float]),
    "rows": [OrMissing({"max_relative_error": float}, {"name": str})],
}

# What the conductor hands to measured.finish().
DRAFT = {
    "schema": str,
    "ladder": str,
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "seed": int,
    "machine": MACHINE,
    "software": Each(Maybe(str)),
    "environment": Each(str),
    "build": str,
    "compiler": {"nvcc": str, "ptxas": Maybe(str), "architecture": str, "flags": [str]},
    "protocol": PROTOCOL,
    "states": [_STATE],
    "throttled": bool,
    "shapes": [
        {
            "shape": Each(int),
            "multiply_adds": Maybe(int),
            "bytes": int,
            "input_bytes": int,
            "sets": int,
            "rows": [ROW],
        }
    ],
    "accuracy?": [ACCURACY],
    "predictions": [PREDICTION],
}

# What is kept: the draft, and a digest over all of it.
RECORD = {**DRAFT, "sha256": _HASH}

_FIRST_PROTOCOL = {key: layout for key, layout in PROTOCOL.items() if key != "buffers"}
LAYOUTS = {RECORD_SCHEMA: RECORD, FIRST_SCHEMA: {**RECORD, "protocol": _FIRST_PROTOCOL}}
