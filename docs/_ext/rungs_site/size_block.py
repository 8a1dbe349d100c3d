"""``ladder-sizes``: kernel times and rates over sizes, from the size sweeps that are kept."""

from __future__ import annotations

from docutils import nodes

from evidence import claims, times
from rungs_site import kept_records, lesson
from rungs_site.directives import NOTHING
from rungs_site.fold import folded
from rungs_site.kept_records import Kept
from rungs_site.tables import MOST_COLUMNS, Cell, paragraph, small, table
from rungs_site.time_blocks import MeasuredDirective, every_name, gaps, title_cell
from rungs_site.time_cells import rate, unit

_OF_SIZES = (
    "Noise: by how much a variant that was entered twice differs from itself at that size. "
    "~: not resolved against the rung before."
)


class LadderSizes(MeasuredDirective):
    """``ladder-sizes``: kernel times and rates over sizes, from the size sweeps that are kept."""

    suffix = kept_records.SIZES

    def block(self, ladder: lesson.Ladder, kept: list[Kept]) -> list[nodes.Node]:
        """Return one table a record: a variant a row, a size a column."""
        parts = self.banner(ladder, kept, every_name(ladder, kept))
        parts += self._of_record(ladder, kept[0])
        for other in kept[1:]:
            tables = self._of_record(ladder, other)
            parts.append(folded(f"The same in the record {other.namespace}", *tables))
        return parts

    def _of_record(self, ladder: lesson.Ladder, one: Kept) -> list[nodes.Node]:
        parts: list[nodes.Node] = []
        shapes = [shape["shape"] for shape in one.record["shapes"]]
        for first in range(0, len(shapes), MOST_COLUMNS - 1):
            parts.append(self._table(one, shapes[first : first + MOST_COLUMNS - 1]))
        about = (
            f"{unit(one.record)} by the kernel time with warm caches, and the time in "
            f"microseconds. {_OF_SIZES}"
        )
        parts.append(self.source(ladder, one, about))
        return parts + gaps([row for shape in one.record["shapes"] for row in shape["rows"]])

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


def _noise(record: dict, shape: dict) -> str:
    """Return by how much a variant entered twice differed from itself at this shape."""
    same = times.same_difference(record, shape=shape)
    return NOTHING if same is None else f"{100 * (same - 1):.2f} %"


def _size(shape: dict) -> str:
    """Return a shape in few characters: ``1024`` where all its sizes are equal."""
    sizes = {str(size) for size in shape.values()}
    return sizes.pop() if len(sizes) == 1 else times.shape_text(shape)
