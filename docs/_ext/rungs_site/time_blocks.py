"""The blocks that show measured times: of a rung, of a ladder, and over sizes.

Each shows every record that is kept, by its namespace, and none that is not.
"""

from __future__ import annotations

from docutils import nodes

from evidence import EvidenceError, claims, compare, pages, times
from evidence.numbers import format_factor
from rungs_site import kept_records, lesson
from rungs_site.directives import NOTHING, LessonDirective
from rungs_site.kept_records import Kept
from rungs_site.tables import MOST_COLUMNS, Cell, label_link, page_link, paragraph, table
from rungs_site.time_cells import (
    kernel_cell,
    number,
    of_memory,
    part_rows,
    rate,
    rate_cell,
    share_rows,
    small,
    time_cell,
    unit,
)

_MEDIAN_AND_RANGE = "the median, and the range of the round means, outside which a median can lie"
_OF_SIZES = (
    "Noise: by how much a variant that was entered twice differs from itself at that size. "
    "~: not resolved against the rung before."
)


class MeasuredDirective(LessonDirective):
    """A block that is made from measured records."""

    suffix = ""  # of the records' files

    def build(self) -> list[nodes.Node]:
        """Return the block, or one line that says that there is no record."""
        ladder = self.ladder()
        kept = kept_records.kept(self.env, ladder.name, self.suffix)
        if not kept:
            what = "size sweep" if self.suffix else "time"
            return [paragraph(f"No record of a {what} of {ladder.name} is kept yet.")]
        return self.block(ladder, kept)

    def block(self, ladder: lesson.Ladder, kept: list[Kept]) -> list[nodes.Node]:
        """Return the block's nodes; there is at least one record."""
        raise NotImplementedError

    def banner(self, ladder: lesson.Ladder, kept: list[Kept], names: list[str]) -> list[nodes.Node]:
        """Return a visible warning for each record that is older than one of these rungs."""
        found = []
        for one in kept:
            old = kept_records.stale_rungs(ladder, one.record, names)
            if old:
                text = (
                    f"{one.namespace} measured {', '.join(old)} from an older version of the "
                    "source. Its times are shown as they are, and the strict build fails."
                )
                found.append(nodes.warning("", paragraph(text)))
        return found

    def source(self, ladder: lesson.Ladder, one: Kept, about: str) -> nodes.paragraph:
        """Return the note under a table: the record, its protocol, and what else to know."""
        protocol, machine = one.record["protocol"], one.record["machine"]
        text = nodes.inline(one.namespace, one.namespace)
        link = label_link(kept_records.section_label(one.path), [text], self.env.docname)
        driver = f", driver {machine['driver']}" if machine["driver"] else ""
        note = paragraph(
            f"{about} Record ",
            link,
            f": {machine['name']}{driver}, {one.record['date']}; {protocol['rounds']} rounds of "
            f"{protocol['samples']} samples, {protocol['order']}.",
        )
        if protocol.get("buffers", 1) > 1:
            note += nodes.Text(f" Launches take {protocol['buffers']} sets of buffers in turn.")
        if one.record["throttled"]:
            note += nodes.strong("", " The GPU lowered its clock during this run.")
        note["classes"].append("under-table")
        return note


class RungTimes(MeasuredDirective):
    """``rung-times``: this rung's times by every instrument, beside those that they compare with.

    One table a record: the rung before, this rung, the fastest FP32 peer and the floor.
    """

    def block(self, ladder: lesson.Ladder, kept: list[Kept]) -> list[nodes.Node]:
        """Return the tables."""
        rung = lesson.rung_of_page(self.env, ladder)
        before = ladder.entry(rung.name)["after"]
        mine = [name for name in (before, rung.name) if name]
        parts = self.banner(ladder, kept, [*mine, ladder.settings.floor])
        for one in kept:
            if one.row(rung.name) is None:
                parts.append(paragraph(f"{rung.name} is not in the record {one.namespace}."))
                continue
            shown: list[dict] = []
            for shape in times.shapes(one.record):
                columns = [("", name) for name in mine if one.row(name, shape)]
                for label, name in (
                    ("Best peer", kept_records.best_peer(ladder, one.record, shape)),
                    ("Floor", kept_records.floor(ladder, one.record, shape)),
                ):
                    columns += [(label, name)] if name else []
                parts += _at(one.record, shape)
                parts.append(self._table(ladder, one, shape, columns))
                shown += [one.row(name, shape) for _, name in columns]
            about = f"Microseconds of one operation: {_MEDIAN_AND_RANGE}.{of_memory(one.record)}"
            parts.append(self.source(ladder, one, about))
            parts += _gaps(shown)
        return parts

    def _table(
        self, ladder: lesson.Ladder, one: Kept, shape: dict, columns: list[tuple[str, str]]
    ) -> nodes.table:
        rows = []
        for way in kept_records.ways(one.record):
            found = [
                times.find(one.row(name, shape), way.instrument, way.cache, way.batch)
                for _, name in columns
            ]
            # The parts of a rung alone: what a peer launches is its own affair.
            rows += part_rows(
                way, [t if not c[0] else None for t, c in zip(found, columns, strict=True)]
            )
            cells = [time_cell(time.interval if time else None) for time in found]
            rows.append([way.label, *cells])
        rows += share_rows(ladder, one.record, shape, [name for _, name in columns])
        header = [title_cell(one)]
        for label, name in columns:
            header.append([paragraph(label), small(name)] if label else name)
        return table(header, rows, "times")


