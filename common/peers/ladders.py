"""A ladder's own ``peers.py``, found by the ladder's name."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

LESSONS = Path(__file__).resolve().parents[2] / "lessons"


class LadderError(Exception):
    """A ladder has no peers in Python; the text is one sentence."""


def load(name: str, lessons: Path = LESSONS) -> ModuleType:
    """Import ``lessons/NAME/peers.py``. Raises LadderError."""
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) is None:
        raise LadderError(f"{name!r} is no ladder's name")
    path = lessons / name / "peers.py"
    if not path.is_file():
        raise LadderError(f"the ladder {name} has no peers in Python: there is no {path.name} in "
                          f"lessons/{name}")  # fmt: skip
    module_name = f"peers_of_{name.replace('-', '_')}"
    specification = importlib.util.spec_from_file_location(module_name, path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module  # Triton looks its kernels' module up
    specification.loader.exec_module(module)
    return module
