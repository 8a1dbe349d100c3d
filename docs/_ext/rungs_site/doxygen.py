"""Doxygen: the XML that the API pages are made from, written into the build folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError


def run_doxygen(app: Sphinx, config: Config) -> None:
    """Run Doxygen with docs/Doxyfile and tell Breathe where its XML is.

    Raises ExtensionError if Doxygen is missing or warns.
    """
    if "breathe" not in config.extensions:
        return
    program = shutil.which("doxygen")
    if program is None:
        raise ExtensionError("doxygen is not installed; the Debian package 'doxygen' has it")
    out = Path(app.doctreedir).resolve() / "doxygen"
    out.mkdir(parents=True, exist_ok=True)
    # Breathe reads what is there, so what an older build left would stay on the page.
    shutil.rmtree(out / "xml", ignore_errors=True)
    settings = (Path(app.confdir) / "Doxyfile").read_text(encoding="utf-8")
    settings += f'\nOUTPUT_DIRECTORY = "{out}"\n'
    done = subprocess.run(
        [program, "-"], input=settings, cwd=app.srcdir, text=True, capture_output=True
    )
    if done.returncode != 0:
        raise ExtensionError(f"doxygen failed:\n{done.stderr.strip()}")
    config.breathe_projects = {"rungs": str(out / "xml")}
    config.breathe_default_project = "rungs"
