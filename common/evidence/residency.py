"""How many blocks and threads of a launch a multiprocessor holds at once, and what the limit is.

The limits are those of the CUDA C++ Programming Guide's "Technical Specifications per Compute
Capability": threads, blocks, registers and shared memory of a multiprocessor. That 1 KiB of shared
memory is kept of each block is said in NVIDIA's tuning guides for Ada and Hopper. Registers are
given to warps in units of 256, and a multiprocessor's four parts have a quarter of them each: so
the occupancy calculator of CUDA 11's toolkit (cuda_occupancy.h) has it. What comes out is tested
against what cudaOccupancyMaxActiveBlocksPerMultiprocessor said of every kernel of the kept records.
"""

from dataclasses import dataclass

from evidence.errors import EvidenceError
from evidence.times import kernel_name

WARP = 32

_REGISTER_UNIT = 256  # registers, given to a warp
_PARTS = 4  # of a multiprocessor, each with its own registers and warps
_SHARED_UNIT = 128  # bytes
_SHARED_RESERVED = 1024  # bytes a block


@dataclass(frozen=True)
class Limits:
    """What a multiprocessor holds at most; shared memory in bytes."""

    threads: int
    blocks: int
    registers: int
    shared_bytes: int


LIMITS = {
    "8.9": Limits(threads=1536, blocks=24, registers=65536, shared_bytes=100 * 1024),
    "9.0": Limits(threads=2048, blocks=32, registers=65536, shared_bytes=228 * 1024),
}

# The GPU that counts are read for: an H200's compute capability and multiprocessors.
CAPABILITY = "9.0"
MULTIPROCESSORS = 132


@dataclass(frozen=True)
class Launch:
    """What decides how many blocks fit; shared memory in bytes a block, static and dynamic."""

    block_threads: int
    blocks: int
    registers: int  # a thread
    shared_bytes: int


@dataclass(frozen=True)
class Residency:
    """How many blocks fit a multiprocessor, and how many it holds of this grid."""

    by_limit: dict[str, int]  # blocks that fit by "threads", "blocks", "registers", "shared memory"
    fitting: int  # the least of them
    held: int  # of this grid, on the multiprocessor that has most of it
    threads: int  # of the blocks held

    @property
    def limited_by(self) -> list[str]:
        """Return what keeps the multiprocessor from holding more: limits, or ``grid``."""
        if self.held < self.fitting:
            return ["grid"]
        return [name for name, blocks in self.by_limit.items() if blocks == self.fitting]


def residency(
    launch: Launch, capability: str = CAPABILITY, multiprocessors: int = MULTIPROCESSORS
) -> Residency:
    """Return how many blocks and threads of a launch one multiprocessor holds at once.

    Raises EvidenceError if nothing is known of the compute capability.
    """
    if capability not in LIMITS:
        raise EvidenceError(
            f"no limits are known of compute capability {capability}; of {', '.join(LIMITS)} are"
        )
    limits = LIMITS[capability]
    warps = _units(launch.block_threads, WARP)
    warp_registers = _units(launch.registers * WARP, _REGISTER_UNIT) * _REGISTER_UNIT
    warps_by_registers = limits.registers // _PARTS // max(warp_registers, 1) * _PARTS
    shared = _units(launch.shared_bytes + _SHARED_RESERVED, _SHARED_UNIT) * _SHARED_UNIT
    by_limit = {
        "threads": limits.threads // WARP // warps,
        "blocks": limits.blocks,
        "registers": warps_by_registers // warps,
        "shared memory": limits.shared_bytes // shared,
    }
    fitting = min(by_limit.values())
    held = min(fitting, _units(launch.blocks, multiprocessors))
    return Residency(by_limit, fitting, held, held * launch.block_threads)


def of_rung(rung: dict) -> Residency:
    """Return the residency of a rung's launch, from its counts in a record or run document.

    Of several kernels, kernel_of() says which one speaks for the rung. Raises EvidenceError as it
    does.
    """
    return of_kernel(*kernel_of(rung))


def of_kernels(rung: dict) -> dict[str, Residency]:
    """Return the residency of each of a rung's kernels by its own name, as times.kernel_name().

    A kernel that is launched in several forms is there in the one that executes most. Raises
    EvidenceError as kernel_of() does.
    """
    ptx, sass = _kernels(rung)
    return {
        kernel_name(one["name"]): of_kernel(one, _machine_code(rung, one, sass))
        for one in sorted(ptx, key=_executed)
    }


def kernel_of(rung: dict) -> tuple[dict, dict]:
    """Return the kernel that speaks for a rung, as counted in PTX and in machine code.

    It is the one that executes most warp instructions. Raises EvidenceError if the rung was not
    counted in PTX and in machine code.
    """
    ptx, sass = _kernels(rung)
    kernel = max(ptx, key=_executed)
    return kernel, _machine_code(rung, kernel, sass)


def of_kernel(ptx: dict, sass: dict) -> Residency:
    """Return the residency of a kernel: registers are the machine code's, the rest its launch's."""
    return residency(
        Launch(
            block_threads=ptx["threads_per_block"],
            blocks=ptx["blocks"] // ptx["launches"],  # one launch after the other
            registers=sass["registers"],
            shared_bytes=ptx["static_shared_bytes"] + ptx["dynamic_shared_bytes"],
        )
    )


def _kernels(rung: dict) -> tuple[list[dict], dict[str, dict]]:
    """Return a rung's kernels as counted in PTX, and those of its machine code by mangled name."""
    counts = rung.get("counts") or {}
    ptx = (counts.get("ptx") or {}).get("kernels") or []
    if not ptx:
        raise EvidenceError(f"{rung.get('key')}: counts.ptx.kernels is empty; it must be counted")
    sass = (counts.get("sass") or {}).get("kernels") or []
    return ptx, {kernel["mangled"]: kernel for kernel in sass}


def _machine_code(rung: dict, kernel: dict, sass: dict[str, dict]) -> dict:
    if kernel["mangled"] not in sass:
        raise EvidenceError(f"{rung.get('key')}: counts.sass has no kernel {kernel['mangled']}")
    return sass[kernel["mangled"]]


def _executed(kernel: dict) -> int:
    return kernel["warp_instructions"]["total"]


def _units(amount: int, unit: int) -> int:
    """Return how many whole units an amount takes."""
    return -(-amount // unit)
