"""What a figure states, computed from the data that it draws: title, alt text, table of values."""

from collections.abc import Sequence
from dataclasses import dataclass

from evidence import times
from evidence.numbers import format_factor
from plots.series import Series
from plots.subjects import Subject

NOTHING = "-"
Value = str | float | int | None


@dataclass(frozen=True)
class Column:
    """A column of the table of values."""

    heading: str
    digits: int | None = None  # behind the point; None: words
    unit: str = ""

    def text(self, value: Value) -> str:
        """Return a value as the Markdown table has it."""
        if value is None:
            return NOTHING
        return f"{value:,.{self.digits}f}" if self.digits is not None else str(value)


@dataclass(frozen=True)
class Story:
    """A figure in words and values."""

    title: str
    subtitle: str
    alt: str
    columns: tuple[Column, ...]
    rows: list[list[Value]]
    notes: tuple[str, ...] = ()


def title(what: str, subjects: Sequence[Subject]) -> str:
    """Return a figure's title: the ladder, what is shown, and of which records."""
    return f"{subjects[0].ladder}: {what}, {' with '.join(one.label for one in subjects)}"


def measured_how(series: Sequence[Series], instruments: str) -> str:
    """Return the subtitle of times: shape, instrument, cache and number of samples."""
    record = series[0].record
    shape = times.shape_words(times.shapes(record)[0])
    return f"{shape}; {instruments}, warm cache, median of {samples(series)} samples"


def samples(series: Sequence[Series]) -> str:
    """Return how many samples a time is the median of; of records that differ, each one's."""
    protocols = [one.record["protocol"] for one in series]
    return " and ".join(dict.fromkeys(f"{p['rounds']} x {p['samples']}" for p in protocols))


def us(value: float) -> str:
    """Return a time with its unit."""
    return f"{value:,.2f} us"


def factor(value: float, gain: str = "") -> str:
    """Return a factor; one inside the noise is marked, as tables mark it."""
    return f"{'~' if gain == 'not resolved' else ''}{format_factor(value)}"


def listed(words: Sequence[str]) -> str:
    """Return words as one says them: ``a, b and c``."""
    words = list(words)
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def plural(count: int, word: str) -> str:
    """Return ``1 rung`` or ``2 rungs``."""
    return f"{count} {word}{'' if count == 1 else 's'}"
