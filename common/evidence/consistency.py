"""Whether the numbers of a counts record agree with each other.

A record says many things twice: a rung's totals are the sums of its kernels, a kernel's are those
of its source lines, a ratio follows from both its parts. A number changed by hand breaks one of
them.
"""

import math

from evidence.errors import EvidenceError

# A rung's total, and where each of its kernels holds its share.
_SUMS = {
    "multiply_adds": ("multiply_adds",),
    "shared_load_wavefronts": ("shared", "load", "wavefronts"),
    "shared_store_wavefronts": ("shared", "store", "wavefronts"),
    "shared_load_bank_conflicts": ("shared", "load", "bank_conflicts"),
    "shared_store_bank_conflicts": ("shared", "store", "bank_conflicts"),
    "shared_load_instructions": ("shared", "load", "instructions"),
    "global_load_sectors": ("global", "load", "sectors"),
    "global_store_sectors": ("global", "store", "sectors"),
    "barriers": ("barriers",),
    "warp_instructions": ("warp_instructions", "total"),
}

# What a source line holds, and where its kernel holds the total.
_LINE_SUMS = {
    "warp_instructions": ("warp_instructions", "total"),
    "multiply_adds": ("multiply_adds",),
    "shared_load_wavefronts": ("shared", "load", "wavefronts"),
    "shared_store_wavefronts": ("shared", "store", "wavefronts"),
    "global_load_sectors": ("global", "load", "sectors"),
    "global_store_sectors": ("global", "store", "sectors"),
}


def require_consistent(record: dict, where: str) -> None:
    """Raise EvidenceError, with the JSON path, at the first number that contradicts another.

    ``record`` is laid out as a counts record.
    """
    seen: list[str] = []
    for index, rung in enumerate(record["rungs"]):
        path = f"{where}: rungs[{index}]"
        _require_identity(record["ladder"], rung, seen, path)
        seen.append(rung["name"])
        if rung["counts"]["ptx"] is not None:
            _require_ptx(rung["counts"]["ptx"], f"{path}.counts.ptx")
        if rung["counts"]["sass"] is not None:
            _require_sass(rung["counts"]["sass"], f"{path}.counts.sass")


def _require_identity(ladder: str, rung: dict, seen: list[str], path: str) -> None:
    """A rung's key follows from its name; it comes after one that stands before it."""
    if rung["key"] != f"{ladder}/{rung['name']}":
        raise EvidenceError(f"{path}.key is {rung['key']!r}; it must be {ladder}/{rung['name']}")
    if rung["name"] in seen:
        raise EvidenceError(f"{path}.name is {rung['name']!r}, which stands twice")
    if rung["after"] is not None and rung["after"] not in seen:
        raise EvidenceError(f"{path}.after is {rung['after']!r}, which is no rung before it")


def _require_ptx(ptx: dict, path: str) -> None:
    for name, inner in _SUMS.items():
        total = sum(_at(kernel, inner) for kernel in ptx["kernels"])
        _require_equal(ptx[name], total, f"{path}.{name}", "the sum over its kernels")
    threads = sum(k["shared"]["load"]["thread_instructions"] for k in ptx["kernels"])
    wavefronts = ptx["shared_load_wavefronts"] + ptx["shared_store_wavefronts"]
    for name, part in (
        ("shared_reads_per_multiply_add", threads),
        ("shared_wavefronts_per_multiply_add", wavefronts),
    ):
        _require_equal(ptx[name], _ratio(part, ptx["multiply_adds"]), f"{path}.{name}", "its parts")
    for index, kernel in enumerate(ptx["kernels"]):
        _require_kernel(kernel, f"{path}.kernels[{index}]")


def _require_kernel(kernel: dict, path: str) -> None:
    classes = kernel["warp_instructions"]
    total = sum(classes["by_class"].values())
    _require_equal(classes["total"], total, f"{path}.warp_instructions.total", "its classes")
    for space in ("shared", "global"):
        for way in ("load", "store"):
            access = kernel[space][way]
            total = sum(access["by_width"].values())
            where = f"{path}.{space}.{way}.instructions"
            _require_equal(access["instructions"], total, where, "its widths")
    if "lines" in kernel:
        for name, inner in _LINE_SUMS.items():
            total = sum(line[name] for line in kernel["lines"])
            where = f"{path}.{'.'.join(inner)}"
            _require_equal(_at(kernel, inner), total, where, "its source lines")


def _require_sass(sass: dict, path: str) -> None:
    for name in ("registers", "shared_bytes", "spill_bytes", "bytes_in_flight"):
        most = max((kernel[name] for kernel in sass["kernels"]), default=0)
        _require_equal(sass[name], most, f"{path}.{name}", "the most of its kernels")
    for index, kernel in enumerate(sass["kernels"]):
        inside = f"{path}.kernels[{index}]"
        for part in ("instructions", "hottest_loop"):
            mix = kernel[part]
            total = sum(mix["by_opcode_and_width"].values())
            _require_equal(mix["total"], total, f"{inside}.{part}.total", "its opcodes")
        by_opcode = sum(kernel["instructions"]["by_opcode"].values())
        total = kernel["instructions"]["total"]
        _require_equal(by_opcode, total, f"{inside}.instructions.by_opcode", "its total")
    if not sass["kernels"]:
        raise EvidenceError(f"{path}.kernels is empty; a rung has at least one")
    loops = [kernel["hottest_loop"]["by_opcode_and_width"] for kernel in sass["kernels"]]
    # The loop with the most multiply-adds stands for the rung.
    multiply_adds, reads = max((_of(loop, "FFMA"), _of(loop, "LDS")) for loop in loops)
    where = f"{path}.shared_reads_per_multiply_add"
    found = sass["shared_reads_per_multiply_add"]
    _require_equal(found, _ratio(reads, multiply_adds), where, "its hottest loop")


def _at(value: dict, path: tuple[str, ...]) -> int:
    """Return what stands at a path of keys."""
    for key in path:
        value = value[key]
    return value


def _of(mix: dict[str, int], opcode: str) -> int:
    """Return how many instructions of an opcode, of any width, are in a mix."""
    return sum(count for name, count in mix.items() if name.split(".")[0] == opcode)


def _ratio(part: float, whole: float) -> float | None:
    """Return part / whole; None where there is no whole."""
    return part / whole if whole else None


def _require_equal(found: float | None, expected: float | None, path: str, source: str) -> None:
    """Raise EvidenceError unless two numbers are equal, but for the last bits of a ratio."""
    if found is None or expected is None:
        equal = found is expected
    else:
        equal = math.isclose(found, expected, rel_tol=1e-12)
    if not equal:
        raise EvidenceError(f"{path} is {found}, but {source} gives {expected}")
