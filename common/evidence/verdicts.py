"""When a prediction holds, and when a difference is a gain: the one implementation.

A factor is time before / time after: above 1 is faster. Its noise is the largest of three relative
differences, all of one run: the fastest or slowest variant against itself (entered twice), and the
range of the round means on either side. A factor stands for the interval of plus and minus its
noise, in the logarithm.
"""

import math
from dataclasses import dataclass

TOLERANCE = math.log(1.10)  # a prediction within 10 % is confirmed
_ROUNDING = 1e-12  # so that exactly 10 % does not depend on the last bit


@dataclass(frozen=True)
class Interval:
    """A value with what it may also be. For a time: the lowest and highest mean of a round."""

    low: float
    value: float
    high: float

    def __post_init__(self):
        """Refuse what is no positive, finite interval. Raises ValueError."""
        numbers = (self.low, self.value, self.high)
        if not all(math.isfinite(n) and n > 0 for n in numbers) or self.low > self.high:
            raise ValueError(f"{numbers} is no interval of positive finite numbers")

    @property
    def spread(self) -> float:
        """How far its ends are apart: the logarithm of their ratio."""
        return math.log(self.high / self.low)


def ratio_interval(before: Interval, after: Interval, same_difference: float) -> Interval:
    """Return the factor before / after with its interval.

    ``same_difference`` is by how much a variant entered twice differed from itself in this run: the
    ratio of its two times, above or below 1. Raises ValueError if it is not positive and finite.
    """
    if not (math.isfinite(same_difference) and same_difference > 0):
        raise ValueError(f"{same_difference} is no ratio of two times")
    noise = max(abs(math.log(same_difference)), before.spread, after.spread)
    factor = before.value / after.value
    return Interval(factor * math.exp(-noise), factor, factor * math.exp(noise))


def verdict(f_low: float, f: float, f_high: float, expected: float) -> str:
    """Return what became of a prediction: "confirmed", "not resolved" or "refuted".

    confirmed: the factor is within 10 % of the expected one. not resolved: the interval holds both
    1 and the expected factor, while these differ by more than 10 %. Else refuted.

    Raises ValueError if a number is not positive and finite, or f_low is above f_high.
    """
    Interval(f_low, f, f_high)
    Interval(expected, expected, expected)
    if abs(math.log(f / expected)) <= TOLERANCE + _ROUNDING:
        return "confirmed"
    holds_both = f_low <= min(1.0, expected) and max(1.0, expected) <= f_high
    if holds_both and abs(math.log(expected)) > TOLERANCE + _ROUNDING:
        return "not resolved"
    return "refuted"


def gain(f_low: float, f_high: float) -> str:
    """Return whether a step gained: "faster", "slower" or, where 1 is inside, "not resolved"."""
    if f_low > 1:
        return "faster"
    return "slower" if f_high < 1 else "not resolved"
