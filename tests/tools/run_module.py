"""Run one module of unit tests for CTest: 0 passed, 1 failed, 77 all skipped, with the reason."""

import sys
import unittest


def main(name: str) -> int:
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    reasons = sorted({reason for _, reason in result.skipped})
    if result.failures or result.errors or result.unexpectedSuccesses or not result.testsRun:
        return 1
    if reasons:
        print(f"skipped {len(result.skipped)} of {result.testsRun}: {'; '.join(reasons)}")
    return 77 if len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
