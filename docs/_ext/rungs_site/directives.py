"""The blocks of a lesson page: code, difference, counts, prediction, and the ladder's table.

Each reads the page's own sources and the counts record; none takes a number from the page.
"""

from __future__ import annotations

import os
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.directives.code import container_wrapper
from sphinx.util.docutils import SphinxDirective

from evidence import EvidenceError, models, pages
from evidence.ladder_settings import LadderColumn, count
from evidence.numbers import (
    NumberError,
    format_factor,
    format_number,
)
from evidence.regions import Region, source_region
from rungs_site import kept_records, lesson
from rungs_site.difference_block import difference_block
from rungs_site.kernel_table import kernel_table
from rungs_site.tables import MOST_COLUMNS, page_link, paragraph, table
from rungs_site.toctree import toctree

NOTHING = "-"  # a cell for a count that this kind does not have
NONE = "none"  # a cell for what a rung has none of; then a model has no factor

# The counts that a rung page shows, by their name in a record, in this order.
COUNTS = {
    "shared_reads_per_multiply_add": "Shared reads per multiply-add",
    "shared_wavefronts_per_multiply_add": "Shared wavefronts per multiply-add",
    "shared_load_instructions": "Shared load instructions",
    "shared_load_wavefronts": "Shared load wavefronts",
    "shared_load_bank_conflicts": "... of these, bank conflicts",
    "shared_store_wavefronts": "Shared store wavefronts",
    "shared_store_bank_conflicts": "... of these, bank conflicts",
    "shared_wavefronts": "Shared wavefronts, loads and stores",
    "global_load_sectors": "Global load sectors",
    "global_store_sectors": "Global store sectors",
    "barriers": "Barriers, once a warp",
    "warp_instructions": "Warp instructions",
    "multiply_adds": "Multiply-adds",
    "blocks": "Blocks",
    "block_threads": "Threads a block",
    "registers": "Registers a thread",
    "shared_bytes": "Shared bytes a block",
    "spill_bytes": "Spilled bytes",
    "bytes_in_flight": "Bytes of loads that a thread has under way, at most",
}
# Those that it shows only where the ladder's tables have them.
ONLY_IF_NAMED = {
    "shared_reads_per_multiply_add",
    "shared_wavefronts_per_multiply_add",
    "shared_wavefronts",
}


class LessonDirective(SphinxDirective):
    """A directive that fails the build with one sentence when its evidence does."""

    def run(self) -> list[nodes.Node]:
        """Return the block's nodes."""
        try:
            return self.build()
        except (EvidenceError, NumberError) as error:
            raise self.error(f"{self.name}: {error}") from error

    def build(self) -> list[nodes.Node]:
        """Return the block's nodes; errors of the evidence may pass."""
        raise NotImplementedError

    def ladder(self) -> lesson.Ladder:
        """Return the page's ladder."""
        return lesson.load_ladder(self.env, lesson.ladder_of_page(self.env))

    def stale_note(self, ladder: lesson.Ladder, name: str) -> list[nodes.Node]:
        """Return a visible warning if the record is older than the rung's source."""
        if ladder.is_current(name):
            return []
        text = (
            f"The counts of {name} were made from an older version of its source. "
            "They are shown as they are, and the strict build fails."
        )
        return [nodes.warning("", paragraph(text))]


class RungCode(LessonDirective):
    """``rung-code [REGION]``: a marked region of the page's own source, as it stands there.

    With ``:of: problem`` it is one of the ladder's problem header, which all its rungs share.
    """

    optional_arguments = 1
    option_spec = {"of": lambda value: directives.choice(value, ("problem",))}

    def build(self) -> list[nodes.Node]:
        """Return the region with its file's name and line numbers."""
        name = self.arguments[0] if self.arguments else "kernel"
        source = self._source()
        self.env.note_dependency(str(source))
        cut = source_region(source, name)
        block = nodes.literal_block(cut.text.rstrip("\n"), cut.text.rstrip("\n"))
        block["language"] = "cuda"
        block["linenos"] = True
        block["highlight_args"] = {"linenostart": cut.first_line}
        self.set_source_info(block)
        last = cut.first_line + len(cut.lines) - 1
        path = os.path.relpath(source, Path(self.env.doc2path(self.env.docname)).parent)
        caption = f"[{source.name}]({path}), lines {cut.first_line} to {last}"
        return [container_wrapper(self, block, caption)]

    def _source(self) -> Path:
        repo = Path(self.env.srcdir)
        name = lesson.ladder_of_page(self.env)
        if "of" in self.options:
            return lesson.lessons.problem_header(repo, name)
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for rung in lesson.lessons.rungs(repo, name):
            if rung.folder.name == folder.name:
                return rung.source
        raise EvidenceError(f"{folder.name} is no rung's folder")


