"""Folder pages: README.md is published as its folder's index.

A link between pages names README.md, so that it works on a code host; in the site the same
link leads to ``folder/index.html``.
"""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath

from sphinx.application import Sphinx
from sphinx.project import Project

_FIGURE = re.compile(r"(?m)^<!-- figure-of (\S+) (\S+) -->$")


class FolderProject(Project):
    """A project whose README.md files are the index pages of their folders."""

    def path2doc(self, filename: str | os.PathLike[str]) -> str | None:
        """Return the docname of a file: ``a/README.md`` is ``a/index``."""
        docname = super().path2doc(filename)
        if docname is None:
            return None
        path = PurePosixPath(docname)
        return str(path.with_name("index")) if path.name == "README" else docname


def use_folder_project(app: Sphinx) -> None:
    """Replace the application's project before any document is looked for."""
    project = FolderProject(app.srcdir, app.config.source_suffix)
    app.project = app.env.project = project


def complete_home(app: Sphinx, docname: str, content: list[str]) -> None:
    """Give the home page its table of contents, and the figures that its comments ask for.

    The home page is the repository's README.md. A code host would show directives as raw text on
    the page that most people see first, so ``<!-- figure-of NAME LADDER -->`` stands for one there.
    """
    if docname != app.config.root_doc:
        return
    entries = "\n".join(app.config.rungs_home_toctree)
    page = _FIGURE.sub(r"```{figure-of} \1\n:ladder: \2\n```", content[0])
    content[0] = page + f"\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n"


def setup_folders(app: Sphinx) -> None:
    """Register this part."""
    app.add_config_value("rungs_home_toctree", [], "env")
    app.connect("builder-inited", use_folder_project, priority=1)
    app.connect("source-read", complete_home)
