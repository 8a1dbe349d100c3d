"""``error-table``: the largest errors of a ladder's rungs and peers over other inputs."""

from __future__ import annotations

from docutils import nodes

from evidence import accuracy, pages, times
from rungs_site import kept_records, lesson
from rungs_site.directives import NOTHING
from rungs_site.kept_records import Kept
from rungs_site.tables import MOST_COLUMNS, Cell, label_link, page_link, paragraph, table
from rungs_site.time_blocks import MeasuredDirective, title_cell


class ErrorTable(MeasuredDirective):
    """``error-table``: a row a variant, a column for each of the inputs, a table a record."""

    def build(self) -> list[nodes.Node]:
        """Return the tables, or one line that says that no record holds errors."""
        ladder = self.ladder()
        kept = kept_records.kept(self.env, ladder.name)
        there = [one for one in kept if one.record.get("accuracy")]
        if not there:
            return [paragraph(f"No record of errors of {ladder.name} is kept yet.")]
        return self.block(ladder, there)

    def block(self, ladder: lesson.Ladder, kept: list[Kept]) -> list[nodes.Node]:
        """Return the tables; each record holds errors."""
        parts = self.banner(ladder, kept, [rung.name for rung in ladder.folders])
        for one in kept:
            for shape in times.shapes(one.record):
                entries = accuracy.at(one.record, shape)
                if entries:
                    parts += self._of_shape(ladder, one, shape, entries)
        return parts

    def _of_shape(
        self, ladder: lesson.Ladder, one: Kept, shape: dict, entries: list[dict]
    ) -> list[nodes.Node]:
        asked = {row["name"]: None for entry in entries for row in entry["rows"]}
        parts: list[nodes.Node] = []
        for first in range(0, len(entries), MOST_COLUMNS - 1):
            some = entries[first : first + MOST_COLUMNS - 1]
            rows = [
                [self._variant(ladder, name), *(_cell(accuracy.row(e, name)) for e in some)]
                for name in asked
            ]
            header = [title_cell(one), *(entry["name"] for entry in some)]
            parts.append(table(header, rows, "times"))
        inputs = "; ".join(f"{e['name']}: {accuracy.ranges_text(e['ranges'])}" for e in entries)
        text = nodes.inline(one.namespace, one.namespace)
        link = label_link(kept_records.section_label(one.path), [text], self.env.docname)
        note = paragraph(
            f"The largest error of an output against float64 at {times.shape_words(shape)}, "
            "relative to the output or to its usual magnitude, whichever is larger. Inputs are "
            f"spread evenly, {inputs}. Record ",
            link,
            ".",
        )
        note["classes"].append("under-table")
        return [*parts, note, *_gaps(entries)]

    def _variant(self, ladder: lesson.Ladder, name: str) -> Cell:
        """Return a row's first cell: the rung's title, a link to its page, or the peer's name."""
        if name not in [rung.name for rung in ladder.folders]:
            return name
        folder = ladder.folder(name)
        title, _ = pages.title_and_change(folder.page)
        if self.env.docname == ladder.docname(name):
            return paragraph(nodes.strong("", title))
        return paragraph(page_link(ladder.docname(name), title, self.env.docname))


def _cell(found: dict | None) -> str:
    return NOTHING if found is None or "missing" in found else f"{found['max_relative_error']:.1e}"


def _gaps(entries: list[dict]) -> list[nodes.Node]:
    """Return a list of why errors are missing; or nothing."""
    reasons = accuracy.missing(entries)
    if not reasons:
        return []
    listed = nodes.bullet_list()
    for reason, names in reasons.items():
        listed += nodes.list_item("", paragraph(f"No error of {', '.join(names)}: {reason}."))
    return [listed]
