"""Numbers of a record: how one is reached in a counts record, printed, and shown by a text.

``anchors`` builds on this for every kind of record.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from evidence.errors import EvidenceError

_SCALES = {"": 1, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_TEXT = re.compile(
    r"(?P<digits>-?[0-9][0-9,]*(?:\.[0-9]+)?)(?P<exponent>e-?[0-9]+)?"
    r"(?:x\b|\s+(?P<scale>thousand|million|billion)\b)?"
)

# A text may round, but not so far that the reader is misled: one part in a hundred.
LARGEST_RELATIVE_ERROR = Decimal("0.01")


class NumberError(EvidenceError):
    """A number is not in a record, or a text does not show it. The text is one sentence."""


@dataclass(frozen=True)
class Shown:
    """A number as a text shows it."""

    value: Decimal  # with its scale and exponent
    step: Decimal  # what one more in the last digit is worth
    decimals: int
    exponent: int | None
    scale: int
    commas: bool
    end: int  # where the number's digits end in the text
    after: int  # where the number ends, with exponent and scale


def read_number(text: str) -> Shown:
    """Return the number that ``text`` begins with. Raises NumberError if it begins with none."""
    match = _TEXT.match(text)
    if match is None:
        raise NumberError(f"'{text}' does not begin with a number")
    digits = match["digits"].replace(",", "")
    decimals = len(digits.partition(".")[2])
    exponent = int(match["exponent"][1:]) if match["exponent"] else None
    scale = _SCALES[match["scale"] or ""]
    factor = Decimal(scale).scaleb(exponent or 0)
    return Shown(
        Decimal(digits) * factor,
        Decimal(1).scaleb(-decimals) * factor,
        decimals,
        exponent,
        scale,
        "," in match["digits"] or Decimal(digits).copy_abs() < 1000,
        match.end("digits"),
        match.end("scale") if match["scale"] else match.end("exponent" if exponent else "digits"),
    )


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


def rounded(value: float | Decimal, decimals: int) -> Decimal:
    """Return a number with so many decimals; a half goes up, as a reader rounds."""
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    return exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def format_factor(value: float, decimals: int = 2, sign: str = "x") -> str:
    """Return a factor, time before / time after, as ``4.00x``; 1.125 is ``1.13x``.

    In a column that says what it holds, ``sign`` may be empty.
    """
    return f"{rounded(value, decimals)}{sign}"


def check_text(text: str, value: int | float) -> None:
    """Raise NumberError unless ``text`` begins with ``value``, rounded to the text's digits.

    "0.3125", "25,165,824", "25.2 million" and "1.60x" are such texts; words may follow.
    """
    shown, exact = read_number(text.strip()), Decimal(repr(value))
    error = abs(shown.value - exact)
    if error > shown.step / 2 or error > abs(exact) * LARGEST_RELATIVE_ERROR:
        raise NumberError(f"'{text}' is not what the record holds: {format_number(value)}")
