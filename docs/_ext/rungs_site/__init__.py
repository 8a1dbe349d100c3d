"""The site's own parts: folder pages, lesson blocks, links to records, and the API's XML.

- ``folders``           README.md is its folder's index
- ``lesson``            a page's ladder and rung, and the counts record
- ``required``          no build without a record of every rung
- ``numbers``           numbers of a record, and whether a text shows one
- ``differences``       the difference of two regions; ``difference_block`` shows it
- ``directives``        rung-code, rung-diff, rung-counts, rung-prediction and the tables
- ``links``             a number in prose is a link to its record
- ``doxygen``           the XML behind the API pages
- ``api``               what the API page lists
"""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from evidence import EvidenceError, lessons, records
from rungs_site import lesson, required
from rungs_site.api import ApiHeaders
from rungs_site.difference_block import depart_difference, difference, visit_difference
from rungs_site.directives import DIRECTIVES
from rungs_site.doxygen import run_doxygen
from rungs_site.folders import setup_folders
from rungs_site.links import LessonParser

LOGGER = logging.getLogger(__name__)


def warn_of_stale_records(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn, and so fail a strict build, for each rung whose record is older than its source."""
    for name in lessons.ladders(app.srcdir):
        try:
            ladder = lesson.load_ladder(env, name)
            sentences = records.stale(ladder.repo, ladder.record)
        except EvidenceError as error:
            sentences = [str(error)]
        for sentence in sentences:
            LOGGER.warning(
                "%s: ./course counts %s --save makes the record anew",
                sentence,
                name,
                location=f"lessons/{name}/index",
                type="rungs",
            )


def setup(app: Sphinx) -> dict[str, object]:
    """Register everything with Sphinx."""
    app.setup_extension("myst_parser")
    setup_folders(app)
    app.add_source_parser(LessonParser, override=True)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.add_directive("api-headers", ApiHeaders)
    app.add_node(difference, html=(visit_difference, depart_difference))
    app.connect("config-inited", required.require_records, priority=0)
    app.connect("config-inited", run_doxygen, priority=1)
    app.connect("env-check-consistency", warn_of_stale_records)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
