"""Doxygen: the XML that the API pages are made from, written into the build folder."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

# How Doxygen from 1.10 on writes a pointer to a function, and where Breathe looks for its name:
# "int(*)" + "(float)" must be "int(*" + ")(float)".
_FUNCTION_POINTER = re.compile(
    r"(<type>.*\(\*)\)(</type>(?:(?!</memberdef>).)*?<argsstring>)\(", re.S
)


def run_doxygen(app: Sphinx, config: Config) -> None:
    """Run Doxygen with docs/Doxyfile and tell Breathe where its XML is.

    Raises ExtensionError if Doxygen is missing or warns.
    """
    if "breathe" not in config.extensions:
        return
    # The one that was installed with this Python comes first: its version is pinned.
    beside = str(Path(sys.executable).parent)
    program = shutil.which("doxygen", path=beside) or shutil.which("doxygen")
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
    for file in (out / "xml").glob("*.xml"):
        text = file.read_text(encoding="utf-8")
        mended = mend_function_pointers(text)
        if mended != text:
            file.write_text(mended, encoding="utf-8")
    config.breathe_projects = {"rungs": str(out / "xml")}
    config.breathe_default_project = "rungs"


def mend_function_pointers(xml: str) -> str:
    """Return Doxygen's XML with pointers to functions written as Breathe reads them."""
    members = xml.split("<memberdef ")
    return "<memberdef ".join(
        _FUNCTION_POINTER.sub(r"\1\2)(", member) if _is_declarator(member) else member
        for member in members
    )


def _is_declarator(member: str) -> bool:
    """Return whether a member's name stands inside its type: a variable, a typedef, no using."""
    if member.startswith('kind="typedef"'):
        return "<definition>typedef " in member
    return member.startswith('kind="variable"')
