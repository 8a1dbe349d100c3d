"""Runs negative controls on the CPU device: each must be refused, for the right reason.

    python3 tests/negative/run_controls.py --bin build/bin [NAME ...]

A fault must be named with its kind, kernel, source line, block, thread and, where there is
one, address. The same kernel mended must pass, and a wrong answer must fail the check: a
control that always fires, and one that never does, are both caught.
"""

import argparse
import re
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "data"))
import cpu_device_run  # noqa: E402  # tests/data is no package

BIN = Path()


@dataclass
class Fault:
    """What the CPU device must say of a control."""

    kind: str
    kernel: str
    block: int | None = 0
    thread: int | None = None  # None: any thread may be the one that is named
    address: bool = True


FAULTS = {
    "missing-barrier": Fault("race", "pass_on"),
    "missing-second-barrier": Fault("race", "sum_tiles"),
    "write-write-race": Fault("race", "elect"),
    "out-of-bounds-read": Fault("out of bounds", "difference", block=1, thread=127),
    "out-of-bounds-write": Fault("out of bounds", "number", block=3, thread=4),
    "shared-out-of-bounds": Fault("out of bounds", "turn", thread=60),
    "use-after-free": Fault("use after free", "copy", thread=0),
    "host-pointer": Fault("out of bounds", "copy", thread=0),
    "misaligned-quad": Fault("misaligned", "sum_quads", thread=0),
    "misaligned-shared": Fault("misaligned", "first_quads", thread=1),
    "uninitialised-shared": Fault("uninitialised", "sum", thread=0),
    "missing-async-wait": Fault("uninitialised", "stage", thread=0),
    "divergent-barrier": Fault("divergent barrier", "turn", address=False),
    "barrier-never-reached": Fault("divergent barrier", "turn", address=False),
    "starved-barrier": Fault("divergent barrier", "turn", address=False),
    "endless-spin": Fault("budget", "wait_for", address=False),
    "device-assert": Fault("assertion", "halve", thread=37, address=False),
    "trap": Fault("trap", "guard", thread=40, address=False),
}

# Not faults of a kernel: what must be said, and the exit code.
OTHERS = {
    "host-access": (1, "host access to device memory at 0x"),
    "unsupported-instruction": (77, "movmatrix.sync.aligned.m8n8.trans.b16"),
}

# The CUDA error that a program is told, as on a GPU.
CUDA_ERRORS = {
    "out of bounds": "an illegal memory access was encountered",
    "use after free": "an illegal memory access was encountered",
    "misaligned": "misaligned address",
    "assertion": "device-side assert triggered",
    "race": "unspecified launch failure",
    "uninitialised": "unspecified launch failure",
    "divergent barrier": "unspecified launch failure",
    "trap": "unspecified launch failure",
    "budget": "the launch timed out and was terminated",
}


def marked_line(source: Path) -> int:
    """Return the number of the one line that is marked as the mistake."""
    lines = source.read_text().splitlines()
    marked = [n for n, line in enumerate(lines, 1) if "// mistake" in line]
    if len(marked) != 1:
        raise ValueError(f"{source.name} marks {len(marked)} lines")
    return marked[0]


def run_control(name: str, *arguments: str):
    """Run a control with every check on, and with a budget that ends a spin soon."""
    return cpu_device_run.run(
        BIN, f"tests/negative/{name}", *arguments, checks="all", budget=2_000_000, limit=60
    )


class FaultTest(unittest.TestCase):
    """Each fault is found and named."""

    longMessage = True

    def check_fault(self, name: str, expected: Fault):
        done = run_control(name)
        said = done.stderr
        self.assertEqual(done.returncode, 1, said)
        self.assertIn(f"({name}.cu:{marked_line(HERE / 'faults' / f'{name}.cu')}, ", said)
        self.assertIn(f"cpu device: {expected.kind}: ", said)
        self.assertRegex(said, rf"\b{expected.kernel}\b")
        where = re.search(r"block \((\d+),\d+,\d+\), thread \((\d+),\d+,\d+\)", said)
        self.assertIsNotNone(where, said)
        if expected.block is not None:
            self.assertEqual(int(where.group(1)), expected.block, said)
        if expected.thread is not None:
            self.assertEqual(int(where.group(2)), expected.thread, said)
        if expected.address:
            self.assertRegex(said, r"address 0x[0-9a-f]+")
        self.assertIn(CUDA_ERRORS[expected.kind], said)

    def check_mended(self, name: str):
        done = run_control(name, "--mended")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class OtherTest(unittest.TestCase):
    """What stops a program without being a kernel's fault."""

    def check_other(self, name: str, status: int, text: str):
        done = run_control(name)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(text, done.stderr)
        if status == 77:
            line = marked_line(HERE / "faults" / f"{name}.cu")
            self.assertIn(f"{name}.cu:{line}", done.stderr)

    def check_mended(self, name: str):
        done = run_control(name, "--mended")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class CompletenessTest(unittest.TestCase):
    """Every control in the folder is expected, and nothing else is."""

    def test_every_control_has_an_expectation(self):
        sources = {path.stem for path in (HERE / "faults").glob("*.cu")}
        self.assertEqual(sources, set(FAULTS) | set(OTHERS))


class WrongAnswerTest(unittest.TestCase):
    """The course's own check refuses every wrong answer and passes the right one."""

    def check_rung(self, folder: Path):
        name = folder.name.split("-", 1)[1]
        done = cpu_device_run.run(BIN, "tests/wrong-answers", "--check", "--rung", name,
                                  "--shape", "128,192,64")  # fmt: skip
        expected = 0 if name == "right" else 1
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        if expected == 1:
            # Refused by the comparison, not by a fault on the way.
            self.assertNotIn("CUDA", done.stderr)
            self.assertIn("failed", done.stdout.lower())

    def test_a_changed_input_is_named_and_mended_for_the_next_rung(self):
        done = cpu_device_run.run(BIN, "tests/changed-inputs", "--check",
                                  "--shape", "128,192,64")  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        first, second = done.stdout.split("/right-again\n")
        self.assertIn("the input B was changed", first)
        self.assertIn("check:   passed", second)


def add_tests():
    """Make one method of every control, so that each is reported by its name."""

    def method(check, *arguments):
        return lambda self: check(self, *arguments)

    for name, fault in FAULTS.items():
        key = name.replace("-", "_")
        setattr(FaultTest, f"test_{key}", method(FaultTest.check_fault, name, fault))
        setattr(FaultTest, f"test_{key}_mended", method(FaultTest.check_mended, name))
    for name, (status, text) in OTHERS.items():
        key = name.replace("-", "_")
        setattr(OtherTest, f"test_{key}", method(OtherTest.check_other, name, status, text))
        setattr(OtherTest, f"test_{key}_mended", method(OtherTest.check_mended, name))
    for folder in sorted((HERE / "wrong-answers").glob("*-*/")):
        key = folder.name.split("-", 1)[1].replace("-", "_")
        setattr(WrongAnswerTest, f"test_{key}", method(WrongAnswerTest.check_rung, folder))


def main() -> int:
    """Run the tests named, or all."""
    global BIN
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True, help="build/bin")
    arguments, rest = parser.parse_known_args()
    BIN = arguments.bin.resolve()
    cpu_device_run.require_built(BIN, "tests/wrong-answers", "tests/changed-inputs",
                                 "tests/negative/trap")  # fmt: skip
    add_tests()
    program = unittest.main(argv=[sys.argv[0], *rest], exit=False, module=__name__)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