class LadderTimes(MeasuredDirective):
    """``ladder-times``: every rung, peer and floor of each record, and the records side by side."""

    def block(self, ladder: lesson.Ladder, kept: list[Kept]) -> list[nodes.Node]:
        """Return one table a record, then one of the kernel times of all."""
        parts = self.banner(ladder, kept, every_name(ladder, kept))
        for one in kept:
            compared = []
            for shape in times.shapes(one.record):
                peer, floor = (
                    kept_records.best_peer(ladder, one.record, shape),
                    kept_records.floor(ladder, one.record, shape),
                )
                compared.append((peer or "not measured", floor or "not measured"))
                parts += _at(one.record, shape)
                parts.append(self._table(ladder, one, shape))
            peers, floors = (" and ".join(dict.fromkeys(n)) for n in zip(*compared, strict=True))
            about = (
                f"Kernel time of a launch{_with_caches(one.record)}: {_MEDIAN_AND_RANGE}. "
                f"The best peer is {peers}, the floor {floors}.{of_memory(one.record)}"
            )
            parts.append(self.source(ladder, one, about))
            every = [row for entry in one.record["shapes"] for row in entry["rows"]]
            parts += _gaps([row for row in every if row["again_of"] is None])
        for other in kept[1:]:
            parts += self._together(kept[0], other)
        return parts

    def _table(self, ladder: lesson.Ladder, one: Kept, shape: dict) -> nodes.table:
        record = one.record
        peer = kept_records.best_peer(ladder, record, shape)
        floor = kept_records.floor(ladder, record, shape)
        rows = []
        for row in times.rows(record, shape):
            if row["again_of"] is not None:
                continue
            name = row["name"]
            missing = "missing" in row
            cells = [kernel_cell(row)]
            cells.append(NOTHING if missing else rate_cell(record, name, shape))
            cells.append(self._step(record, row, shape))
            comparable = not missing and row["kind"] != "floor" and row["math"] == "fp32"
            for other in (peer, floor):
                percent = None
                if comparable and other:
                    percent = claims.percent_of(record, name, other, shape=shape)
                cells.append(number(percent, "{:.1f} %"))
            judges = shape == times.shapes(record)[0]
            rows.append([self._variant(ladder, one, row, judges), *cells])
        header = [title_cell(one), "us", unit(record), "x before"]
        header += ["of the best peer", "of the floor"]
        return table(header, rows, "times")

    def _step(self, record: dict, row: dict, shape: dict) -> Cell:
        """Return a cell with the factor over the rung before, its noise, and whether it gained."""
        step = None
        if "missing" not in row and row["after"]:
            step = claims.step(record, row["name"], shape=shape)
        if step is None:
            return NOTHING
        gain = claims.gain(record, row["name"], shape=shape)
        about = f"{kept_records.format_factor_range(step)}, {gain}"
        return [paragraph(format_factor(step.value, 3)), small(about)]

    def _variant(
        self, ladder: lesson.Ladder, one: Kept, row: dict, judges: bool
    ) -> list[nodes.Node]:
        """Return a row's first cell: its name, what it is, and what became of its predictions.

        Predictions are of the first shape, where ``judges`` is true.
        """
        name = row["name"]
        folders = [rung.name for rung in ladder.folders]
        first: str | nodes.Node = name
        if name in folders:
            title, _ = pages.title_and_change(ladder.folder(name).page)
            first = page_link(ladder.docname(name), title, self.env.docname)
        about = [f"{name}: {row['kind']}" if name in folders else row["kind"]]
        if row["math"] != "fp32":
            about.append(f"{row['math']}, not FP32")
        error = claims.max_relative_error(row)
        if row["kind"] == "peer" and error is not None:
            about.append(f"error {error:.1e}")
        about += [row["note"]] if row.get("note") else []
        parts = [paragraph(first), small(", ".join(about))]
        judged = claims.judge(one.record, ladder.record, name) if row["after"] and judges else []
        parts += [small(f"{j.model} {format_factor(j.expected)}: {j.verdict}") for j in judged]
        return parts

    def _together(self, first: Kept, second: Kept) -> list[nodes.Node]:
        """Return the kernel times of two records side by side, and how far they drifted."""
        names = (first.namespace, second.namespace)
        try:
            compared = compare.compare(first.record, second.record, names)
        except EvidenceError as error:
            return [paragraph(f"{error}.")]
        several = len({moved.shape for moved in compared.movements}) > 1
        rows = [
            [
                f"{moved.name} at {moved.shape}" if several else moved.name,
                time_cell(moved.before),
                time_cell(moved.after),
                f"{100 * (1 / moved.factor.value - 1):+.1f} %",
            ]
            for moved in compared.movements
        ]
        about = "Moved: by how much the second run's kernel time differs from the first's."
        if compared.drift is not None:
            about += (
                f" No variant whose program is the same in both moved by more than "
                f"{100 * (compared.drift - 1):.1f} %."
            )
        note = paragraph(about)
        note["classes"].append("under-table")
        return [table(["Kernel, us", *names, "Moved"], rows, "times"), note]


