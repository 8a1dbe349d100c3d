"""Finds the figures: every module of ``plots.figures`` is one.

A figure has ``ORDER``, its place in a list; ``story(subjects)``, what it states; and
``draw(look, story, subjects)``. Its name is the module's, with ``-`` for ``_``.

``OF`` says what it is drawn of, ``"record"`` if it is left out:

- ``"record"``  a record at the ladder's own shape, and the reader's own if there is one: ``Series``
- ``"sizes"``   a size sweep: ``Sweep``
- ``"counts"``  the ladder's counts, which need no GPU: ``Counted``

``LADDERS`` names the only ladders that it is of; without it a figure is of all.
"""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure as Sheet

from plots import figures
from plots.story import Story
from plots.style import Look
from plots.subjects import Subject

KINDS = ("record", "sizes", "counts")


@dataclass(frozen=True)
class Figure:
    """A figure that can be drawn of any subject of its kind."""

    name: str
    order: int
    of: str  # one of KINDS
    ladders: tuple[str, ...] | None  # None: of every ladder
    story: Callable[[Sequence[Subject]], Story]
    draw: Callable[[Look, Story, Sequence[Subject]], Sheet]

    def is_of(self, ladder: str) -> bool:
        """Return whether this figure is drawn of a ladder."""
        return self.ladders is None or ladder in self.ladders


def all_figures() -> list[Figure]:
    """Return every figure, in order."""
    found = []
    for module in pkgutil.iter_modules(figures.__path__):
        code = importlib.import_module(f"{figures.__name__}.{module.name}")
        name, of = module.name.replace("_", "-"), getattr(code, "OF", KINDS[0])
        if of not in KINDS:
            raise ValueError(f"the figure {name} is of {of!r}; it must be of {', '.join(KINDS)}")
        ladders = getattr(code, "LADDERS", None)
        found.append(Figure(name, code.ORDER, of, ladders, code.story, code.draw))
    return sorted(found, key=lambda figure: (figure.order, figure.name))
