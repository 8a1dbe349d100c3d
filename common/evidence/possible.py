"""What a GPU can do at most, and the refusal of a time that beats it.

FP32: multiprocessors x lanes x 2 x highest clock. TF32: its own rate. Memory: twice the memory
clock x bus width. Rates per multiprocessor and clock are those of the CUDA C++ Programming Guide's
table of arithmetic throughput (FP32 lanes) and of NVIDIA's architecture papers (dense TF32).
"""

import statistics
from dataclasses import dataclass

from evidence import claims
from evidence.errors import EvidenceError

# By compute capability: FP32 multiply-adds a multiprocessor can do in a clock.
_FP32_LANES = {
    "7.0": 64, "7.2": 64, "7.5": 64, "8.0": 64, "8.6": 128, "8.7": 128, "8.9": 128, "9.0": 128,
    "10.0": 128, "10.3": 128, "12.0": 128, "12.1": 128,
}  # fmt: skip

# The same for TF32 multiply-adds on tensor cores, dense.
_TF32_LANES = {"8.0": 512, "8.6": 128, "8.9": 128, "9.0": 1024, "10.0": 2048, "12.0": 128}

# Clocks are read once and rounded; a time this little ahead of the limit is not refused.
_TOLERANCE = 1.02


@dataclass(frozen=True)
class Bound:
    """The least time that some work can take."""

    microseconds: float
    because: str  # in words, with the rate


def limits(machine: dict) -> dict[str, float | None]:
    """Return what the machine of a record can do at most in a second; None where not known.

    The keys are ``fp32_flops``, ``tf32_flops`` and ``bytes_per_second``.
    """
    capability, clock = machine["compute_capability"], machine["max_sm_clock_mhz"]
    memory = claims.memory_tbps(machine)

    def flops(lanes: dict[str, int]) -> float | None:
        if not clock or capability not in lanes:
            return None
        return machine["multiprocessors"] * lanes[capability] * 2 * clock * 1e6

    return {
        "fp32_flops": flops(_FP32_LANES),
        "tf32_flops": flops(_TF32_LANES),
        "bytes_per_second": memory * 1e12 if memory else None,
    }


def unknown(machine: dict) -> list[str]:
    """Return a sentence for each limit that is not known of a machine, so that none is held."""
    name = f"{machine['name']}, compute capability {machine['compute_capability']}"
    words = {
        "fp32_flops": "FP32 arithmetic",
        "tf32_flops": "TF32 arithmetic",
        "bytes_per_second": "memory",
    }
    return [
        f"the limit of {words[key]} of {name} is not known; no time is held against it"
        for key, value in limits(machine).items()
        if value is None
    ]


def bounds(machine: dict, entry: dict, row: dict, cache: str) -> list[Bound]:
    """Return the least times that a row's operation can take; ``entry`` is that of its shape.

    Arithmetic counts by the row's own math mode. Memory counts only with a cold cache, or where the
    footprint exceeds the L2; of a warm one, what the L2 may still hold is left out.
    """
    most, work = limits(machine), claims.work_of(entry, row)
    found = []
    flops = most[f"{row['math']}_flops"]
    if work.multiply_adds and flops:
        rate = f"{row['math'].upper()} at {flops / 1e12:.1f} TFLOP/s"
        found.append(Bound(2e6 * work.multiply_adds / flops, rate))
    rate, size = most["bytes_per_second"], work.bytes or 0
    if cache == "warm":
        size = size - machine["l2_bytes"] if entry["bytes"] > machine["l2_bytes"] else 0
    if rate and size > 0:
        found.append(Bound(1e6 * size / rate, f"memory at {rate / 1e12:.2f} TB/s"))
    return found


def require_possible(record: dict, where: str) -> None:
    """Raise EvidenceError, with both numbers, at the first time that beats what is possible.

    A time is the median of a round; host time of a submission has no bound.
    """
    for i, entry in enumerate(record["shapes"]):
        for j, row in enumerate(entry["rows"]):
            for k, time in enumerate(row.get("times", [])):
                if "missing" in time or time["instrument"] == "submit":
                    continue
                path = f"shapes[{i}].rows[{j}].times[{k}]"
                _require_above(
                    time,
                    bounds(record["machine"], entry, row, time["cache"]),
                    f"{where}: {path}",
                    row["name"],
                )


def _require_above(time: dict, least: list[Bound], where: str, name: str) -> None:
    for number, samples in enumerate(time["rounds"]):
        median = statistics.median(samples)
        for bound in least:
            if median * _TOLERANCE < bound.microseconds:
                raise EvidenceError(
                    f"{where}.rounds[{number}]: {name} takes {median:.3f} us, but "
                    f"{bound.because} needs {bound.microseconds:.3f} us at least"
                )
