"""The machine-code document of a rung, schema "rungs-machine-code/1"."""

import ctypes
from pathlib import Path

from evidence import source_hash
from machine_code import counting, in_flight, tools
from machine_code.disassembly import ARCHITECTURE, INSTRUCTION_BYTES, Kernel, kernels_of


def document(repo: Path, toolkit: Path, ladder: str, rung: str, program_object: Path) -> dict:
    """Return the document; without a disassembler its counts are empty and ``missing`` says why."""
    nvcc = toolkit / "bin" / "nvcc"
    result = {
        "schema": "rungs-machine-code/1",
        "source_hash": source_hash.rung_hash(repo, ladder, rung),
        "compiler": {
            "nvcc": tools.version(nvcc),
            "ptxas": None,
            "architecture": ARCHITECTURE,
            "flags": list(source_hash.KERNEL_FLAGS),
        },
        "kernels": [],
        "shared_reads_per_multiply_add": None,
    }
    absent = [name for name in ("cuobjdump", "nvdisasm") if tools.find(toolkit, name) is None]
    if absent:
        result["missing"] = (
            f"the toolkit has no {' and no '.join(absent)}, and there is none on PATH"
        )
        return result
    kernels, result["compiler"]["ptxas"] = kernels_of(toolkit, program_object)
    result["kernels"] = [describe(kernel) for kernel in kernels]
    result["shared_reads_per_multiply_add"] = reads_per_multiply_add(result["kernels"])
    return result


def describe(kernel: Kernel) -> dict:
    """Return one kernel's entry."""
    first, last = counting.hottest_loop(kernel.instructions)
    loop = kernel.instructions[first : last + 1]
    spill_store_bytes = counting.moved_bytes(kernel.instructions, counting.LOCAL_WRITE)
    spill_load_bytes = counting.moved_bytes(kernel.instructions, counting.LOCAL_READ)
    return {
        "mangled": kernel.mangled,
        "name": demangle(kernel.mangled),
        "registers": kernel.registers,
        "shared_bytes": kernel.shared_bytes,
        "stack_bytes": kernel.stack_bytes,
        # Of each thread, every instruction run once. An array in local memory counts too.
        "spill_store_bytes": spill_store_bytes,
        "spill_load_bytes": spill_load_bytes,
        "spill_bytes": spill_store_bytes + spill_load_bytes,
        "bytes_in_flight": in_flight.bytes_in_flight(kernel.instructions),
        "instructions": {
            "total": sum(instruction.runs for instruction in kernel.instructions),
            "by_opcode": counting.by_opcode(kernel.instructions),
            "by_opcode_and_width": counting.by_opcode_and_width(kernel.instructions),
        },
        "hottest_loop": {
            "first": first * INSTRUCTION_BYTES,
            "last": last * INSTRUCTION_BYTES,
            "total": sum(instruction.runs for instruction in loop),
            "by_opcode_and_width": counting.by_opcode_and_width(loop),
        },
    }


def reads_per_multiply_add(kernels: list[dict]) -> float | None:
    """Return shared reads per multiply-add in the loop with the most multiply-adds, if any."""

    def loop_count(kernel: dict, opcode: str) -> int:
        counts = kernel["hottest_loop"]["by_opcode_and_width"]
        return sum(n for name, n in counts.items() if counting.base(name) == opcode)

    multiply_adds, reads = max(
        (
            (loop_count(kernel, counting.MULTIPLY_ADD), loop_count(kernel, counting.SHARED_READ))
            for kernel in kernels
        ),
        default=(0, 0),
    )
    return reads / multiply_adds if multiply_adds else None


def demangle(mangled: str) -> str:
    """Return a C++ name as one writes it, by the C++ library that every host compiler brings."""
    library = ctypes.CDLL("libstdc++.so.6")
    library.__cxa_demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = library.__cxa_demangle(mangled.encode(), None, None, ctypes.byref(status))
    if not text:
        return mangled
    name = ctypes.string_at(text).decode()
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free(text)
    return name
