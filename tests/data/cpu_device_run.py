"""Runs a built program on the CPU device, as ./course emulate does."""

import os
import subprocess
import sys
from pathlib import Path


def environment(folder: Path, **settings) -> dict:
    """Return an environment in which programs of build/bin `folder` run on the CPU device.

    Settings are the CPU device's own: threads, checks, budget, report.
    """
    env = {k: v for k, v in os.environ.items() if not k.startswith("RUNGS_")}
    old = env.get("LD_LIBRARY_PATH")
    env["LD_LIBRARY_PATH"] = str(folder / "cpu-device") + (f":{old}" if old else "")
    for name, value in settings.items():
        env[f"RUNGS_CPU_DEVICE_{name.upper()}"] = str(value)
    return env


def run(folder: Path, program: str, *arguments, limit: float = 300, **settings):
    """Run build/bin/`program` and return the completed process, its output as text."""
    return subprocess.run(
        [str(folder / program), *map(str, arguments)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=limit,
        env=environment(folder, **settings),
        check=False,
    )


def require_built(folder: Path, *programs: str) -> None:
    """End with exit code 1 and the reason if something is not built: every build makes it all."""
    for program in ("cpu-device/libcudart.so.13", *programs):
        if not (folder / program).exists():
            print(f"{folder / program} is not built; ./course test builds it", file=sys.stderr)
            sys.exit(1)
