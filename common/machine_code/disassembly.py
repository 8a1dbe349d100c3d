"""The kernels of an object file, as the disassembler and the cubin describe them."""

import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from machine_code import tools
from machine_code.errors import MachineCodeError

ARCHITECTURE = "sm_90"  # what records and tests are of, see KERNEL_FLAGS in evidence.source_hash
INSTRUCTION_BYTES = 16

# -res-usage counts the shared memory that the system keeps in each block from sm_90 on, but for a
# kernel that names none of its own.
_SYSTEM_SHARED_BYTES = 1024

_USAGE = re.compile(
    r"Function (?P<name>\S+):\s+REG:(?P<registers>\d+) STACK:(?P<stack>\d+) SHARED:(?P<shared>\d+)"
)


@dataclass(frozen=True)
class Instruction:
    """One machine instruction; ``opcode`` with its modifiers, LDS.128 for instance."""

    opcode: str
    operands: str = ""
    predicate: str = ""

    @property
    def runs(self) -> bool:
        """False for what is switched off for good and only keeps a slot."""
        return self.predicate != "@!PT"


@dataclass(frozen=True)
class Kernel:
    """One kernel's machine code, in address order, and what it takes of an SM."""

    mangled: str
    registers: int
    stack_bytes: int
    shared_bytes: int
    instructions: list[Instruction]


def kernels_of(toolkit: Path, program_object: Path) -> tuple[list[Kernel], str]:
    """Return the kernels of an object file by name, and the version of the ptxas that made them.

    Raises MachineCodeError if there is no machine code for ARCHITECTURE in it.
    """
    cuobjdump = tools.find(toolkit, "cuobjdump")
    nvdisasm = tools.find(toolkit, "nvdisasm")
    usage = parse_usage(tools.run(cuobjdump, "-res-usage", "-arch", ARCHITECTURE, program_object))
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        tools.run(cuobjdump, "-xelf", ARCHITECTURE, program_object.resolve(), folder=where)
        cubins = sorted(where.glob(f"*.{ARCHITECTURE}.cubin"))
        if len(cubins) != 1:
            raise MachineCodeError(
                f"{program_object.name} has {len(cubins)} cubins for {ARCHITECTURE}; one is needed"
            )
        head, functions = json.loads(tools.run(nvdisasm, "-json", cubins[0]))
    found = [
        _kernel(function, usage) for function in functions if function["function-name"] in usage
    ]
    return sorted(found, key=lambda kernel: kernel.mangled), _ptxas_version(head)


def parse_usage(text: str) -> dict[str, tuple[int, int, int]]:
    """Return registers, stack bytes and a kernel's own shared bytes, by mangled name."""
    return {
        match["name"]: (
            int(match["registers"]),
            int(match["stack"]),
            max(0, int(match["shared"]) - _SYSTEM_SHARED_BYTES),
        )
        for match in _USAGE.finditer(text)
    }


def _kernel(function: dict, usage: dict[str, tuple[int, int, int]]) -> Kernel:
    registers, stack_bytes, shared_bytes = usage[function["function-name"]]
    instructions = [
        Instruction(entry["opcode"], entry.get("operands", ""), entry.get("predicate", ""))
        for entry in function["sass-instructions"]
    ]
    return Kernel(function["function-name"], registers, stack_bytes, shared_bytes, instructions)


def _ptxas_version(head: dict) -> str:
    text = head.get(".note.nv.tkinfo", {}).get("tki_toolVersion", "")
    match = re.search(r"V(\d+(?:\.\d+)+)", text)
    if match is None:
        raise MachineCodeError("the cubin does not say which ptxas made it")
    return match[1]
