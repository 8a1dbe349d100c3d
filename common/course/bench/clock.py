"""How long the rounds still take."""

import time

from course.bench.plan import Instrument

_OVERHEAD_S = 0.02  # of one request: what is allocated, captured, enabled and read
_LAUNCH_US = 5.0
_UNKNOWN_US = 100.0  # a variant that the pilot pass could not time


class Clock:
    """Tells what is left from what has been done, by the pilot pass's times."""

    def __init__(self, rows, instruments: list[Instrument], rounds: int, costs: dict[str, float]):
        """``costs`` are microseconds of one operation by the name that a worker knows."""
        self._costs = costs
        one = sum(self._cost(row, instrument) for row in rows for instrument in instruments)
        self._rest = one * rounds
        self._spent = 0.0
        self._start = time.monotonic()

    def done(self, row, instrument: Instrument) -> None:
        """Count one request as done."""
        cost = self._cost(row, instrument)
        self._rest -= cost
        self._spent += cost

    def left_text(self) -> str:
        """Return the time left in words."""
        rate = (time.monotonic() - self._start) / self._spent if self._spent else 1.0
        left = max(0.0, self._rest * rate)
        return f"about {left:.0f} s left" if left < 100 else f"about {left / 60:.0f} min left"

    def _cost(self, row, instrument: Instrument) -> float:
        """Return the seconds that one request takes, about."""
        operation = self._costs.get(row.asked, _UNKNOWN_US) + _LAUNCH_US
        return _OVERHEAD_S + instrument.operations * operation * 1e-6
