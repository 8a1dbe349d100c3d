"""The matmul ladder: an H200's counters, the CPU device's and the machine code's agree."""

import functools
import json
import sys
import tempfile
import unittest
from pathlib import Path

import support

# The compiler is left alone here, so PTX and machine code read shared memory differently.
MERGED_READS = "plain-source"

FULL = "1024,1024,1024"

# The most that may be held up, as a share of all shared wavefronts; the record's most is
# 0.3 %, the stores of the baseline.
HELD_UP = 0.005

# What ptxas puts at each wait for asynchronous copies but one: shared loads that are switched off.
# They move nothing, and the hardware counts them among the instructions all the same.
SWITCHED_OFF_AT_A_WAIT = 3


def asynchronous_copies(hardware: dict) -> int:
    """Return how many requests to global memory were asynchronous copies: they are no loads."""
    return hardware["global_load_requests"] - hardware["global_load_instructions"]


def switched_off_loads(hardware: dict, ptx: dict) -> int:
    """Return how many shared loads of a run moved nothing, all warps together."""
    if not asynchronous_copies(hardware):
        return 0
    warps = ptx["blocks"] * ptx["threads_per_block"] // 32
    waits = ptx["barriers"] // warps  # one barrier follows each
    return SWITCHED_OFF_AT_A_WAIT * warps * (waits - 1)


@functools.cache
def counted(shape: str) -> dict:
    """Return every rung's part of the ladder's document at M,N,K, from the CPU device."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        support.run("matmul", "--counts", "--shape", shape, "--json", path)
        document = json.loads(path.read_text())
    return {rung["name"]: rung for rung in document["rungs"]}


def machine_code_file(rung: str) -> dict:
    """Return a rung's machine-code document."""
    path = support.BIN / "machine-code" / "matmul" / f"{rung}.json"
    return json.loads(path.read_text())


def machine_code(rung: str) -> dict:
    """Return a rung's machine-code counts; skips the test where no disassembler made them."""
    document = machine_code_file(rung)
    if not document["kernels"]:
        raise unittest.SkipTest(f"no machine-code counts: {document['missing']}")
    return document