class RungDiff(LessonDirective):
    """``rung-diff [REGION ...]``: what changed since the rung that this one comes after."""

    optional_arguments = 1
    final_argument_whitespace = True

    def build(self) -> list[nodes.Node]:
        """Return one block a region; equal regions fail, for then there is nothing to show."""
        ladder = self.ladder()
        rung = lesson.rung_of_page(self.env, ladder)
        before = ladder.entry(rung.name)["after"]
        if not before:
            raise EvidenceError(f"{rung.key} comes after no rung")
        old_source = ladder.folder(before).source
        blocks = []
        for name in self.arguments[0].split() if self.arguments else ["kernel"]:
            old, new = (source_region(file, name) for file in (old_source, rung.source))
            if old.lines == new.lines:
                other = "'constants'" if name == "kernel" else "'kernel', or no region at all"
                raise EvidenceError(
                    f"the region '{name}' of {rung.key} is that of {before}, and so shows nothing; "
                    f"name a region that the rung changes, such as {other}"
                )
            title = paragraph(
                page_link(ladder.docname(before), old_source.name, self.env.docname),
                f", lines {_lines(old)}, becomes {rung.source.name}, lines {_lines(new)}",
            )
            blocks.append(difference_block(old, new, title))
        return blocks


class RungCounts(LessonDirective):
    """``rung-counts``: the record's counts, each kind in a column, beside the rung before.

    A rung of several kernels has a second table, with a column for each of them.
    Hardware counts are those of the first measured record that has some of this rung.
    """

    def build(self) -> list[nodes.Node]:
        """Return the table."""
        ladder = self.ladder()
        rung = lesson.rung_of_page(self.env, ladder)
        entry = ladder.entry(rung.name)
        before = entry["after"]
        namespace, hardware = kept_records.hardware_counts(self.env, ladder.name, rung.name)
        header = ["Count", "Argued", "PTX", "SASS"]
        header += ["Hardware"] if namespace else []
        if before:
            header.append([paragraph("Before: ", _inline(before))])
        rows = []
        for name, label in self._labels(ladder, entry).items():
            values = _kinds(entry, name)
            values += [hardware.get(name)] if namespace else []
            if not any(value is not None for value in values):
                continue
            cells = [label, *(_cell(value) for value in values)]
            if before:
                argued, ptx, sass = _kinds(ladder.entry(before), name)
                cells.append(_cell(next((v for v in (ptx, sass, argued) if v is not None), None)))
            rows.append(cells)
        for column in ladder.settings.columns:
            if column.model:
                label = _capital(models.label(column.model, entry))
                cells = [label, NOTHING, _cell(column.value(entry)), NOTHING]
                cells += [NOTHING] if namespace else []
                rows.append(
                    [*cells, *([_cell(column.value(ladder.entry(before)))] if before else [])]
                )
        shape = " x ".join(str(size) for size in ladder.record["shape"].values())
        record = page_link(f"docs/records/{ladder.name}", "the counts record", self.env.docname)
        note = paragraph(f"All counts are of one launch at {shape}, from ", record)
        if namespace:
            link = page_link(f"docs/records/{ladder.name}-times", namespace, self.env.docname)
            note += [nodes.Text("; hardware counts from the measured record "), link]
        note += nodes.Text(".")
        note["classes"].append("under-table")
        parts = [*self.stale_note(ladder, rung.name), table(header, rows, "counts"), note]
        return [*parts, *kernel_table(entry)]

    @staticmethod
    def _labels(ladder: lesson.Ladder, entry: dict) -> dict[str, str]:
        """Return what the table shows, by name."""
        named = [column.quantity for column in ladder.settings.columns]
        labels = {
            name: label
            for name, label in COUNTS.items()
            if name in named or name not in ONLY_IF_NAMED
        }
        more = [name for name in entry["counts"]["argued"] if name not in COUNTS]
        return {**labels, **{name: _capital(name.replace("_", " ")) for name in more}}


class RungPrediction(LessonDirective):
    """``rung-prediction``: the factor that each model expects, computed from the counts.

    The content says what the published study predicted, if it did.
    """

    has_content = True

    def build(self) -> list[nodes.Node]:
        """Return a table of the models, then the study's prediction under its own label."""
        ladder = self.ladder()
        rung = lesson.rung_of_page(self.env, ladder)
        entry = ladder.entry(rung.name)
        if not entry["after"]:
            raise EvidenceError(f"{rung.key} comes after no rung; there is nothing to predict")
        before = ladder.entry(entry["after"])
        rows, reasons = [], nodes.bullet_list()
        for reason in entry["because"]:
            model = reason["model"]
            label = models.label(model, entry)
            old, new = (_quantity(model, side) for side in (before, entry))
            known = NONE not in (old, new)
            factor = format_factor(ladder.expected(model, rung.name)) if known else NONE
            rows.append([_model(model, label), old, new, factor])
            item = nodes.list_item()
            item += paragraph(nodes.strong("", model), f": {reason['why']}.")
            reasons += item
        header = ["Model", entry["after"], rung.name, "Expected factor"]
        parts: list[nodes.Node] = [*self.stale_note(ladder, rung.name)]
        parts += [table(header, rows, "prediction"), reasons]
        if self.content:
            box = nodes.admonition(classes=["study"])
            box += nodes.title("", "What the published study predicted")
            box += self.parse_content_to_nodes()
            parts.append(box)
        return parts


