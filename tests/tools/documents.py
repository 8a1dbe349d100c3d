"""Made-up documents: a run of the ladder ``demo``, as an executable would write it."""

import support  # noqa: F401  (puts common/ on the path)

from evidence import source_hash

COMPILER = {"nvcc": "13.0.88", "ptxas": "13.0.88", "architecture": "sm_90", "flags": ["-O3"]}


def ptx_kernel(reads: int) -> dict:
    """Return a kernel with 8 multiply-adds and ``reads`` shared reads in each of 64 threads."""
    shared = {
        "instructions": 2 * reads,
        "thread_instructions": 64 * reads,
        "by_width": {"4": 2 * reads},
        "bytes": 256 * reads,
        "wavefronts": 3 * reads,
        "bank_conflicts": reads,
    }
    none = {k: {} if k == "by_width" else 0 for k in shared}
    access = {
        "instructions": 2,
        "thread_instructions": 64,
        "by_width": {"4": 2},
        "bytes": 256,
        "sectors": 8,
        "sectors_per_request": 4.0,
    }
    local = {"instructions": 0, "thread_instructions": 0, "bytes": 0, "sectors": 0}
    total = 16 + 2 * reads + 4 + 2
    line = {
        "file": "first.cu",
        "shared_store_wavefronts": 0,
        "global_load_sectors": 0,
        "global_store_sectors": 0,
    }
    return {
        "name": "demo::kernel(float*)",
        "mangled": "_ZN4demo6kernelEPf",
        "launches": 1,
        "blocks": 1,
        "threads_per_block": 64,
        "grid": [1, 1, 1],
        "block": [64, 1, 1],
        "static_shared_bytes": 256,
        "dynamic_shared_bytes": 0,
        "local_bytes": 0,
        "warp_instructions": {
            "total": total,
            "by_class": {"float32": 16, "shared": 2 * reads, "global": 4, "barrier": 2},
        },
        "thread_instructions": 32 * total,
        "active_lanes": 32.0,
        "multiply_adds": 512,
        "shared": {"load": shared, "store": none},
        "global": {"load": access, "store": access},
        "local": {"load": local, "store": local},
        "atomics": {"shared": 0, "global": 0},
        "barriers": 2,
        "shuffles": 0,
        "votes": 0,
        "lines": [
            {
                **line,
                "line": 10,
                "warp_instructions": 16 + 2 * reads,
                "multiply_adds": 512,
                "shared_load_wavefronts": 3 * reads,
            },
            {
                **line,
                "line": 12,
                "warp_instructions": 6,
                "multiply_adds": 0,
                "shared_load_wavefronts": 0,
                "global_load_sectors": 8,
                "global_store_sectors": 8,
            },
        ],
    }


def counts(reads: int) -> dict:
    """Return the counts of a rung with 8 multiply-adds and ``reads`` shared reads a thread."""
    mix = {"FFMA": 8, "LDS.32": reads}
    return {
        "argued": {"shared_reads_per_multiply_add": reads / 8},
        "ptx": {
            "shared_reads_per_multiply_add": reads / 8,
            "shared_wavefronts_per_multiply_add": 3 * reads / 512,
            "multiply_adds": 512,
            "shared_load_wavefronts": 3 * reads,
            "shared_store_wavefronts": 0,
            "shared_load_bank_conflicts": reads,
            "shared_store_bank_conflicts": 0,
            "shared_load_instructions": 2 * reads,
            "global_load_sectors": 8,
            "global_store_sectors": 8,
            "barriers": 2,
            "warp_instructions": 22 + 2 * reads,
            "kernels": [ptx_kernel(reads)],
        },
        "sass": {
            "shared_reads_per_multiply_add": reads / 8,
            "registers": 31,
            "shared_bytes": 256,
            "spill_bytes": 0,
            "bytes_in_flight": 16,
            "kernels": [
                {
                    "mangled": "_ZN4demo6kernelEPf",
                    "name": "demo::kernel(float*)",
                    "registers": 31,
                    "shared_bytes": 256,
                    "spill_bytes": 0,
                    "bytes_in_flight": 16,
                    "instructions": {
                        "total": 9 + reads,
                        "by_opcode": {"FFMA": 8, "LDS": reads, "EXIT": 1},
                        "by_opcode_and_width": {**mix, "EXIT": 1},
                    },
                    "hottest_loop": {"total": 8 + reads, "by_opcode_and_width": mix},
                }
            ],
        },
    }


def run(root, *rungs: tuple[str, str | None, int, int]) -> dict:
    """Return a run document of the rungs (name, after, order, reads) of the lessons below root."""
    return {
        "schema": "rungs-run/1",
        "ladder": "demo",
        "shape": {"M": 64, "N": 64, "K": 64},
        "seed": 1,
        "device": {"kind": "cpu", "name": "CPU device", "reason": "no NVIDIA driver here"},
        "rungs": [
            {
                "name": name,
                "key": f"demo/{name}",
                "order": order,
                "after": after,
                "kind": "rejected" if order > 1000 else "kept",
                "because": [{"model": "reads", "why": "fewer reads"}],
                "source_hash": source_hash.rung_hash(root, "demo", name),
                "compiler": COMPILER,
                "check": {
                    "passed": True,
                    "shapes": [
                        {
                            "shape": {"M": 64, "N": 32, "K": 96},
                            "passed": True,
                            "max_relative_error": 3e-7,
                            "tolerance": 1e-6,
                            "message": "",
                        }
                    ],
                },
                "counts": counts(reads),
            }
            for name, after, order, reads in rungs
        ],
    }
