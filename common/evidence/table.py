"""The one table printer: plain ASCII, 80 columns wide at most."""

import textwrap
from dataclasses import dataclass
from decimal import Decimal

WIDTH = 80

_ASCII = {
    "×": "x", "·": "-", "–": "-", "—": "-", "−": "-", "µ": "u", "μ": "u",
    "‘": "'", "’": "'", "“": '"', "”": '"', "…": "...", "→": "->", "≤": "<=", "≥": ">=",
    "±": "+-", "\u00a0": " ",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    heading: str  # wrapped at its spaces
    right: bool = False  # numbers stand at the right
    group: str = ""  # neighbours of one group share this heading above theirs
    wrap: bool = False  # takes the width that is left, and wraps its cells


def ascii_text(text: str) -> str:
    """Return text in ASCII; a sign without a known stand-in becomes a question mark."""
    for sign, stand_in in _ASCII.items():
        text = text.replace(sign, stand_in)
    return text.encode("ascii", "replace").decode("ascii")


def wrapped(text: str) -> str:
    """Return a text in ASCII, in lines that fit beside a table; paths stay whole."""
    return textwrap.fill(
        ascii_text(text),
        WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with this many significant digits and no exponent; None is a dash."""
    if value is None:
        return "-"
    if isinstance(value, int) or float(value).is_integer():
        return str(int(value))
    return format(Decimal(f"{value:.{digits}g}"), "f")


def format_table(columns: list[Column], rows: list[list[str] | str], width: int = WIDTH) -> str:
    """Return the table as text with a line end.

    A row is a list with one text for each column, or one text that stands as a line of its own.
    Raises ValueError if a row has another number of cells, or if the table cannot be this narrow.
    """
    columns = [_in_ascii(column) for column in columns]
    cells = [row if isinstance(row, str) else [ascii_text(c) for c in row] for row in rows]
    for row in cells:
        if not isinstance(row, str) and len(row) != len(columns):
            raise ValueError(f"a row of {len(row)} cells in a table of {len(columns)} columns")
    widths = _widths(columns, cells, width)
    gaps = _gaps(widths, width)
    lines = _group_lines(columns, widths, gaps)
    lines += _row_lines(columns, [c.heading for c in columns], widths, gaps, heading=True)
    lines.append(_joined(["-" * w for w in widths], gaps))
    for row in cells:
        if isinstance(row, str):
            lines += textwrap.wrap(ascii_text(row), width) or [""]
        else:
            lines += _row_lines(columns, row, widths, gaps)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def format_tables(columns: list[Column], rows: list[list[str] | str], width: int = WIDTH) -> str:
    """Return the table or, where it is too wide, several that begin with the first column each.

    Neighbours of one group stay together. Raises ValueError if one of them is too wide alone.
    """
    try:
        return format_table(columns, rows, width)
    except ValueError:
        if len(columns) < 3:
            raise

    def some(wanted: list[int]) -> str:
        cells = [row if isinstance(row, str) else [row[i] for i in wanted] for row in rows]
        return format_table([columns[i] for i in wanted], cells, width)

    found: list[str] = []
    taken: list[int] = [0]
    for part in _parts(columns):
        try:
            some([*taken, *part])
            taken += part
        except ValueError:
            if len(taken) > 1:
                found.append(some(taken))
            taken = [0, *part]
    return "\n".join([*found, some(taken)])


def _parts(columns: list[Column]) -> list[list[int]]:
    """Return the columns behind the first by their places, those of one group together."""
    parts: list[list[int]] = []
    for index, column in enumerate(columns[1:], start=1):
        if parts and column.group and columns[index - 1].group == column.group:
            parts[-1].append(index)
        else:
            parts.append([index])
    return parts


def _in_ascii(column: Column) -> Column:
    """Return the column with its headings in ASCII."""
    return Column(ascii_text(column.heading), column.right, ascii_text(column.group), column.wrap)


def _widths(columns: list[Column], cells: list, width: int) -> list[int]:
    """Return each column's width."""
    natural = []
    for index, column in enumerate(columns):
        in_column = [row[index] for row in cells if not isinstance(row, str)]
        words = column.heading.split()
        if column.wrap:
            words += [word for cell in in_column for word in cell.split()]
            in_column = []
        natural.append(max(map(len, [*words, *in_column]), default=0))
    gaps = len(columns) - 1
    if sum(natural) + gaps > width:
        raise ValueError(f"this table needs {sum(natural) + gaps} columns; there are {width}")
    return _share(columns, cells, natural, max(0, width - sum(natural) - 2 * gaps))


def _gaps(widths: list[int], width: int) -> list[int]:
    """Return the gap behind each column but the last: two spaces, as far as there is room."""
    count = len(widths) - 1
    wide = min(count, width - sum(widths) - count)
    return [2] * wide + [1] * (count - wide)


def _joined(parts: list[str], gaps: list[int]) -> str:
    """Return the parts of a line with the gaps between them."""
    return "".join(p + " " * g for p, g in zip(parts, [*gaps, 0], strict=True))


def _share(columns: list[Column], cells: list, natural: list[int], spare: int) -> list[int]:
    """Give the wrapping columns, left to right, as much of the spare width as they can use."""
    widths = list(natural)
    for index, column in enumerate(columns):
        if column.wrap:
            longest = max((len(r[index]) for r in cells if not isinstance(r, str)), default=0)
            more = min(spare, max(0, longest - widths[index]))
            widths[index] += more
            spare -= more
    return widths


def _group_lines(columns: list[Column], widths: list[int], gaps: list[int]) -> list[str]:
    """Return the lines above the headings: each group's name, centred over its columns."""
    if not any(column.group for column in columns):
        return []
    names, spans, between = [], [], []
    for index, column in enumerate(columns):
        gap = gaps[index - 1] if index else 0
        if names and column.group and names[-1] == column.group:
            spans[-1] += gap + widths[index]
        else:
            names.append(column.group)
            spans.append(widths[index])
            between.append(gap)
    wrapped = [textwrap.wrap(n, s) if n else [] for n, s in zip(names, spans, strict=True)]
    height = max(map(len, wrapped))
    blocks = [[""] * (height - len(block)) + block for block in wrapped]
    return [
        _joined([b[i].center(s) for b, s in zip(blocks, spans, strict=True)], between[1:])
        for i in range(height)
    ]


def _row_lines(
    columns: list[Column], row: list[str], widths: list[int], gaps: list[int], heading: bool = False
) -> list[str]:
    """Return the lines of one row; headings stand at the bottom of theirs, cells at the top."""
    blocks = [
        (textwrap.wrap(cell, width) or [""]) if column.wrap or heading else [cell]
        for column, cell, width in zip(columns, row, widths, strict=True)
    ]
    height = max(map(len, blocks))
    lines = []
    for i in range(height):
        parts = []
        for column, block, width in zip(columns, blocks, widths, strict=True):
            at = i - (height - len(block)) if heading else i
            text = block[at] if 0 <= at < len(block) else ""
            parts.append(text.rjust(width) if column.right else text.ljust(width))
        lines.append(_joined(parts, gaps))
    return lines
