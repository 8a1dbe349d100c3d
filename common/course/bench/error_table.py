"""The table of errors over other inputs than the problem's own: a row a variant, a column each."""

from course.bench.rows import fitted, in_parts
from evidence import accuracy, times
from evidence.table import Column, wrapped


def error_tables(record: dict) -> list[str]:
    """Return what is printed of a record's errors: nothing where it holds none."""
    parts = []
    for shape in times.shapes(record):
        entries = accuracy.at(record, shape)
        if not entries:
            continue
        rows = [row for row in times.rows(record, shape) if row["again_of"] is None]
        inputs = "; ".join(f"{e['name']}: {accuracy.ranges_text(e['ranges'])}" for e in entries)
        about = f"largest errors against float64 where inputs are spread evenly, {inputs}."
        parts += [
            f"Errors at {times.shape_words(shape)}",
            "",
            _table(rows, entries),
            wrapped(about),
        ]
        parts += [
            wrapped(f"no error of {', '.join(names)}: {reason}.")
            for reason, names in accuracy.missing(entries).items()
        ]
        parts.append("")
    return parts


def _table(rows: list[dict], entries: list[dict]) -> str:
    columns = [Column("rung"), *(Column(entry["name"], right=True) for entry in entries)]
    asked = {row["name"] for entry in entries for row in entry["rows"]}
    cells: list[list[str] | str] = []
    for part, row in in_parts([row for row in rows if row["name"] in asked]):
        if row is None:
            cells.append(part)
            continue
        errors = (accuracy.row(entry, row["name"]) or {} for entry in entries)
        cells.append([row["name"], *(_cell(found.get("max_relative_error")) for found in errors)])
    return fitted(columns, cells)


def _cell(error: float | None) -> str:
    return "-" if error is None else f"{error:.1e}"
