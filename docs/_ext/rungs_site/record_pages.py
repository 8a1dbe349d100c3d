"""The pages behind the numbers: every measured record, and what the studies report.

Each number has an anchor of its own, so that a link from a lesson's text leads to its row.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from evidence import EvidenceError, anchors, page_links, times
from evidence.numbers import all_numbers, format_factor, format_number, is_of_one_line
from rungs_site import kept_records, lesson, published_values
from rungs_site.directives import LessonDirective
from rungs_site.kept_records import Kept, number_label, section_label
from rungs_site.record_about import about_record, about_row, download, stale_rows
from rungs_site.record_index import RecordIndex
from rungs_site.tables import page_link, paragraph, table


class RecordTable(LessonDirective):
    """``record-table LADDER``: the numbers of a counts record, each with its own anchor.

    The counts of single source lines are left out: there are thousands. What a rule computes from
    the counts stands apart.
    """

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        """Return a section a rung: its source hash, and tables of paths and numbers."""
        ladder = lesson.load_ladder(self.env, self.arguments[0])
        _leave_out_of_search(self)
        parts: list[nodes.Node] = []
        for entry in ladder.entries():
            name = entry["name"]
            numbers = all_numbers(entry["counts"])
            counted = [(path, value) for path, value in numbers if not is_of_one_line(path)]
            computed = [(p, found.value) for p, found in anchors.computed(ladder.record, name)]
            section = nodes.section(ids=[nodes.make_id(f"record-{name}")])
            section += nodes.title("", name)
            link = page_link(ladder.docname(name), "Its page", self.env.docname)
            hashed = nodes.literal("", entry["source_hash"])
            file = download(ladder.repo, ladder.record_path, self.env.docname)
            section += paragraph(link, ". Source hash ", hashed, ". From ", file, ".")
            section += self._table(ladder.name, name, "Path in the file", counted)
            if computed:
                title = f"Computed from the counts of {name}"
                section += nodes.rubric(title, title, **{"heading-level": 3})
                section += paragraph(_how_computed(entry))
                section += self._table(ladder.name, name, "Computed", computed)
            parts.append(section)
        return parts

    def _table(
        self, ladder: str, rung: str, head: str, numbers: list[tuple[str, float]]
    ) -> nodes.table:
        """Return a table of numbers by their paths, with an anchor a row."""
        labels = [record_label(ladder, rung, path) for path, _ in numbers]
        ids = [_target(self, label) for label in labels]
        rows = [[nodes.literal("", path), format_number(value)] for path, value in numbers]
        return table([head, "Value"], rows, "record", ids)


def _how_computed(entry: dict) -> str:
    """Return what is computed of a rung, and from what."""
    after = entry["after"]
    parts = ["These are not in the file; links name them in the same way."]
    if after:
        parts.append(
            f"An expected factor is what a model looks at in {after} over what it looks at in "
            f"{entry['name']}, or the reverse where more is better."
        )
    parts.append(
        "Residency follows from registers, shared memory, block and grid, and from the limits of "
        "an H200."
    )
    return " ".join(parts)


def record_label(ladder: str, rung: str, path: str) -> str:
    """Return the label under which a number of a record is found."""
    return f"{ladder}#{rung}/{path}"


class MeasuredRecords(LessonDirective):
    """``measured-records LADDER``: the numbers of every record kept of a ladder, with anchors.

    A row shows what pages may link to; a number that only one page links to, such as a factor over
    a rung further back, is listed because that page does.
    """

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        """Return a section a record, with a table for each of its rows."""
        ladder = lesson.load_ladder(self.env, self.arguments[0])
        _leave_out_of_search(self)
        kept = kept_records.kept(self.env, ladder.name)
        kept += kept_records.kept(self.env, ladder.name, kept_records.SIZES)
        if not kept:
            return [paragraph(f"No measured record of {ladder.name} is kept yet.")]
        linked = linked_anchors(Path(self.env.srcdir))
        return [self._section(ladder, one, linked.get(one.path, [])) for one in kept]

    def _section(self, ladder: lesson.Ladder, one: Kept, linked: list[str]) -> nodes.section:
        name = f"{one.namespace}, {one.path.stem}"
        anchor = _target(self, section_label(one.path), nodes.make_id(f"record-{name}"))
        section = nodes.section(ids=[anchor])
        section += nodes.title("", name)
        section += about_record(one, ladder.repo, self.env.docname)
        groups: dict[tuple[str, str], list[tuple[str, anchors.Number]]] = {}
        for anchor, found in record_numbers(one.record, linked).items():
            groups.setdefault(_group(one.record, anchor), []).append((anchor, found))
        stale = stale_rows(ladder, one.record)
        for (row, title), group in groups.items():
            ids = [_target(self, number_label(one.path, anchor)) for anchor, _ in group]
            rows = [[nodes.literal("", anchor), _cell(found)] for anchor, found in group]
            inner = nodes.section(ids=[nodes.make_id(f"record-{name}-{title}")])
            inner += nodes.title("", title)
            inner += about_row(ladder, one, row, stale, self.env.docname)
            inner += table(["Number", "Value"], rows, "record", ids)
            section += inner
        return section


class PublishedValues(SphinxDirective):
    """``published-values``: what the studies report, each value with an anchor."""

    def run(self) -> list[nodes.Node]:
        """Return a section a file; one line if there is none."""
        try:
            reported = published_values.all_reported(self.env)
        except EvidenceError as error:
            raise self.error(f"{self.name}: {error}") from error
        if not reported:
            return [paragraph("No values of a study are kept yet.")]
        files = dict.fromkeys(value.file for value in reported)
        return [self._section([v for v in reported if v.file == file]) for file in files]

    def _section(self, values: list[published_values.Reported]) -> nodes.section:
        """Return the section of a study: what it is, what it is not, and its values."""
        file, document = values[0].file, values[0].document
        rows, ids = [], []
        for value in values:
            anchor = nodes.make_id(value.labels[0])
            for label in value.labels:
                _target(self, label, anchor)
            ids.append(anchor)
            small = nodes.inline(value.about, value.about, classes=["kind"])
            about = [paragraph(nodes.literal("", value.id)), paragraph(small)]
            rows.append([about, value.instrument, value.text])
        section = nodes.section(ids=[nodes.make_id(f"published-{file.stem}")])
        section += nodes.title("", document["study"])
        note = document.get("url_note", "")
        link = download(Path(self.env.srcdir), file, self.env.docname)
        section += [
            paragraph("; ".join(part for part in (document["machine"], note) if part) + "."),
            paragraph("From ", link, "."),
        ]
        if document["is_not"]:
            listed = nodes.bullet_list()
            for sentence in document["is_not"]:
                item = nodes.list_item()
                item += paragraph(sentence)
                listed += item
            section += [paragraph("What it says that its values are not:"), listed]
        section += table(["Value", "Instrument", "As reported"], rows, "record", ids)
        return section


def record_numbers(record: dict, linked: list[str]) -> dict[str, anchors.Number]:
    """Return the numbers of a record that its page lists, by their anchors.

    Those are every number of its own, each row beside the peers and floors, and what pages link to.
    """
    found = dict(anchors.every(record))
    asked = [anchor for row in _rows(record) for anchor in _compared(*row)] + linked
    for anchor in asked:
        try:
            found.setdefault(anchor, anchors.resolve(record, anchor))
        except EvidenceError:
            continue  # there is no such number; a page that links to it is told so
    return found


def _rows(record: dict) -> list[tuple[str, dict, list[dict]]]:
    """Return each row that was measured: what its anchors begin with, the row, its neighbours."""
    return [
        (times.shape_prefix(record, entry), row, entry["rows"])
        for entry in record["shapes"]
        for row in entry["rows"]
        if "missing" not in row
    ]


def _compared(prefix: str, row: dict, neighbours: list[dict]) -> list[str]:
    """Return the anchors that set a row beside the peers and floors of its shape."""
    return [
        f"{prefix}{row['name']}/of-{other['kind']}/{other['name']}"
        for other in neighbours
        if other["kind"] in ("peer", "floor") and other["again_of"] is None and other is not row
    ]


def linked_anchors(repo: Path) -> dict[Path, list[str]]:
    """Return per file of evidence the anchors that the lessons and guides link to."""
    evidence = repo / "docs" / "evidence"
    found: dict[Path, list[str]] = {}
    for page in [*(repo / "lessons").glob("**/README.md"), *(repo / "docs").glob("*.md")]:
        for link in page_links.number_links(page, page.read_text(encoding="utf-8"), evidence):
            found.setdefault(link.file, []).append(link.anchor)
    return found


def _group(record: dict, anchor: str) -> tuple[str, str]:
    """Return the row that an anchor is of, and what it is listed under: the row, at its size."""
    steps = anchor.split("/")
    if len(steps) == 1:
        return "", "the run"
    at_shape = steps[0] in map(times.shape_text, times.shapes(record))
    return (steps[1], " at ".join(reversed(steps[:2]))) if at_shape else (steps[0], steps[0])


def _target(directive: SphinxDirective, label: str, anchor: str = "") -> str:
    """Register a label on this page, at ``anchor`` if one is given, and return its id."""
    anchor = anchor or nodes.make_id(label)
    domain = directive.env.domains.standard_domain
    domain.note_hyperlink_target(label, directive.env.docname, anchor)
    return anchor


def _leave_out_of_search(directive: SphinxDirective) -> None:
    """Leave the page out of the search: all words of a ladder are in its thousands of rows."""
    env = directive.env
    env.metadata[env.docname]["nosearch"] = True


def _cell(found: anchors.Number) -> list[nodes.Node]:
    """Return a number with its unit and, where it has one, the interval beneath it."""
    unit = f" {found.unit}" if found.unit else ""
    parts = [paragraph(f"{_digits(found, found.value)}{unit}")]
    if found.interval is not None:
        small = " to ".join(
            _digits(found, end) for end in (found.interval.low, found.interval.high)
        )
        parts.append(paragraph(nodes.inline(small, small, classes=["kind"])))
    return parts


def _digits(found: anchors.Number, value: float) -> str:
    """Return a time to the hundredth, a measured factor to the third decimal, as the tables do."""
    if found.unit == "us":
        return kept_records.format_time(value)
    if found.unit == "x" and found.interval is not None:
        return format_factor(value, 3, "")
    return format_number(value)


RECORD_DIRECTIVES = {
    "record-index": RecordIndex,
    "record-table": RecordTable,
    "measured-records": MeasuredRecords,
    "published-values": PublishedValues,
}
