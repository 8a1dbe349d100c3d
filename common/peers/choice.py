"""The best of several ways to launch the same, by CUDA events."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from peers import tools
from peers.variants import Refused

WARM_UP = 3
LAUNCHES = 20
ROUNDS = 3  # the best of these: what disturbs only makes slower


@dataclass(frozen=True)
class Choice:
    """What was chosen, and of how many that could be launched."""

    best: Any
    ran: int
    failed: int


def best_of(ways: Iterable[Any], launch: Callable[[Any], None]) -> Choice:
    """Return the fastest of ``ways``; ``launch(way)`` puts one operation into the current stream.

    A way that raises is left out. Raises Refused with the last reason if none is left.
    """
    times, why = {}, "there is nothing to choose from"
    failed = 0
    for way in ways:
        try:
            times[way] = _time(lambda way=way: launch(way))
        except Exception as error:  # a compiler's, a launch's: this way cannot be gone
            failed += 1
            why = tools.one_line(error)
    if not times:
        raise Refused(why)
    return Choice(min(times, key=times.get), len(times), failed)


def _time(launch: Callable[[], None]) -> float:
    """Return the milliseconds that LAUNCHES take, queued one behind the other."""
    cuda = tools.torch.module.cuda
    for _ in range(WARM_UP):
        launch()
    best = float("inf")
    for _ in range(ROUNDS):
        start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        start.record()
        for _ in range(LAUNCHES):
            launch()
        end.record()
        end.synchronize()
        best = min(best, start.elapsed_time(end))
    return best
