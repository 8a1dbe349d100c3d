"""Finds the figures: every module of ``plots.figures`` is one.

A figure has ``ORDER``, its place in a list; ``story(series)``, what it states; and
``draw(look, story, series)``. ``series`` is the kept record, and the reader's own if there is one.
Its name is the module's, with ``-`` for ``_``.
"""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure as Sheet

from plots import figures
from plots.series import Series
from plots.story import Story
from plots.style import Look


@dataclass(frozen=True)
class Figure:
    """A figure that can be drawn of any record."""

    name: str
    order: int
    story: Callable[[Sequence[Series]], Story]
    draw: Callable[[Look, Story, Sequence[Series]], Sheet]


def all_figures() -> list[Figure]:
    """Return every figure, in order."""
    found = []
    for module in pkgutil.iter_modules(figures.__path__):
        code = importlib.import_module(f"{figures.__name__}.{module.name}")
        found.append(Figure(module.name.replace("_", "-"), code.ORDER, code.story, code.draw))
    return sorted(found, key=lambda figure: figure.order)
