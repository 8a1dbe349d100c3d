"""What compute-sanitizer said on the H200, of the rungs and of the negative controls."""

import sys
import unittest

import support
from support import retained

# Retained files that are no ladder's.
OTHERS = {"patterns", "instructions", "sanitizer"}

TOOLS = {"memcheck", "racecheck", "initcheck", "synccheck"}

# Which tool finds a control on the GPU, and in which words. Where one barrier is missing, warps
# both read too early and write too early; which of the two a run shows first differs.
FOUND_BY = {
    "missing-barrier": ("racecheck", "hazard"),
    "missing-second-barrier": ("racecheck", "Potential WAR hazard"),
    "write-write-race": ("racecheck", "Potential WAW hazard"),
    "missing-async-wait": ("racecheck", "invalid memcpy_async synchronization"),
    "out-of-bounds-write": ("memcheck", "Invalid __global__ write"),
    "shared-out-of-bounds": ("memcheck", "Invalid __shared__ write"),
    "use-after-free": ("memcheck", "Invalid __global__ read"),
    "host-pointer": ("memcheck", "Invalid __global__ read"),
    "misaligned-quad": ("memcheck", "is misaligned"),
    "misaligned-shared": ("memcheck", "is misaligned"),
    "divergent-barrier": ("synccheck", "Divergent thread(s) in warp"),
    "device-assert": ("memcheck", "device-side assert"),
    "trap": ("memcheck", "breakpoint trap"),
}

# What the CPU device refuses and no tool on the GPU does, with the reason.
FOUND_BY_NONE = {
    "out-of-bounds-read": "the next allocation begins where this one ends",
    "uninitialised-shared": "initcheck watches global memory alone",
    "barrier-never-reached": "the machine takes threads that have ended as arrived",
    "host-access": "the process ends by SIGSEGV before a kernel runs",
}

# Not given to a GPU: see record_h200.py.
NOT_RUN = {"endless-spin", "starved-barrier", "unsupported-instruction"}


class RungTest(unittest.TestCase):
    def test_every_rung_is_clean_under_every_tool(self):
        document = support.recorded("sanitizer.json")
        ladders = [p.stem for p in retained.RETAINED.glob("*.json") if p.stem not in OTHERS]
        self.assertTrue(ladders)
        rungs = {
            f"{ladder}-{name}"
            for ladder in ladders
            for name in support.recorded(f"{ladder}.json")["rungs"]
        }
        self.assertEqual(set(document["rungs"]), rungs)
        for rung, tools in document["rungs"].items():
            self.assertEqual(set(tools), TOOLS)
            for tool, entry in tools.items():
                self.assertEqual(entry["status"], 0, f"{rung}, {tool}: {entry}")


class ControlTest(unittest.TestCase):
    def controls(self):
        """Return the recorded controls; one that has changed since is left out, and said."""
        recorded = support.recorded("sanitizer.json")["controls"]
        same = {}
        for name, entry in recorded.items():
            if entry["source_hash"] == retained.control_source_hash(name):
                same[name] = entry
            else:
                print(f"{name} has changed since it was recorded: not compared")
        self.assertGreater(len(same), len(recorded) // 2, "record the controls again")
        return same

    def test_every_control_is_accounted_for(self):
        recorded = support.recorded("sanitizer.json")["controls"]
        sources = {p.stem for p in (retained.DATA.parent / "negative" / "faults").glob("*.cu")}
        self.assertEqual(set(recorded), sources)
        self.assertEqual(sources, set(FOUND_BY) | set(FOUND_BY_NONE) | NOT_RUN)

    def test_the_right_tool_finds_a_control(self):
        for name, entry in self.controls().items():
            if name in FOUND_BY:
                tool, words = FOUND_BY[name]
                found = entry["tools"][tool]
                self.assertEqual(found["status"], 86, f"{name}, {tool}")
                self.assertTrue(any(words in line for line in found["findings"]), (name, found))

    def test_what_no_tool_finds(self):
        for name, entry in self.controls().items():
            if name in FOUND_BY_NONE:
                statuses = {tool: found["status"] for tool, found in entry["tools"].items()}
                self.assertEqual(set(statuses), TOOLS, name)
                self.assertNotIn(86, statuses.values(), name)

    def test_every_mended_control_passes_on_the_gpu(self):
        for name, entry in self.controls().items():
            self.assertEqual(entry["mended_status"], 0, name)

    def test_the_check_judges_wrong_answers_on_the_gpu(self):
        said = support.recorded("sanitizer.json")["wrong_answers"]
        folders = (retained.DATA.parent / "negative" / "wrong-answers").glob("*-*/")
        names = {folder.name.split("-", 1)[1] for folder in folders}
        expected = {name: "passed" if name == "right" else "FAILED" for name in names}
        self.assertEqual(said, expected)


if __name__ == "__main__":
    sys.exit(support.main(__name__))
