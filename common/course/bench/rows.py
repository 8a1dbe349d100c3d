"""What both tables of a record share: rows in their groups, names that fit, and a row's time."""

from evidence import times
from evidence.table import Column, format_table, format_tables
from evidence.verdicts import Interval

_NAMES = range(24, 11, -1)  # columns that a row's name may take; the first that leaves room counts


def interval(row: dict, instrument: str) -> Interval | None:
    """Return a row's warm time by an instrument; None if it was not measured so."""
    time = times.find(row, instrument)
    return time.interval if time else None


def in_parts(rows: list[dict]):
    """Yield (heading, None) above each group of rows that do not follow the one above."""
    above = None
    # Peers in FP32 come before those that are not; all else stays as it is.
    for row in sorted(rows, key=_place):
        kind = row["kind"] if row["kind"] in ("peer", "floor") else ""
        after = row["after"]
        if kind == "peer" and row["math"] != "fp32":
            heading = f"peers in {row['math'].upper()}, which is not FP32:"
        elif kind:
            heading = f"{kind}s:"
        elif after and above is not None and after != above:
            heading = f"after {after}:"
        else:
            heading = ""
        if heading and heading != above:
            yield heading, None
        # Rows below one heading share it; a numbered rung is what the next one follows.
        aside = row["order"] > 1000 and not kind
        above = heading if kind else (after if aside else row["name"])
        yield "", row


def _place(row: dict) -> int:
    peer = 1 + (row["math"] != "fp32")
    return {"peer": peer, "floor": 3}.get(row["kind"], 0)


def fitted(columns: list[Column], cells: list[list[str] | str]) -> str:
    """Return the table, with names cut where it would be too wide, or else in several."""
    for most in _NAMES:
        short = [
            row if isinstance(row, str) or len(row[0]) <= most
            else [f"{row[0][: most - 3]}...", *row[1:]]
            for row in cells
        ]  # fmt: skip
        try:
            return format_table(columns, short)
        except ValueError:
            continue
    return format_tables(columns, cells)
