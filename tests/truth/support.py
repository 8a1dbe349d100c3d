"""What the truth tests share: where the build is, and how a test without data skips."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "data"))
import convert_recording  # noqa: E402, F401  # tests/data is no package
import cpu_device_run  # noqa: E402
import retained  # noqa: E402

BIN = Path()

NOT_RECORDED = "{} has not been recorded on an H200 yet"


def recorded(name: str) -> dict:
    """Return a retained file, or skip the test that asks for it."""
    document = retained.load(name)
    if document is None:
        raise unittest.SkipTest(NOT_RECORDED.format(name))
    return document


def run(program: str, *arguments, good=(0,), **settings):
    """Run build/bin/`program` on the CPU device; fails the test unless its status is good."""
    done = cpu_device_run.run(BIN, program, *arguments, **settings)
    if done.returncode not in good:
        said = (done.stderr or done.stdout)[-2000:]
        raise AssertionError(f"{program} ended with {done.returncode}: {said}")
    return done


def main(module: str, *needed: str) -> int:
    """Run a module's tests: `--bin FOLDER [TEST ...]`; 77 if every one of them skipped."""
    global BIN
    arguments = sys.argv[1:]
    if len(arguments) < 2 or arguments[0] != "--bin":
        print(f"{sys.argv[0]}: give --bin FOLDER, a build/bin", file=sys.stderr)
        return 2
    BIN = Path(arguments[1]).resolve()
    cpu_device_run.require_built(BIN, *needed)
    program = unittest.main(module=module, argv=[sys.argv[0], *arguments[2:]], exit=False)
    result = program.result
    if not result.wasSuccessful():
        return 1
    if result.testsRun == len(result.skipped) and result.skipped:
        print(f"skipped: {result.skipped[0][1]}")
        return 77
    return 0