class MatmulTest(unittest.TestCase):
    """One comparison a test, over every rung that is recorded."""

    def setUp(self):
        # Another compiler makes another program, and the record says nothing of it.
        recorded = support.recorded("matmul.json")["machine"]["cuda"]
        nvcc = machine_code_file("baseline")["compiler"]["nvcc"]
        if not nvcc.startswith(f"{recorded}."):
            self.skipTest(f"recorded with CUDA {recorded}, built with nvcc {nvcc}")

    def rungs(self):
        """Yield (name, hardware counters, the CPU device's kernel counts) of every run."""
        for name, entry in support.recorded("matmul.json")["rungs"].items():
            for run in entry["runs"]:
                shape = ",".join(str(size) for size in run["shape"].values())
                ours = counted(shape)[name]
                self.assertEqual(entry["source_hash"], ours["source_hash"],
                                 f"{name} has changed since; record it again")  # fmt: skip
                (ptx,) = ours["counts"]["ptx"]["kernels"]
                yield f"{name} at {shape}", run["counters"], ptx

    def test_what_is_recorded_are_rungs_at_several_shapes(self):
        # A new rung waits for its recording, and that is no error.
        recorded = support.recorded("matmul.json")["rungs"]
        for name in counted(FULL):
            if name not in recorded:
                print(f"not recorded on an H200 yet: matmul/{name}", flush=True)
        self.assertEqual(recorded.keys() - counted(FULL).keys(), set(), "these are no rungs")
        for name, entry in recorded.items():
            shapes = [tuple(run["shape"].values()) for run in entry["runs"]]
            self.assertIn((1024, 1024, 1024), shapes, name)
            self.assertGreater(len(set(shapes)), 1, name)

    def test_every_rung_passed_its_check_on_the_h200(self):
        for name, entry in support.recorded("matmul.json")["rungs"].items():
            self.assertIs(entry["check_passed"], True, name)

    def test_multiply_adds(self):
        for name, hardware, ptx in self.rungs():
            with self.subTest(rung=name):
                self.assertEqual(hardware["multiply_adds"], ptx["multiply_adds"])

    def test_global_requests_and_sectors(self):
        for name, hardware, ptx in self.rungs():
            with self.subTest(rung=name):
                # The hardware counts a sector more for each asynchronous copy's request.
                more = {"load": asynchronous_copies(hardware), "store": 0}
                for way in ("load", "store"):
                    counts = ptx["global"][way]
                    self.assertEqual(hardware[f"global_{way}_requests"], counts["instructions"])
                    sectors = counts["sectors"] + more[way]
                    self.assertEqual(hardware[f"global_{way}_sectors"], sectors)

    def test_only_the_asynchronous_copy_copies_asynchronously(self):
        found = {name.split()[0] for name, hardware, _ in self.rungs()
                 if asynchronous_copies(hardware)}  # fmt: skip
        self.assertEqual(found, {"async-copy"})

    def compare_shared(self, way, left_out=()):
        """Hold the shared loads or stores of every run against the CPU device's counts."""
        for name, hardware, ptx in self.rungs():
            if name.split()[0] in left_out:
                continue
            with self.subTest(rung=name):
                counts = ptx["shared"][way]
                idle = switched_off_loads(hardware, ptx) if way == "load" else 0
                executed = hardware[f"shared_{way}_instructions"] - idle
                self.assertEqual(executed, counts["instructions"])
                more, conflicts = (
                    hardware[f"shared_{way}_{what}"] - counts[what]
                    for what in ("wavefronts", "bank_conflicts")
                )
                # On a full machine some accesses are held up by others of their SM, and each
                # counts as a wavefront and a conflict more.
                self.assertEqual(more, conflicts)
                if name.endswith(FULL):
                    total = sum(ptx["shared"][w]["wavefronts"] for w in ("load", "store"))
                    self.assertGreaterEqual(more, 0)
                    self.assertLess(more, HELD_UP * total)
                else:
                    self.assertEqual(more, 0)

    def test_shared_stores(self):
        self.compare_shared("store")

    def test_shared_loads(self):
        self.compare_shared("load", left_out={MERGED_READS})

    def test_what_is_held_up_differs_from_run_to_run(self):
        # The excess is of the machine's state, not of the access pattern: a rung that has
        # any does not have the same twice.
        for name, entry in support.recorded("matmul.json")["rungs"].items():
            full = [r["counters"] for r in entry["runs"] if set(r["shape"].values()) == {1024}]
            self.assertEqual(len(full), 2, name)
            (ptx,) = counted(FULL)[name]["counts"]["ptx"]["kernels"]
            loads = {counters["shared_load_wavefronts"] for counters in full}
            if name != MERGED_READS and loads != {ptx["shared"]["load"]["wavefronts"]}:
                self.assertEqual(len(loads), 2, name)

    def test_shared_reads_per_multiply_add_in_machine_code(self):
        # Holds on every rung, the merged reads too: the inner loop's mix, times the number
        # of multiply-adds, is what the hardware executes.
        for name, hardware, ptx in self.rungs():
            with self.subTest(rung=name):
                executed = hardware["shared_load_instructions"] - switched_off_loads(hardware, ptx)
                reads = 32 * executed / hardware["multiply_adds"]
                self.assertEqual(
                    reads, machine_code(name.split()[0])["shared_reads_per_multiply_add"]
                )

    def test_registers_and_local_memory(self):
        for name, hardware, ptx in self.rungs():
            with self.subTest(rung=name):
                (kernel,) = machine_code(name.split()[0])["kernels"]
                self.assertEqual(hardware["registers"], kernel["registers"])
                for way in ("load", "store"):
                    if f"local_{way}_instructions" in hardware:
                        self.assertEqual(hardware[f"local_{way}_instructions"],
                                         ptx["local"][way]["instructions"])  # fmt: skip


if __name__ == "__main__":
    sys.exit(support.main(__name__, "matmul"))
