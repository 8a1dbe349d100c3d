"""The counts of each kernel of a rung that has several."""

from __future__ import annotations

from docutils import nodes

from evidence import residency, times
from evidence.numbers import format_number
from rungs_site.tables import MOST_COLUMNS, table


def kernel_table(entry: dict) -> list[nodes.Node]:
    """Return a table with a column a kernel, in the order of launches; nothing for one kernel.

    ``entry`` is a rung's in a counts record. Those that there is no room for are left out.
    """
    kernels = entry["counts"]["ptx"]["kernels"]
    if len(kernels) < 2:
        return []
    sass = {kernel["mangled"]: kernel for kernel in entry["counts"]["sass"]["kernels"]}
    columns = [_counts(kernel, sass[kernel["mangled"]]) for kernel in kernels[: MOST_COLUMNS - 1]]
    header = ["Of each kernel", *(times.kernel_name(kernel["name"]) for kernel in kernels)]
    rows = [
        [label, *(format_number(column[label]) for column in columns)]
        for label in columns[0]
        if any(column[label] for column in columns)
    ]
    return [table(header[: len(columns) + 1], rows, "counts")]


def _counts(ptx: dict, sass: dict) -> dict[str, int]:
    """Return a kernel's counts by what they are called."""
    wavefronts = [ptx["shared"][way]["wavefronts"] for way in ("load", "store")]
    return {
        "Launches": ptx["launches"],
        "Blocks": ptx["blocks"],
        "Threads a block": ptx["threads_per_block"],
        "Warp instructions": ptx["warp_instructions"]["total"],
        "Global load sectors": ptx["global"]["load"]["sectors"],
        "Shared wavefronts, loads and stores": sum(wavefronts),
        "Barriers, once a warp": ptx["barriers"],
        "Shuffles, once a warp": ptx["shuffles"],
        "Registers a thread": sass["registers"],
        "Bytes of loads that a thread has under way, at most": sass["bytes_in_flight"],
        "Threads that a multiprocessor holds": residency.of_kernel(ptx, sass).threads,
    }
