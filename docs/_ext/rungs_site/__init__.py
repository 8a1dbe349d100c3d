"""The site's own parts: folder pages, lesson blocks, links to records, and the API's XML.

- ``folders``           README.md is its folder's index
- ``lesson``            a page's ladder and rung, and the counts record
- ``required``          no build without a record of every rung
- ``differences``       the difference of two regions; ``difference_block`` shows it
- ``directives``        rung-code, rung-diff, rung-counts, rung-prediction and the tables;
  ``kernel_table`` the counts of a rung of several kernels
- ``kept_records``      the measured records that are kept of a ladder
- ``published_values``  what the studies report
- ``time_blocks``       rung-times and ladder-times; ``size_block`` ladder-sizes;
  ``verdict_block`` rung-verdict
- ``error_block``       error-table, the errors over other inputs
- ``predictions_block`` predictions: all of them, and which model can be believed where
- ``record_pages``      the pages behind the numbers: measured records and published values
- ``record_about``      how a measured record was made; ``record_index`` lists all evidence
- ``links``             a number in prose is a link to its record
- ``plain_numbers``     measured numbers in prose that are no links
- ``doxygen``           the XML behind the API pages
- ``api``               what the API page lists; ``api_uses`` which lessons name it,
  ``ladder_parts`` both ways as links
- ``signatures``        a function's arguments, one a line
- ``ladder_list``       every ladder; ``toctree`` gives pages their order
- ``ladder_strip``      where a rung stands, below the title of its page
- ``first_use``         a lesson's first use of a word of the glossary is a link
- ``fold``              what the reader unfolds; predict-first
- ``figure_block``      figure-of, a figure drawn from records
- ``try_block``         rung-try, a patch with the counts that it must give
"""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from evidence import EvidenceError, lessons, measured, page_links, records
from rungs_site import lesson, required
from rungs_site.api import ApiHeaders
from rungs_site.difference_block import depart_difference, difference, visit_difference
from rungs_site.directives import DIRECTIVES
from rungs_site.doxygen import run_doxygen
from rungs_site.error_block import ErrorTable
from rungs_site.figure_block import (
    FigureOf,
    depart_figure_of,
    figure_of,
    png_link,
    visit_figure_of,
    visit_png_link,
)
from rungs_site.first_use import link_first_uses
from rungs_site.fold import PredictFirst, depart_fold, fold, fold_answers, visit_fold
from rungs_site.folders import setup_folders
from rungs_site.ladder_list import LadderList
from rungs_site.ladder_parts import LadderParts
from rungs_site.ladder_strip import add_strip
from rungs_site.links import LessonParser
from rungs_site.predictions_block import Predictions
from rungs_site.record_pages import RECORD_DIRECTIVES
from rungs_site.signatures import on_page
from rungs_site.size_block import LadderSizes
from rungs_site.time_blocks import TIME_DIRECTIVES
from rungs_site.try_block import RungTry
from rungs_site.verdict_block import RungVerdict

BLOCKS = {
    **DIRECTIVES,
    **TIME_DIRECTIVES,
    **RECORD_DIRECTIVES,
    "api-headers": ApiHeaders,
    "error-table": ErrorTable,
    "figure-of": FigureOf,
    "ladder-list": LadderList,
    "ladder-parts": LadderParts,
    "ladder-sizes": LadderSizes,
    "predict-first": PredictFirst,
    "predictions": Predictions,
    "rung-try": RungTry,
    "rung-verdict": RungVerdict,
}

LOGGER = logging.getLogger(__name__)


def warn_of_stale_records(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn, and so fail a strict build, for each rung whose record is older than its source."""
    for name in lessons.ladders(app.srcdir):
        try:
            ladder = lesson.load_ladder(env, name)
            counted = records.stale(ladder.repo, ladder.record)
            sentences = [f"{text}: ./course counts {name} --save makes it anew" for text in counted]
            sentences += _stale_measurements(ladder)
        except EvidenceError as error:
            sentences = [str(error)]
        for sentence in sentences:
            LOGGER.warning("%s", sentence, location=f"lessons/{name}/index", type="rungs")


def _stale_measurements(ladder: lesson.Ladder) -> list[str]:
    """Return a sentence for each rung that has changed since a record of it was made."""
    return [
        f"{path.relative_to(ladder.repo)}: {sentence}; measure the ladder again under a new name, "
        "lead the pages there, and remove this record"
        for path in measured.paths(ladder.repo, ladder.name)
        for sentence in measured.stale(ladder.repo, page_links.load(path))
    ]


def setup(app: Sphinx) -> dict[str, object]:
    """Register everything with Sphinx."""
    app.setup_extension("myst_parser")
    setup_folders(app)
    app.add_source_parser(LessonParser, override=True)
    for name, directive in BLOCKS.items():
        app.add_directive(name, directive)
    app.add_node(difference, html=(visit_difference, depart_difference))
    app.add_node(fold, html=(visit_fold, depart_fold))
    app.add_node(figure_of, html=(visit_figure_of, depart_figure_of))
    app.add_node(png_link, html=(visit_png_link, None))
    app.connect("doctree-read", fold_answers)
    app.connect("doctree-read", link_first_uses)
    app.connect("html-page-context", add_strip)
    app.connect("config-inited", required.require_records, priority=0)
    app.connect("config-inited", run_doxygen, priority=1)
    app.connect("html-page-context", on_page)
    app.connect("env-check-consistency", warn_of_stale_records)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
