"""Numbers of a record: how a page reaches them, prints them and is held equal to them.

Nothing here knows Sphinx.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

_SCALES = {"": 1, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_TEXT = re.compile(r"(-?[0-9][0-9,]*(?:\.[0-9]+)?)(?:x\b|\s+(thousand|million|billion)\b)?")

# A text may round, but not so far that the reader is misled: one part in a hundred.
_LARGEST_RELATIVE_ERROR = Decimal("0.01")


class NumberError(Exception):
    """A number is not in a record, or a text does not show it. The text is one sentence."""


def is_number(value: Any) -> bool:
    """Return whether ``value`` is a JSON number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def look_up(counts: dict, path: str) -> int | float:
    """Return the number at ``path`` of a rung's counts, such as ``ptx/kernels/0/barriers``.

    Raises NumberError if there is nothing, or no number, at ``path``.
    """
    value: Any = counts
    walked = []
    for step in path.split("/"):
        walked.append(step)
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            raise NumberError(f"the record has no '{'/'.join(walked)}'")
    if not is_number(value):
        raise NumberError(f"'{path}' is no number of the record")
    return value


def all_numbers(value: Any, path: str = "") -> Iterator[tuple[str, int | float]]:
    """Yield every number below ``value`` with its path, in the record's order."""
    if is_number(value):
        yield path, value
        return
    steps: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(value, dict):
        steps = iter(value.items())
    elif isinstance(value, list):
        steps = iter(enumerate(value))
    for step, inner in steps:
        yield from all_numbers(inner, f"{path}/{step}" if path else str(step))


def is_of_one_line(path: str) -> bool:
    """Return whether ``path`` leads to a count of one source line, which no page shows."""
    return "lines" in path.split("/")


def format_number(value: int | float) -> str:
    """Return ``25,165,824``, ``0.3125`` or ``0.02441``: four digits that count, or all if whole."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.4g}" if abs(value) < 10**4 else f"{value:,.1f}"


def format_factor(value: float) -> str:
    """Return an expected factor, time before / time after, as ``4.00x``."""
    return f"{value:.2f}x"


def check_text(text: str, value: int | float) -> None:
    """Raise NumberError unless ``text`` begins with ``value``, rounded to the text's digits.

    "0.3125", "25,165,824", "25.2 million" and "1.60x" are such texts; words may follow.
    """
    match = _TEXT.match(text.strip())
    if match is None:
        raise NumberError(f"'{text}' does not begin with a number")
    digits = match.group(1).replace(",", "")
    exact = Decimal(repr(value)) / _SCALES[match.group(2) or ""]
    decimals = len(digits.partition(".")[2])
    error = abs(Decimal(digits) - exact)
    rounds = error <= Decimal(5).scaleb(-decimals - 1)
    near = error <= abs(exact) * _LARGEST_RELATIVE_ERROR
    if not (rounds and near):
        raise NumberError(f"'{text}' is not what the record holds: {format_number(value)}")
