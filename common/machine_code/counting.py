"""Counts over a kernel's instructions: by opcode, by width, and of its hottest loop."""

import re
from collections import Counter
from collections.abc import Iterable

from machine_code.disassembly import INSTRUCTION_BYTES, Instruction

MULTIPLY_ADD = "FFMA"
SHARED_READ = "LDS"
LOCAL_READ, LOCAL_WRITE = "LDL", "STL"

_MEMORY = {"LD", "ST", "LDG", "STG", "LDS", "STS", "LDL", "STL"}
_WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128}


def base(opcode: str) -> str:
    """Return an opcode without its modifiers: LDS for LDS.128."""
    return opcode.partition(".")[0]


def width(opcode: str) -> int:
    """Return how many bits a load or store moves for each thread."""
    return next((_WIDTHS[part] for part in opcode.split(".")[1:] if part in _WIDTHS), 32)


def with_width(opcode: str) -> str:
    """Return the opcode with nothing but its width if it is a load or store: LDS.32, FFMA."""
    name = base(opcode)
    return f"{name}.{width(opcode)}" if name in _MEMORY else name


def by_opcode(instructions: Iterable[Instruction]) -> dict[str, int]:
    """Return how many instructions there are of each opcode, without modifiers."""
    return _sorted(Counter(base(i.opcode) for i in instructions if i.runs))


def by_opcode_and_width(instructions: Iterable[Instruction]) -> dict[str, int]:
    """Return the same with loads and stores told apart by width."""
    return _sorted(Counter(with_width(i.opcode) for i in instructions if i.runs))


def count(instructions: Iterable[Instruction], opcode: str) -> int:
    """Return how many instructions are of this opcode, modifiers aside."""
    return sum(base(i.opcode) == opcode for i in instructions if i.runs)


def moved_bytes(instructions: Iterable[Instruction], opcode: str) -> int:
    """Return the bytes that loads or stores of this opcode move for each thread, run once."""
    return sum(width(i.opcode) // 8 for i in instructions if i.runs and base(i.opcode) == opcode)


def loops(instructions: list[Instruction]) -> list[tuple[int, int]]:
    """Return first and last index of every loop: of what a branch back spans."""
    found = []
    for last, instruction in enumerate(instructions):
        target = re.search(r"0x([0-9a-f]+)$", instruction.operands)
        if base(instruction.opcode) == "BRA" and target:
            first = int(target[1], 16) // INSTRUCTION_BYTES
            if first < last:  # a branch to itself ends every kernel and is no loop
                found.append((first, last))
    return found


def hottest_loop(instructions: list[Instruction]) -> tuple[int, int]:
    """Return first and last index of the innermost loop with the most multiply-adds.

    Innermost is a loop that holds no other. A kernel without a loop is taken whole.
    """
    found = loops(instructions)
    innermost = [
        loop
        for loop in found
        if not any(loop != other and loop[0] <= other[0] and other[1] <= loop[1] for other in found)
    ]
    if not innermost:
        return 0, len(instructions) - 1
    return max(innermost, key=lambda loop: count(instructions[loop[0] : loop[1] + 1], MULTIPLY_ADD))


def _sorted(counts: Counter) -> dict[str, int]:
    return dict(sorted(counts.items()))
