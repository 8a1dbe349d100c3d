"""The blocks that show measured times: of a rung and of a ladder.

Each shows every record that is kept, by its namespace, and none that is not.
"""

from __future__ import annotations

from docutils import nodes

from evidence import EvidenceError, claims, compare, pages, times
from evidence.numbers import format_factor
from evidence.times import Time
from rungs_site import kept_records, lesson
from rungs_site.directives import NOTHING, LessonDirective
from rungs_site.fold import folded
from rungs_site.kept_records import Kept
from rungs_site.tables import Cell, label_link, page_link, paragraph, small, table
from rungs_site.time_cells import (
    kernel_cell,
    number,
    of_memory,
    part_rows,
    rate_cell,
    share_rows,
    time_cell,
    unit,
)

_MEDIAN_AND_RANGE = "the median, and the range of the round means, outside which a median can lie"


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
            tables = self._of_record(ladder, one, rung.name, mine)
            if one is kept[0]:
                parts += tables
            else:
                parts.append(folded(f"The same in the record {one.namespace}", *tables))
        return parts

    def _of_record(
        self, ladder: lesson.Ladder, one: Kept, name: str, mine: list[str]
    ) -> list[nodes.Node]:
        """Return what a record says: what a kernel and its span take, and the rest to unfold."""
        if one.row(name) is None:
            return [paragraph(f"{name} is not in the record {one.namespace}.")]
        parts, rest, shown = [], [], []
        for shape in times.shapes(one.record):
            columns = [("", other) for other in mine if one.row(other, shape)]
            for label, other in (
                ("Best peer", kept_records.best_peer(ladder, one.record, shape)),
                ("Floor", kept_records.floor(ladder, one.record, shape)),
            ):
                columns += [(label, other)] if other else []
            at = _at(one.record, shape)
            ways = kept_records.ways(one.record)
            first = [way for way in ways if way.instrument in ("kernel", "span")]
            others = [way for way in ways if way not in first]
            parts += [*at, self._table(ladder, one, shape, columns, first, shares=True)]
            if others:
                again = [part.deepcopy() for part in at]
                rest += [*again, self._table(ladder, one, shape, columns, others)]
            shown += [one.row(other, shape) for _, other in columns]
        about = f"Microseconds of one operation: {_MEDIAN_AND_RANGE}.{of_memory(one.record)}"
        parts += [self.source(ladder, one, about), *gaps(shown)]
        return [*parts, folded("By the other instruments", *rest)] if rest else parts

    def _table(
        self,
        ladder: lesson.Ladder,
        one: Kept,
        shape: dict,
        columns: list[tuple[str, str]],
        ways: list[Time],
        shares: bool = False,
    ) -> nodes.table:
        rows = []
        for way in ways:
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
        if shares:
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
        parts += self._of_record(ladder, kept[0])
        for other in kept[1:]:
            together = self._together(kept[0], other)
            name = other.namespace
            parts.append(folded(f"Beside the record {name}", *together))
            parts.append(folded(f"All of the record {name}", *self._of_record(ladder, other)))
        return parts

    def _of_record(self, ladder: lesson.Ladder, one: Kept) -> list[nodes.Node]:
        """Return a table for each shape of a record, and what there is to know of them."""
        parts: list[nodes.Node] = []
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
        return parts + gaps([row for row in every if row["again_of"] is None])

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


def _at(record: dict, shape: dict) -> list[nodes.Node]:
    """Return a line above a table that says its shape, where the record has several."""
    if len(record["shapes"]) == 1:
        return []
    return [paragraph(f"At {', '.join(f'{name} = {size}' for name, size in shape.items())}:")]


def gaps(rows: list[dict]) -> list[nodes.Node]:
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


TIME_DIRECTIVES = {"rung-times": RungTimes, "ladder-times": LadderTimes}
