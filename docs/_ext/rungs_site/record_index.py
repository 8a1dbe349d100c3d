"""``record-index measured | counts | published``: every file of evidence that is kept."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes

from evidence import EvidenceError, ladder_settings, measured, page_links, published, times
from rungs_site import kept_records, lesson, published_values
from rungs_site.directives import LessonDirective
from rungs_site.kept_records import Kept
from rungs_site.record_about import download, size_of
from rungs_site.tables import Cell, label_link, page_link, paragraph, small, table


class RecordIndex(LessonDirective):
    """A table with a row a file: where its numbers are listed, what it is, and its download."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        """Return the table of one kind of evidence."""
        repo = Path(self.env.srcdir)
        kinds = {"measured": _measured, "counts": _counts, "published": _published}
        kind = self.arguments[0]
        if kind not in kinds:
            raise EvidenceError(f"there is no '{kind}'; there is {', '.join(kinds)}")
        header, rows = kinds[kind](self, repo)
        if not rows:
            return [paragraph("None is kept yet.")]
        return [table([*header, "File"], rows, "records")]

    def file_cell(self, repo: Path, file: Path) -> Cell:
        """Return a cell with the download of a file and its size."""
        self.env.note_dependency(str(file))
        link = download(repo, file, self.env.docname, file.name)
        return [paragraph(link), small(size_of(file))]


def _measured(directive: RecordIndex, repo: Path) -> tuple[list[str], list[list[Cell]]]:
    rows: list[list[Cell]] = []
    for path in measured.paths(repo):
        one = Kept(path.parent.name, path, page_links.load(path))
        name = f"{one.namespace}, {path.stem}"
        label = kept_records.section_label(path)
        link = label_link(label, [nodes.inline(name, name)], directive.env.docname)
        rows.append(
            [
                [paragraph(link), small(_sizes(one.record))],
                [paragraph(one.record["machine"]["name"]), small(one.record["date"])],
                str(len({row["name"] for e in one.record["shapes"] for row in e["rows"]})),
                directive.file_cell(repo, path),
            ]
        )
    return ["Record", "Machine", "Rows"], rows


def _sizes(record: dict) -> str:
    shapes = [times.shape_text(shape) for shape in times.shapes(record)]
    return shapes[0] if len(shapes) == 1 else f"{len(shapes)} sizes, {shapes[0]} to {shapes[-1]}"


def _counts(directive: RecordIndex, repo: Path) -> tuple[list[str], list[list[Cell]]]:
    rows: list[list[Cell]] = []
    for name in ladder_settings.ladders(repo):
        ladder = lesson.load_ladder(directive.env, name)
        link = page_link(f"docs/records/{name}", name, directive.env.docname)
        compiler = ladder.record["compiler"]
        shape = times.shape_words(ladder.record["shape"])
        rows.append(
            [
                [paragraph(link), small(shape)],
                [paragraph(f"nvcc {compiler['nvcc']}"), small(compiler["architecture"])],
                str(len(ladder.record["rungs"])),
                directive.file_cell(repo, ladder.record_path),
            ]
        )
    return ["Ladder", "Compiler", "Rungs"], rows


def _published(directive: RecordIndex, repo: Path) -> tuple[list[str], list[list[Cell]]]:
    values = published_values.all_reported(directive.env)
    rows: list[list[Cell]] = []
    for path in published.paths(repo):
        of_file = [value for value in values if value.file == path]
        text = [nodes.inline("", of_file[0].document["study"])]
        link = label_link(of_file[0].labels[0], text, directive.env.docname)
        machine = small(of_file[0].document["machine"])
        cells = [[paragraph(link), machine], str(len(of_file)), directive.file_cell(repo, path)]
        rows.append(cells)
    return ["Study", "Values"], rows
