"""The layouts of what an executable writes and of the counts record made from it."""

import re

from evidence.layout import Each, Either, Maybe
from evidence.models import MODELS

RUN_SCHEMA = "rungs-run/1"
COUNTS_SCHEMA = "rungs-counts/2"
REPORT_SCHEMA = "rungs-cpu-counts/1"

KINDS = ("kept", "rejected", "beyond", "peer", "floor")

COMPILER = {"nvcc": str, "ptxas": Maybe(str), "architecture": str, "flags": [str]}

_ACCESS = {
    "instructions": int,
    "thread_instructions": int,
    "by_width": Each(int),
    "bytes": int,
}
_SHARED = {**_ACCESS, "wavefronts": int, "bank_conflicts": int}
_GLOBAL = {**_ACCESS, "sectors": int, "sectors_per_request": float}
_LOCAL = {"instructions": int, "thread_instructions": int, "bytes": int, "sectors": int}

LINE = {
    "file": str,
    "line": int,
    "warp_instructions": int,
    "multiply_adds": int,
    "shared_load_wavefronts": int,
    "shared_store_wavefronts": int,
    "global_load_sectors": int,
    "global_store_sectors": int,
}

# One kernel as the CPU device counts it.
PTX_KERNEL = {
    "name": str,
    "mangled": str,
    "launches": int,
    "blocks": int,
    "threads_per_block": int,
    "grid": [int],
    "block": [int],
    "static_shared_bytes": int,
    "dynamic_shared_bytes": int,
    "local_bytes": int,
    "warp_instructions": {"total": int, "by_class": Each(int)},
    "thread_instructions": int,
    "active_lanes": float,
    "multiply_adds": int,
    "shared": {"load": _SHARED, "store": _SHARED},
    "global": {"load": _GLOBAL, "store": _GLOBAL},
    "local": {"load": _LOCAL, "store": _LOCAL},
    "atomics": {"shared": int, "global": int},
    "barriers": int,
    "shuffles": int,
    "votes": int,
    "lines?": [LINE],
}

PTX = {
    "shared_reads_per_multiply_add": Maybe(float),
    "shared_wavefronts_per_multiply_add": Maybe(float),
    "multiply_adds": int,
    "shared_load_wavefronts": int,
    "shared_store_wavefronts": int,
    "shared_load_bank_conflicts": int,
    "shared_store_bank_conflicts": int,
    "shared_load_instructions": int,
    "global_load_sectors": int,
    "global_store_sectors": int,
    "barriers": int,
    "warp_instructions": int,
    "kernels": [PTX_KERNEL],
}

_MIX = {"total": int, "by_opcode_and_width": Each(int)}

# One kernel as the disassembler shows it.
SASS_KERNEL = {
    "mangled": str,
    "name": str,
    "registers": int,
    "shared_bytes": int,
    "spill_bytes": int,
    "bytes_in_flight": int,
    "instructions": {**_MIX, "by_opcode": Each(int)},
    "hottest_loop": _MIX,
}

SASS = {
    "shared_reads_per_multiply_add": Maybe(float),
    "registers": int,
    "shared_bytes": int,
    "spill_bytes": int,
    "bytes_in_flight": int,
    "kernels": [SASS_KERNEL],
}

_SHAPES = [{"shape": Each(int), "passed": bool, "message?": str}]
_CHECK = {
    "passed": bool,
    "shapes": _SHAPES,
    "error?": str,
    "cannot_run?": bool,
    "stopped_by?": str,  # the rung whose fault kept this one from running
}
_HASH = re.compile("[0-9a-f]{64}")

_RUNG = {
    "name": str,
    "key": str,
    "order": int,
    "after": Maybe(str),
    "kind": Either(KINDS),
    "because": [{"model": Either(tuple(MODELS)), "why": str}],
}

# What an executable writes by --json.
RUN = {
    "schema": str,
    "ladder": str,
    "shape": Each(int),
    "seed": int,
    "device": {"kind": Either(("cpu", "gpu")), "name": str, "reason": str},
    "rungs": [
        {
            **_RUNG,
            "source_hash": Maybe(_HASH),
            "compiler": Maybe(COMPILER),
            "check": _CHECK,
            "counts?": {"argued": Each(float), "ptx": Maybe(PTX), "sass": Maybe(SASS)},
        }
    ],
}

# What is kept in docs/evidence/counts.
COUNTS = {
    "schema": str,
    "ladder": str,
    "shape": Each(int),
    "seed": int,
    "compiler": COMPILER,
    "rungs": [
        {
            **_RUNG,
            "title": str,
            "change": str,
            "source_hash": _HASH,
            "check": _CHECK,
            "counts": {
                "argued": Each(float),
                "ptx": {**PTX, "kernels": [{**PTX_KERNEL, "lines": [LINE]}]},
                "sass": SASS,
            },
        }
    ],
}

# What the CPU device reports of any program.
REPORT = {
    "schema": str,
    "kernels": [PTX_KERNEL],
    "faults?": [{"kind": Either(("fault", "unsupported")), "sentence": str}],
}
