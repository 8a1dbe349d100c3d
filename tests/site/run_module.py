"""Run one module of the site's tests: 0 passed, 1 failed, 77 cannot run here, with the reason."""

import importlib.util
import shutil
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED = ("sphinx", "furo", "myst_parser", "breathe", "sphinx_copybutton")


def reason_to_skip():
    """Return why the tests cannot run here, in one sentence; empty if they can."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return f"{sys.executable} lacks {', '.join(missing)}: ./course setup installs them"
    beside = str(Path(sys.executable).parent)
    if not (shutil.which("doxygen", path=beside) or shutil.which("doxygen")):
        return "doxygen is not installed: ./course setup installs it"
    return ""


def main(name):
    """Run the module ``name``. Return the exit code."""
    sys.path.insert(0, str(HERE))
    reason = reason_to_skip()
    if not reason and name.startswith("test_browser"):
        import browser

        reason = browser.reason_to_skip()
    if reason:
        print(f"skipped: {reason}")
        return 77
    result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromName(name))
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main(sys.argv[1]))
