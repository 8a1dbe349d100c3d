"""A ladder's rungs: an H200's counters, the CPU device's and the machine code's agree.

python3 tests/truth/test_ladder.py LADDER --bin FOLDER [TEST ...]
"""

import functools
import json
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

import support
from support import retained

sys.path.insert(0, str(retained.DATA.parents[1] / "common"))
from evidence import ladder_settings  # noqa: E402

LADDER = ""  # given on the command line

# PTX and machine code access shared memory differently here: ptxas merges neighbouring floats into
# one access of 64 or 128 bits.
MERGED = {
    "load": {
        *("matmul/plain-source", "layernorm/two-warps", "layernorm/chan", "layernorm/four-warps"),
        "layernorm/welford",
    },
    "store": {
        *("layernorm/chan", "layernorm/three-warps", "layernorm/streaming", "layernorm/welford"),
    },
}

# The most that may be held up, as a share of a kernel's shared wavefronts. What was recorded has
# 0.3 % at most in matmul, in the stores of its baseline, and 4.7 % in ladders that hardly use
# shared memory, in the stores of reduction's sixteen-blocks. At a small shape with a block an SM
# at most, nothing is.
HELD_UP = {"matmul": 0.005}
HELD_UP_ELSEWHERE = 0.05
SMS = 132

LEAST_REGISTERS = 16  # what a thread is given where its machine code needs fewer

# What ptxas puts at each wait for asynchronous copies but one: shared loads that are switched off.
# They move nothing, and the hardware counts them among the instructions all the same.
SWITCHED_OFF_AT_A_WAIT = 3


@functools.cache
def described() -> dict:
    """Return each rung's description by its name, as the build has it."""
    listing = json.loads(support.run(LADDER, "--describe").stdout)
    return {rung["name"]: rung for rung in listing["rungs"]}


@functools.cache
def counted(*arguments: str) -> dict:
    """Return the document of the ladder's program on the CPU device, by rung."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        support.run(LADDER, "--counts", *arguments, "--json", path)
        document = json.loads(path.read_text(encoding="utf-8"))
    return {rung["name"]: rung for rung in document["rungs"]}


def counts_of(rung: str, run: dict, full: dict) -> dict:
    """Return a rung's part of the document of a recorded run's shape."""
    if run["shape"] == full:
        return counted()[rung]
    sizes = ",".join(str(size) for size in run["shape"].values())
    return counted("--shape", sizes, "--rung", rung)[rung]  # not every rung takes every shape


@dataclass(frozen=True)
class Kernel:
    """One kernel of a recorded run: its counters, and what it is by the other two accounts."""

    rung: str
    where: str
    is_full: bool  # at the problem's own shape
    hardware: dict  # counters by their short names
    ptx: dict
    sass: dict


def machine_code(rung: str) -> dict:
    """Return a rung's machine-code document."""
    path = support.BIN / "machine-code" / LADDER / f"{rung}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def kernels_of(rung: str) -> dict:
    """Return a rung's kernels in machine code by mangled name; skips where none were counted."""
    document = machine_code(rung)
    if not document["kernels"]:
        raise unittest.SkipTest(f"no machine-code counts: {document['missing']}")
    return {kernel["mangled"]: kernel for kernel in document["kernels"]}


def copies_asynchronously(sass: dict) -> bool:
    """Return whether there are asynchronous copies in a kernel's machine code."""
    return "LDGSTS" in sass["instructions"]["by_opcode"]


def asynchronous_copies(kernel: Kernel) -> int:
    """Return how many requests to global memory were asynchronous copies: they are no loads."""
    if not copies_asynchronously(kernel.sass):
        return 0
    return kernel.hardware["global_load_requests"] - kernel.hardware["global_load_instructions"]


def switched_off_loads(kernel: Kernel) -> int:
    """Return how many shared loads of a run moved nothing, all warps together."""
    if not copies_asynchronously(kernel.sass):
        return 0
    warps = kernel.ptx["blocks"] * kernel.ptx["threads_per_block"] // 32
    waits = kernel.ptx["barriers"] // warps  # one barrier follows each
    return SWITCHED_OFF_AT_A_WAIT * warps * (waits - 1)


