"""``rung-verdict``: each prediction of a rung, what was measured, and what became of it."""

from __future__ import annotations

from docutils import nodes

from evidence import EvidenceError, claims
from evidence.numbers import format_factor
from evidence.verdicts import Interval
from rungs_site import kept_records, lesson, published_values
from rungs_site.directives import NOTHING
from rungs_site.kept_records import Kept
from rungs_site.tables import Cell, heading_link, label_link, paragraph, table
from rungs_site.time_blocks import MeasuredDirective

# The heading under which a reader finds the rule.
RULE = ("docs/how-to-read-a-rung", "predictions-and-verdicts")


class RungVerdict(MeasuredDirective):
    """``rung-verdict``: per model and record the expected and the measured factor, and the verdict.

    What the published study reports for the same step stands beneath, marked as reported.
    """

    def block(self, ladder: lesson.Ladder, kept: list[Kept]) -> list[nodes.Node]:
        """Return the table, the predictions that were edited, and what was published."""
        rung = lesson.rung_of_page(self.env, ladder)
        before = ladder.entry(rung.name)["after"]
        if not before:
            raise EvidenceError(f"{rung.key} comes after no rung; there is nothing to judge")
        parts = self.banner(ladder, kept, [before, rung.name])
        parts += self._edits(ladder, rung.name, kept)
        there = [one for one in kept if one.row(rung.name)]
        rows = [cells for one in there for cells in self._rows(ladder, one, rung.name)]
        rows.sort(key=lambda cells: cells[0])
        if rows:
            header = ["Model", "Record", "Expected", "Measured", "Verdict", "Gain"]
            parts.append(table(header, rows, "verdict"))
            about = (
                f"Measured is the kernel time of {before} / that of {rung.name}, warm, with its "
                "noise."
            )
            note = paragraph(about)
            note["classes"].append("under-table")
            parts.append(note)
        else:
            parts.append(paragraph(f"No record that is kept has {rung.name}."))
        return parts + self._published(before, rung.name, ladder)

    def _rows(self, ladder: lesson.Ladder, one: Kept, name: str) -> list[list[Cell]]:
        judged = claims.judge(one.record, ladder.record, name)
        return [
            [
                j.model,
                one.namespace,
                format_factor(j.expected),
                factor_cell(j.factor),
                self._verdict(j.verdict),
                j.gain,
            ]
            for j in judged
        ]

    def _verdict(self, word: str) -> nodes.paragraph:
        """Return a verdict, which leads to its rule."""
        shown = nodes.strong("", word)
        if word == claims.NOT_MEASURED:  # there was nothing to judge
            return paragraph(shown)
        return paragraph(heading_link(*RULE, [shown], self.env.docname))

    def _edits(self, ladder: lesson.Ladder, name: str, kept: list[Kept]) -> list[nodes.Node]:
        """Return a note if a prediction is not as the first record froze it."""
        edits = kept_records.edited_predictions(ladder, name, kept)
        if not edits:
            return []
        box = nodes.warning("", paragraph("Edited since the first record was kept:"))
        listed = nodes.bullet_list()
        for sentence in edits:
            item = nodes.list_item()
            item += paragraph(sentence)
            listed += item
        box += listed
        return [box]

    def _published(self, before: str, name: str, ladder: lesson.Ladder) -> list[nodes.Node]:
        """Return what the study reports for this step, or nothing."""
        steps = published_values.steps(self.env, ladder.name, before, name)
        if not steps:
            return []
        rows = []
        for old, new in steps:
            document = new.document
            small = [document["study"], document["machine"], new.entry.get("note", "")]
            about = [paragraph(f"{new.instrument}, as reported")]
            about += [paragraph(nodes.inline(t, t, classes=["kind"])) for t in small if t]
            factor = published_values.factor(old, new)
            cell = NOTHING if factor is None else format_factor(factor)
            rows.append([about, self._cell(old), self._cell(new), cell])
        return [table(["Published", before, name, "Factor"], rows, "published")]

    def _cell(self, value: published_values.Reported | None) -> Cell:
        if value is None:
            return NOTHING
        text = nodes.inline(value.text, value.text)
        return label_link(value.labels[0], [text], self.env.docname)


def factor_cell(factor: Interval | None) -> Cell:
    """Return a cell with a factor and, beneath it, what it may also be."""
    if factor is None:
        return NOTHING
    small = kept_records.format_factor_range(factor)
    return [
        paragraph(format_factor(factor.value, 3)),
        paragraph(nodes.inline(small, small, classes=["kind"])),
    ]