class LadderTable(LessonDirective):
    """``ladder-table``: all rungs of the page's ladder, asides apart, and their page order."""

    def build(self) -> list[nodes.Node]:
        """Return two tables and the (hidden) table of contents."""
        ladder = self.ladder()
        steps = [rung for rung in ladder.folders if not rung.is_aside]
        asides = [rung for rung in ladder.folders if rung.is_aside]
        parts: list[nodes.Node] = [*self._tables(ladder, steps)]
        if asides:
            parts.append(paragraph("Asides: each branches off; no numbered rung follows one."))
            parts += self._tables(ladder, asides)
        entries = [(_in_navigation(rung), ladder.docname(rung.name)) for rung in ladder.folders]
        parts.append(toctree(self, entries))
        for rung in ladder.folders:
            self.env.note_dependency(str(rung.page))
            parts += self.stale_note(ladder, rung.name)
        return parts

    def _tables(self, ladder: lesson.Ladder, folders: list) -> list[nodes.table]:
        """Return the table or, where it has too many columns, one of counts and one of factors."""
        counts = ladder.settings.shown([ladder.entry(rung.name) for rung in folders])
        expected = list(ladder.settings.models)
        room = MOST_COLUMNS - 1
        if len(counts) + len(expected) <= room:
            return [self._table(ladder, folders, counts, expected)]
        parts = [(some, []) for some in _shared_out(counts, room)]
        parts += [([], some) for some in _shared_out(expected, room)]
        return [self._table(ladder, folders, *part) for part in parts]

    def _table(
        self, ladder: lesson.Ladder, folders: list, counts: list[LadderColumn], expected: list[str]
    ) -> nodes.table:
        """Return a row a rung, with these counts and these models' factors."""
        header = ["Rung", *(_capital(column.heading) for column in counts)]
        header += [f"{'by' if i else 'Expected by'} {model}" for i, model in enumerate(expected)]
        rows = []
        for rung in folders:
            entry = ladder.entry(rung.name)
            kind = f"{rung.name}: {entry['kind']}"
            kind += f", after {entry['after']}" if entry["after"] else ""
            title, _ = pages.title_and_change(rung.page)
            link = page_link(ladder.docname(rung.name), title, self.env.docname)
            first = [paragraph(link), paragraph(_inline(kind, "kind"))]
            cells = [_cell(column.value(entry)) for column in counts]
            rows.append([first, *cells, *(_expected(ladder, m, entry) for m in expected)])
        return table(header, rows, "ladder")


def _kinds(entry: dict, name: str) -> list[int | float | None]:
    """Return a count as argued, in PTX and in SASS; None where a kind does not have it."""
    return [count(entry, kind, name) for kind in ("argued", "ptx", "sass")]


def _quantity(model: str, entry: dict) -> str:
    """Return what a model looks at in a rung; in a word if the rung has none of it."""
    try:
        return format_number(models.quantity(model, entry))
    except models.NothingCountedError:
        return NONE


def _cell(value: int | float | None) -> str:
    return NOTHING if value is None else format_number(value)


def _expected(ladder: lesson.Ladder, model: str, entry: dict) -> str:
    """Return the factor that a model expects; nothing where there is none to compute."""
    try:
        return format_factor(ladder.expected(model, entry["name"]))
    except EvidenceError:  # it comes after no rung, or counts none of what the model looks at
        return NOTHING


def _shared_out(columns: list, room: int) -> list[list]:
    """Return columns in as few parts as there is room for, of much the same size."""
    size = -(-len(columns) // max(1, -(-len(columns) // room)))
    return [columns[i : i + size] for i in range(0, len(columns), size or 1)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _in_navigation(rung: lesson.Rung) -> str:
    """Return what the navigation calls a rung: its folder's number and its title."""
    return f"{rung.folder.name.partition('-')[0]} {pages.title_and_change(rung.page)[0]}"


def _lines(cut: Region) -> str:
    return f"{cut.first_line} to {cut.first_line + len(cut.lines) - 1}"


def _inline(text: str, css: str = "") -> nodes.inline:
    return nodes.inline(text, text, classes=[css] if css else [])


def _model(name: str, label: str) -> list[nodes.Node]:
    return [paragraph(nodes.strong("", name)), paragraph(_inline(label, "kind"))]


DIRECTIVES = {
    "rung-code": RungCode,
    "rung-diff": RungDiff,
    "rung-counts": RungCounts,
    "rung-prediction": RungPrediction,
    "ladder-table": LadderTable,
}
