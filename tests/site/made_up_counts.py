"""Made-up counts that agree with themselves, for records that no machine has made."""


def ptx_counts(
    *,
    multiply_adds,
    loads,
    stores,
    load_conflicts=0,
    store_conflicts=0,
    reads=None,
    blocks=256,
    threads=256,
    shared_bytes=2048,
    file="toy.cu",
):
    """Return the PTX counts of a rung with one kernel.

    ``loads`` and ``stores`` are shared wavefronts; ``reads`` are warp-level shared loads.
    """
    reads = loads if reads is None else reads
    load = {
        "instructions": reads,
        "thread_instructions": reads * 32,
        "by_width": {"4": reads},
        "bytes": reads * 128,
    }
    store = {
        "instructions": stores,
        "thread_instructions": stores * 32,
        "by_width": {"4": stores},
        "bytes": stores * 128,
    }
    total = multiply_adds // 32 + reads + stores
    line = {
        "file": file,
        "line": 6,
        "warp_instructions": total,
        "multiply_adds": multiply_adds,
        "shared_load_wavefronts": loads,
        "shared_store_wavefronts": stores,
        "global_load_sectors": 4096,
        "global_store_sectors": 1024,
    }
    kernel = {
        "name": "toy::kernel(float*)",
        "mangled": "_ZN3toy6kernelEPf",
        "launches": 1,
        "blocks": blocks,
        "threads_per_block": threads,
        "grid": [blocks, 1, 1],
        "block": [threads, 1, 1],
        "static_shared_bytes": shared_bytes,
        "dynamic_shared_bytes": 0,
        "local_bytes": 0,
        "warp_instructions": {
            "total": total,
            "by_class": {"float32": multiply_adds // 32, "shared": reads + stores},
        },
        "thread_instructions": total * 32,
        "active_lanes": 32.0,
        "multiply_adds": multiply_adds,
        "multiply_adds_f64": 0,
        "shared": {
            "load": {**load, "wavefronts": loads, "bank_conflicts": load_conflicts},
            "store": {**store, "wavefronts": stores, "bank_conflicts": store_conflicts},
        },
        "global": {
            "load": {**_global(1024), "sectors": 4096, "sectors_per_request": 4.0},
            "store": {**_global(256), "sectors": 1024, "sectors_per_request": 4.0},
        },
        "local": {"load": _no_local(), "store": _no_local()},
        "atomics": {"shared": 0, "global": 0},
        "barriers": 4096,
        "shuffles": 0,
        "votes": 0,
        "lines": [line],
    }
    return {
        "shared_reads_per_multiply_add": reads * 32 / multiply_adds,
        "shared_wavefronts_per_multiply_add": (loads + stores) / multiply_adds,
        "multiply_adds": multiply_adds,
        "shared_load_wavefronts": loads,
        "shared_store_wavefronts": stores,
        "shared_load_bank_conflicts": load_conflicts,
        "shared_store_bank_conflicts": store_conflicts,
        "shared_load_instructions": reads,
        "global_load_sectors": 4096,
        "global_store_sectors": 1024,
        "barriers": 4096,
        "warp_instructions": total,
        "kernels": [kernel],
    }


def sass_counts(*, ffma, lds, registers=40, shared_bytes=2048):
    """Return the SASS counts of a rung with one kernel: its hottest loop's FFMA and LDS."""
    mix = {"FFMA": ffma, "LDS.32": lds}
    loop = {"first": 256, "last": 4096, "total": ffma + lds, "by_opcode_and_width": mix}
    kernel = {
        "mangled": "_ZN3toy6kernelEPf",
        "name": "toy::kernel(float*)",
        "registers": registers,
        "shared_bytes": shared_bytes,
        "stack_bytes": 0,
        "spill_bytes": 0,
        "bytes_in_flight": 16,
        "instructions": {
            "total": ffma + lds,
            "by_opcode": {"FFMA": ffma, "LDS": lds},
            "by_opcode_and_width": mix,
        },
        "hottest_loop": loop,
    }
    return {
        "shared_reads_per_multiply_add": lds / ffma,
        "registers": registers,
        "shared_bytes": shared_bytes,
        "spill_bytes": 0,
        "bytes_in_flight": 16,
        "kernels": [kernel],
    }


def _global(requests):
    return {
        "instructions": requests,
        "thread_instructions": requests * 32,
        "by_width": {"4": requests},
        "bytes": requests * 128,
    }


def _no_local():
    return {"instructions": 0, "thread_instructions": 0, "bytes": 0, "sectors": 0}