def is_merged(kernel: Kernel, way: str) -> bool:
    """Return whether machine code merges the shared loads or stores that PTX has."""
    return f"{LADDER}/{kernel.rung}" in MERGED[way]


class LadderTest(unittest.TestCase):
    """One comparison a test, over every kernel of every rung that is recorded."""

    def setUp(self):
        self.document = support.recorded(f"{LADDER}.json")
        # Another compiler makes another program, and the record says nothing of it.
        recorded = self.document["machine"]["cuda"]
        nvcc = machine_code(next(iter(described())))["compiler"]["nvcc"]
        if not nvcc.startswith(f"{recorded}."):
            self.skipTest(f"recorded with CUDA {recorded}, built with nvcc {nvcc}")

    def kernels(self):
        """Yield every kernel of every run that is recorded."""
        for name, entry in self.document["rungs"].items():
            for run in entry["runs"]:
                ours, code = counts_of(name, run, entry["shape"]), kernels_of(name)
                self.assertEqual(entry["source_hash"], ours["source_hash"],
                                 f"{name} has changed since; record it again")  # fmt: skip
                launched, theirs = ours["counts"]["ptx"]["kernels"], retained.kernels_of(run)
                where = f"{name} at {run['shape']}"
                self.assertEqual(
                    [[kernel[key] for key in ("grid", "block", "launches")] for kernel in launched],
                    [[kernel[key] for key in ("grid", "block", "launches")] for kernel in theirs],
                    where,
                )
                for hardware, ptx in zip(theirs, launched, strict=True):
                    place = f"{where}, {ptx['name']}"
                    full, sass = run["shape"] == entry["shape"], code[ptx["mangled"]]
                    yield Kernel(name, place, full, hardware["counters"], ptx, sass)

    def each(self, compare):
        """Call ``compare`` with every kernel, each in a part of the test of its own."""
        for kernel in self.kernels():
            with self.subTest(kernel.where):
                compare(kernel)

    @property
    def is_of_multiply_adds(self) -> bool:
        """Whether they are the ladder's work: elsewhere a division has some, in machine code."""
        return ladder_settings.load(retained.DATA.parents[1], LADDER).floor == "floor-ffma"

    def require_multiply_adds(self):
        if not self.is_of_multiply_adds:
            self.skipTest(f"multiply-adds are not the work of {LADDER}")

    def test_what_is_recorded_are_rungs_at_several_shapes(self):
        # A new rung waits for its recording, and that is no error.
        recorded = self.document["rungs"]
        for name in described():
            if name not in recorded:
                print(f"not recorded on an H200 yet: {LADDER}/{name}", flush=True)
        self.assertEqual(recorded.keys() - described().keys(), set(), "these are no rungs")
        for name, entry in recorded.items():
            shapes = [tuple(run["shape"].values()) for run in entry["runs"]]
            self.assertIn(tuple(entry["shape"].values()), shapes, name)
            self.assertGreater(len(set(shapes)), 1, name)

    def test_every_rung_passed_its_check_on_the_h200(self):
        for name, entry in self.document["rungs"].items():
            self.assertIs(entry["check_passed"], True, name)

    def test_multiply_adds(self):
        def compare(kernel):
            self.assertEqual(kernel.hardware["multiply_adds"], kernel.ptx["multiply_adds"])

        self.require_multiply_adds()
        self.each(compare)

    def test_global_requests_and_sectors(self):
        def compare(kernel):
            # The hardware counts a sector more for each asynchronous copy's request.
            more = {"load": asynchronous_copies(kernel), "store": 0}
            for way in ("load", "store"):
                counts, hardware = kernel.ptx["global"][way], kernel.hardware
                self.assertEqual(hardware[f"global_{way}_requests"], counts["instructions"])
                sectors = counts["sectors"] + more[way]
                self.assertEqual(hardware[f"global_{way}_sectors"], sectors)

        self.each(compare)

    def test_what_copies_asynchronously_does_so_in_hardware(self):
        def compare(kernel):
            requests = kernel.hardware["global_load_requests"]
            loads = kernel.hardware["global_load_instructions"]
            if copies_asynchronously(kernel.sass):
                self.assertGreater(requests, loads)
            else:  # a load that its predicate holds back in the whole warp makes no request
                self.assertLessEqual(requests, loads)

        self.each(compare)

    def compare_shared(self, kernel, way):
        """Hold the shared loads or stores of a kernel against the CPU device's counts."""
        counts, hardware = kernel.ptx["shared"][way], kernel.hardware
        if is_merged(kernel, way):  # no more accesses move the same
            self.assertLessEqual(hardware[f"shared_{way}_instructions"], counts["instructions"])
            return
        idle = switched_off_loads(kernel) if way == "load" else 0
        executed = hardware[f"shared_{way}_instructions"] - idle
        if self.is_of_multiply_adds:
            self.assertEqual(executed, counts["instructions"])
        else:  # where PTX branches, machine code may switch an access off in a whole warp
            self.assertGreaterEqual(executed, counts["instructions"])
        more, conflicts = (
            hardware[f"shared_{way}_{what}"] - counts[what]
            for what in ("wavefronts", "bank_conflicts")
        )
        # On a full machine some accesses are held up by others of their SM, and each
        # counts as a wavefront and a conflict more.
        self.assertEqual(more, conflicts)
        if kernel.is_full or kernel.ptx["blocks"] > SMS:
            total = sum(kernel.ptx["shared"][w]["wavefronts"] for w in ("load", "store"))
            self.assertGreaterEqual(more, 0)
            self.assertLessEqual(more, HELD_UP.get(LADDER, HELD_UP_ELSEWHERE) * total)
        else:
            self.assertEqual(more, 0)

    def test_shared_stores(self):
        self.each(lambda kernel: self.compare_shared(kernel, "store"))

    def test_shared_loads(self):
        self.each(lambda kernel: self.compare_shared(kernel, "load"))

    def test_what_is_held_up_differs_from_run_to_run(self):
        # The excess is of the machine's state, not of the access pattern: a kernel that has
        # any does not have the same twice.
        found = {}
        for kernel in self.kernels():
            if not is_merged(kernel, "load"):
                counts = kernel.ptx["shared"]["load"]["wavefronts"]
                more = kernel.hardware["shared_load_wavefronts"] - counts
                found.setdefault(kernel.where, []).append(more)
        for where, excess in found.items():
            if len(excess) > 1 and any(excess):
                self.assertGreater(len(set(excess)), 1, where)

    def test_shared_reads_per_multiply_add_in_machine_code(self):
        # Holds on every rung, the merged reads too: the inner loop's mix, times the number
        # of multiply-adds, is what the hardware executes.
        def compare(kernel):
            executed = kernel.hardware["shared_load_instructions"] - switched_off_loads(kernel)
            reads = 32 * executed / kernel.hardware["multiply_adds"]
            counted_reads = machine_code(kernel.rung)["shared_reads_per_multiply_add"]
            self.assertEqual(reads, counted_reads)

        self.require_multiply_adds()
        self.each(compare)

    def test_registers_and_local_memory(self):
        def compare(kernel):
            given = max(kernel.sass["registers"], LEAST_REGISTERS)
            self.assertEqual(kernel.hardware["registers"], given)
            for way in ("load", "store"):
                if f"local_{way}_instructions" in kernel.hardware:
                    self.assertEqual(kernel.hardware[f"local_{way}_instructions"],
                                     kernel.ptx["local"][way]["instructions"])  # fmt: skip

        self.each(compare)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(f"{sys.argv[0]}: give a ladder's name first", file=sys.stderr)
        sys.exit(2)
    LADDER = sys.argv.pop(1)
    sys.exit(support.main(__name__, LADDER))
