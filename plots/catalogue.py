"""Which figures there are of a ladder, and what each is drawn of: for the site and the command."""

from pathlib import Path

from evidence import plotted
from evidence.errors import EvidenceError
from evidence.plotted import Plotted
from plots import registry
from plots.registry import Figure
from plots.series import NothingToDrawError, Series
from plots.subjects import Counted, Subject, Sweep


def figures_of(ladder: str) -> list[Figure]:
    """Return the figures that are drawn of a ladder, in order."""
    return [figure for figure in registry.all_figures() if figure.is_of(ladder)]


def figure(name: str) -> Figure:
    """Return the figure of this name. Raises EvidenceError, with the names there are, if none."""
    found = {one.name: one for one in registry.all_figures()}
    if name not in found:
        raise EvidenceError(f"there is no figure {name!r}; there is {', '.join(found)}")
    return found[name]


def subjects(repo: Path, figure: Figure, ladder: str, record: str | None = None) -> list[Subject]:
    """Return what a figure is drawn of, of what is kept: of the record named, or of the first.

    Raises EvidenceError if there is no such ladder or record, or the figure is of other ladders,
    and NothingToDrawError if nothing of its kind is kept.
    """
    if not figure.is_of(ladder):
        raise EvidenceError(
            f"the figure {figure.name} is of {' and '.join(figure.ladders)}, not of {ladder}"
        )
    if figure.of == "counts":
        counts = plotted.counted(repo, ladder)
        if counts is None:
            raise NothingToDrawError(f"no counts of {ladder} are kept")
        return made_of(figure.of, [counts])
    if figure.of == "sizes":
        found = plotted.sweeps(repo, ladder)
        if not found:
            raise NothingToDrawError(f"no size sweep of {ladder} is kept")
        return made_of(figure.of, [_named(found, record, f"size sweep of {ladder}")])
    return made_of(figure.of, [_named(plotted.kept(repo, ladder), record, f"record of {ladder}")])


def made_of(kind: str, sources: list[Plotted]) -> list[Subject]:
    """Return these sources as the subjects of a kind of figure; behind the first is an overlay."""
    if kind == "counts":
        return [Counted(one) for one in sources]
    if kind == "sizes":
        return [Sweep(one) for one in sources]
    return [Series(one, is_overlay=number > 0) for number, one in enumerate(sources)]


def _named(found: list[Plotted], label: str | None, what: str) -> Plotted:
    if label is None:
        return found[0]
    for one in found:
        if one.label == label:
            return one
    known = ", ".join(one.label for one in found)
    raise EvidenceError(f"there is no {what} called {label!r}; there is {known}")
