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


@functools.cache
def counted(shape: str) -> dict:
    """Return every rung's part of the ladder's document at M,N,K, from the CPU device."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        support.run("matmul", "--counts", "--shape", shape, "--json", path)
        document = json.loads(path.read_text())
    return {rung["name"]: rung for rung in document["rungs"]}


def machine_code(rung: str) -> dict:
    """Return a rung's machine-code counts; skips the test where no disassembler made them."""
    path = support.BIN / "machine-code" / "matmul" / f"{rung}.json"
    document = json.loads(path.read_text())
    if not document["kernels"]:
        raise unittest.SkipTest(f"no machine-code counts: {document['missing']}")
    return document


class MatmulTest(unittest.TestCase):
    """One comparison a test, over every rung that is recorded."""

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

    def test_every_rung_is_recorded(self):
        self.assertEqual(set(support.recorded("matmul.json")["rungs"]), set(counted(FULL)))
        for name, entry in support.recorded("matmul.json")["rungs"].items():
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
                for way in ("load", "store"):
                    counts = ptx["global"][way]
                    self.assertEqual(hardware[f"global_{way}_requests"], counts["instructions"])
                    self.assertEqual(hardware[f"global_{way}_sectors"], counts["sectors"])

    def test_shared_stores(self):
        for name, hardware, ptx in self.rungs():
            with self.subTest(rung=name):
                store = ptx["shared"]["store"]
                self.assertEqual(hardware["shared_store_instructions"], store["instructions"])
                self.assertEqual(hardware["shared_store_wavefronts"], store["wavefronts"])
                self.assertEqual(hardware["shared_store_bank_conflicts"], store["bank_conflicts"])

    def test_shared_loads(self):
        for name, hardware, ptx in self.rungs():
            with self.subTest(rung=name):
                if name.startswith(MERGED_READS):
                    continue
                load = ptx["shared"]["load"]
                self.assertEqual(hardware["shared_load_instructions"], load["instructions"])
                self.assertEqual(hardware["shared_load_wavefronts"], load["wavefronts"])
                self.assertEqual(hardware["shared_load_bank_conflicts"], load["bank_conflicts"])

    def test_shared_reads_per_multiply_add_in_machine_code(self):
        # Holds on every rung, the merged reads too: the inner loop's mix, times the number
        # of multiply-adds, is what the hardware executes.
        for name, hardware, _ in self.rungs():
            with self.subTest(rung=name):
                reads = 32 * hardware["shared_load_instructions"] / hardware["multiply_adds"]
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


class SanitizerTest(unittest.TestCase):
    """What compute-sanitizer said of rungs and controls on the H200."""

    def test_every_rung_is_clean_under_every_tool(self):
        document = support.recorded("sanitizer.json")
        self.assertEqual(len(document["rungs"]), len(counted(FULL)))
        for rung, tools in document["rungs"].items():
            self.assertEqual(set(tools), {"memcheck", "racecheck", "initcheck", "synccheck"})
            for tool, entry in tools.items():
                self.assertEqual(entry["status"], 0, f"{rung}, {tool}: {entry}")


if __name__ == "__main__":
    sys.exit(support.main(__name__, "matmul"))
