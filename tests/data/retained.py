"""The retained files of tests/data/h200: what is in them, and how they are read.

patterns.json       counters of every access pattern
LADDER.json         counters of every kernel of every rung of a ladder
instructions.json   every PTX form with the length of its result words
instructions.words.xz   those words, one form after the other, little-endian
sanitizer.json      what compute-sanitizer says of rungs and negative controls

Each names the GPU, the driver, the CUDA and Nsight Compute versions, and a hash of the
sources it came from; none names a host or a path.
"""

import hashlib
import json
import lzma
import re
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parent
RETAINED = DATA / "h200"

# Short names of the counters that are kept, and Nsight Compute's own.
COUNTERS = {
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_load_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "shared_load_instructions": "smsp__inst_executed_op_shared_ld.sum",
    "shared_store_instructions": "smsp__inst_executed_op_shared_st.sum",
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "multiply_adds": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "registers": "launch__registers_per_thread",
    "local_load_instructions": "smsp__inst_executed_op_local_ld.sum",
    "local_store_instructions": "smsp__inst_executed_op_local_st.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "global_load_instructions": "smsp__inst_executed_op_global_ld.sum",
    "global_store_instructions": "smsp__inst_executed_op_global_st.sum",
    "static_shared_bytes": "launch__shared_mem_per_block_static",
    "dynamic_shared_bytes": "launch__shared_mem_per_block_dynamic",
}

# Which counters a pattern has, by the space it is about.
COLUMNS = {
    space: [name for name in COUNTERS if name.startswith(space) and not name.endswith("bytes")]
    for space in ("shared", "global")
}
COLUMNS["global"] = [n for n in COLUMNS["global"] if not n.endswith("instructions")]

PATTERN_SOURCES = ("access_patterns.cu", "accesses.cuh", "patterns.cpp", "patterns.hpp")


def code_only(text: str) -> str:
    """Return C++ source without comments and white space, strings kept whole."""
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|\s+|.', re.DOTALL)
    return "".join(
        "" if part.startswith(("//", "/*")) or part.isspace() else part
        for part in token.findall(text)
    )


def source_hash(paths) -> str:
    """Return the SHA-256 over the code of files, in the order given."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(code_only(Path(path).read_text()).encode() + b"\0")
    return digest.hexdigest()


def pattern_source_hash() -> str:
    """Return the hash of the access patterns' sources as they are now."""
    return source_hash(DATA / name for name in PATTERN_SOURCES)


def instruction_source_hash() -> str:
    """Return the hash of the instruction forms' sources as they are now."""
    return source_hash(sorted((DATA / "instructions").glob("*.c*")))


def control_source_hash(name: str) -> str:
    """Return the hash of a negative control's source as it is now."""
    return source_hash([DATA.parent / "negative" / "faults" / f"{name}.cu"])


@dataclass
class Pattern:
    """One access pattern as `access_patterns --list` prints it."""

    name: str
    width: int
    blocks: int
    warps: int
    offsets: list  # bytes for each lane, None where the lane is inactive

    @property
    def space(self) -> str:
        """Return shared or global."""
        return self.name.split("_")[0]

    @property
    def direction(self) -> str:
        """Return load or store."""
        return self.name.split("_")[1].split("/")[0]


def parse_patterns(listing: str) -> list:
    """Read the output of `access_patterns --list`."""
    patterns = []
    for line in listing.splitlines():
        name, width, blocks, warps, offsets = line.split("\t")
        lanes = [None if at == "-" else int(at) for at in offsets.split(",")]
        patterns.append(Pattern(name, int(width), int(blocks), int(warps), lanes))
    return patterns


def load(name: str) -> dict | None:
    """Return a retained JSON file, or None if it has not been recorded yet."""
    path = RETAINED / name
    return json.loads(path.read_text()) if path.exists() else None


def kernels_of(run: dict) -> list[dict]:
    """Return the kernels of a rung's run in the order in which they were first launched.

    Each has ``grid`` and ``block`` as lists, ``launches``, and ``counters``. Launches of one kernel
    with one grid and block are taken together: what is a total is added up, and of what each launch
    has, such as registers, there is one value.
    """
    found: dict[tuple, dict] = {}
    for launch in run.get("kernels") or [run]:
        name, grid, block = (launch[key] for key in ("kernel", "grid", "block"))
        counters = launch["counters"]
        if (known := found.get((name, grid, block))) is None:
            sizes = {"grid": _sizes(grid), "block": _sizes(block)}
            found[name, grid, block] = {**sizes, "launches": 1, "counters": dict(counters)}
            continue
        known["launches"] += 1
        for short, value in counters.items():
            if COUNTERS[short].endswith(".sum"):
                known["counters"][short] += value
    return list(found.values())


def _sizes(text: str) -> list[int]:
    """Read a grid or a block as ncu prints it: (2, 4, 1)."""
    return [int(size) for size in re.findall(r"\d+", text)]


def instruction_words(document: dict) -> dict:
    """Return the recorded words of every form by name, as bytes."""
    data = lzma.decompress((RETAINED / "instructions.words.xz").read_bytes())
    words = {}
    at = 0
    for form in document["forms"]:
        size = 4 * form["count"]
        words[form["name"]] = data[at : at + size]
        at += size
    if at != len(data):
        raise ValueError("instructions.words.xz does not fit instructions.json")
    return words
