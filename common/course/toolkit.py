"""The CUDA toolkit to build with: the pinned one in the virtual environment, or a system's."""

import shutil
import subprocess
from pathlib import Path

from course.errors import WRONG_USE, CourseError
from course.places import Places

OLDEST_ARCHITECTURE = 75  # CUDA 13 compiles for no older one


def pinned_root(places: Places) -> Path | None:
    """Return the folder of the wheels' toolkit; None if it is not installed."""
    found = sorted(places.venv.glob("lib/python3*/site-packages/nvidia/cu13/bin/nvcc"))
    return found[0].parents[1] if found else None


def system_root(path: str) -> Path:
    """Return the folder of the toolkit that the reader named. Raises CourseError if it is none."""
    root = Path(path).expanduser().absolute()
    if not (root / "bin" / "nvcc").is_file():
        raise CourseError(
            f"{root} holds no bin/nvcc; name the folder of a CUDA toolkit, such as /usr/local/cuda",
            WRONG_USE,
        )
    return root


def make_links(root: Path) -> None:
    """Make the links that the wheels leave out: libX.so beside libX.so.13, and lib64.

    Without them CMake takes the headers from the wheels and the libraries from another toolkit.
    """
    lib = root / "lib"
    for library in lib.glob("lib*.so.*"):
        link = lib / f"{library.name.split('.so.')[0]}.so"
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(library.name)
    lib64 = root / "lib64"
    if not lib64.exists():
        lib64.unlink(missing_ok=True)
        lib64.symlink_to("lib")


def own_architectures() -> list[str]:
    """Return the numbers of this machine's GPUs that CUDA 13 compiles for, such as 89."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    try:
        done = subprocess.run(
            [program, "--query-gpu=compute_cap", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    numbers = {line.strip().replace(".", "") for line in done.stdout.splitlines()}
    return sorted(n for n in numbers if n.isdigit() and int(n) >= OLDEST_ARCHITECTURE)
