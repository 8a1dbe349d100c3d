"""How many bytes of global loads a thread has under way at most, as its machine code asks for them.

The code is walked in address order, as if no branch were taken and every predicate held. A load
(LDG) is under way from its own instruction to the first later one that names one of its destination
registers: that one must wait for it. An asynchronous copy (LDGSTS) has no destination registers;
it is under way until a wait (DEPBAR.LE) that leaves open fewer groups than were closed after it
(LDGDEPBAR).

What counts is the steady state. Every loop, a branch back and what it spans, is walked again and
again until nothing more comes under way, so that what one turn asks for and the next one uses is
seen. The kernel's figure is that of the loop with the most. Loads outside of loops happen once, and
count only in a kernel whose loops load nothing.

It is a limit from above. Predicates may hold loads back, and a wait for one load may be a wait for
others that the machine keeps account of together. Atomics, generic loads (LD) and bulk copies
are left out.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from machine_code.counting import base, loops, width
from machine_code.disassembly import Instruction

_LOAD, _COPY, _CLOSE, _WAIT = "LDG", "LDGSTS", "LDGDEPBAR", "DEPBAR"
_STORES = {"STG", "STS", "STL", "ST"}  # their data takes as many registers as they are wide
_ENDS = {"EXIT", "RET"}
_MOST_TURNS = 32  # of a loop that nothing in it waits for

_REGISTER = re.compile(r"(?<![A-Z])R(\d+)(\.64)?")
_OPEN_GROUPS = re.compile(r"SB\d+,(0x[0-9a-f]+)")


@dataclass
class _UnderWay:
    """What is under way at one point of the walk."""

    loads: list[tuple[range, int]] = field(default_factory=list)  # destination registers, bytes
    copies: int = 0  # bytes of the group that is not closed yet
    groups: list[int] = field(default_factory=list)  # bytes of each closed one, oldest first
    most: int = 0

    def step(self, instruction: Instruction) -> None:
        """Take one instruction."""
        name = base(instruction.opcode)
        used = registers(instruction)
        self.loads = [one for one in self.loads if not used.intersection(one[0])]
        if name == _LOAD:
            self.loads.append((_destination(instruction), width(instruction.opcode) // 8))
        elif name == _COPY:
            self.copies += width(instruction.opcode) // 8
        elif name == _CLOSE:
            self.groups.append(self.copies)
            self.copies = 0
        elif name == _WAIT and (left := _OPEN_GROUPS.search(instruction.operands)):
            self.groups = self.groups[max(0, len(self.groups) - int(left[1], 16)) :]
        now = sum(size for _, size in self.loads) + self.copies + sum(self.groups)
        self.most = max(self.most, now)


def bytes_in_flight(instructions: list[Instruction]) -> int:
    """Return the most bytes of global loads that one thread has under way."""
    in_loops = [
        _most(instructions[first : last + 1], _MOST_TURNS)
        for first, last in loops(instructions)
        if not _ends_within(instructions[first:last])
    ]
    return max(in_loops, default=0) or _most(instructions, 1)


def registers(instruction: Instruction) -> set[int]:
    """Return the numbers of the registers that an instruction reads or writes.

    Of a pair or a quad the first is named in it, and all are returned.
    """
    name = base(instruction.opcode)
    wide = 1
    if name in _STORES or name == _LOAD:
        wide = -(-width(instruction.opcode) // 32)
    elif name.startswith("D") or ".WIDE" in instruction.opcode or ".64" in instruction.opcode:
        wide = 2
    found: set[int] = set()
    bare = re.sub(r"\[[^]]*\]", "", instruction.operands)  # without addresses
    for text, size in ((bare, wide), (instruction.operands, 1)):
        for match in _REGISTER.finditer(text):
            first = int(match[1])
            found.update(range(first, first + max(size, 2 if match[2] else 1)))
    return found


def _destination(load: Instruction) -> range:
    """Return the registers that a load writes; none of one that writes to nowhere (RZ)."""
    match = _REGISTER.match(load.operands.partition(",")[0].strip())
    first = int(match[1]) if match else 0
    return range(first, first + -(-width(load.opcode) // 32) if match else first)


def _most(code: Iterable[Instruction], turns: int) -> int:
    """Return the most that is under way in code that is walked so often, or until it is steady."""
    under_way = _UnderWay()
    code = [instruction for instruction in code if instruction.runs]
    for _ in range(turns):
        before = under_way.most
        for instruction in code:
            under_way.step(instruction)
        if under_way.most == before:
            break
    return under_way.most


def _ends_within(code: Iterable[Instruction]) -> bool:
    """Return whether all threads end in between: then the branch back leads from code set aside."""
    return any(base(one.opcode) in _ENDS and not one.predicate for one in code)