class LadderSizes(MeasuredDirective):
    """``ladder-sizes``: kernel times and rates over sizes, from the size sweeps that are kept."""

    suffix = kept_records.SIZES

    def block(self, ladder: lesson.Ladder, kept: list[Kept]) -> list[nodes.Node]:
        """Return one table a record: a variant a row, a size a column."""
        parts = self.banner(ladder, kept, every_name(ladder, kept))
        for one in kept:
            shapes = [shape["shape"] for shape in one.record["shapes"]]
            for first in range(0, len(shapes), MOST_COLUMNS - 1):
                parts.append(self._table(one, shapes[first : first + MOST_COLUMNS - 1]))
            about = (
                f"{unit(one.record)} by the kernel time with warm caches, and the time in "
                f"microseconds. {_OF_SIZES}"
            )
            parts.append(self.source(ladder, one, about))
            parts += _gaps([row for shape in one.record["shapes"] for row in shape["rows"]])
        return parts

    def _table(self, one: Kept, shapes: list[dict]) -> nodes.table:
        """Return a table of these sizes."""
        record = one.record
        names: list[str] = []
        for shape in shapes:
            names += [
                row["name"]
                for row in times.rows(record, shape)
                if row["again_of"] is None and row["name"] not in names
            ]
        rows = [[name, *(self._cell(record, name, shape) for shape in shapes)] for name in names]
        rows.append(["noise", *(_noise(record, shape) for shape in shapes)])
        header = [title_cell(one), *(_size(shape) for shape in shapes)]
        return table(header, rows, "times")

    def _cell(self, record: dict, name: str, shape: dict) -> Cell:
        if name not in [row["name"] for row in times.rows(record, shape)]:
            return NOTHING
        interval = times.interval(record, name, shape=shape)
        if interval is None:
            return NOTHING
        mark = " ~" if claims.gain(record, name, shape=shape) == "not resolved" else ""
        first = paragraph(rate(record, name, shape))
        return [first, small(f"{kept_records.format_time(interval.value)} us{mark}")]


def every_name(ladder: lesson.Ladder, kept: list[Kept]) -> list[str]:
    """Return the rungs of a ladder and the floors of its records."""
    rows = [row for one in kept for entry in one.record["shapes"] for row in entry["rows"]]
    floors = [row["name"] for row in rows if row["kind"] == "floor"]
    return list(dict.fromkeys([*(rung.name for rung in ladder.folders), *floors]))


def _with_caches(record: dict) -> str:
    """Return what is said of the caches: nothing where several sets of buffers take turns."""
    return " with warm caches" if record["protocol"].get("buffers", 1) == 1 else ""


def title_cell(one: Kept) -> Cell:
    """Return the first cell of a record's table: its namespace, the machine and the day."""
    machine, date = one.record["machine"]["name"], one.record["date"]
    return [paragraph(one.namespace), small(machine), small(date)]


def _noise(record: dict, shape: dict) -> str:
    """Return by how much a variant entered twice differed from itself at this shape."""
    same = times.same_difference(record, shape=shape)
    return NOTHING if same is None else f"{100 * (same - 1):.2f} %"


def _size(shape: dict) -> str:
    """Return a shape in few characters: ``1024`` where all its sizes are equal."""
    sizes = {str(size) for size in shape.values()}
    return sizes.pop() if len(sizes) == 1 else times.shape_text(shape)


def _at(record: dict, shape: dict) -> list[nodes.Node]:
    """Return a line above a table that says its shape, where the record has several."""
    if len(record["shapes"]) == 1:
        return []
    return [paragraph(f"At {', '.join(f'{name} = {size}' for name, size in shape.items())}:")]


def _gaps(rows: list[dict]) -> list[nodes.Node]:
    """Return a list of what is missing in these rows or to be taken with care; or nothing."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if "missing" in row:
            reasons.setdefault(row["missing"], []).append(row["name"])
            continue
        for time in times.all_times(row):
            if time.missing is not None:
                reasons.setdefault(time.missing, []).append(f"{row['name']} ({time.label})")
    said = [
        f"Not measured: {', '.join(dict.fromkeys(names))}. {reason}"
        for reason, names in reasons.items()
    ]
    said += [f"{sentence}." for sentence in map(times.crowded, rows) if sentence]
    if not said:
        return []
    listed = nodes.bullet_list()
    for sentence in said:
        listed += nodes.list_item("", paragraph(sentence))
    return [listed]


TIME_DIRECTIVES = {
    "rung-times": RungTimes,
    "ladder-times": LadderTimes,
    "ladder-sizes": LadderSizes,
}
