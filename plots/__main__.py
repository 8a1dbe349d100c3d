"""Draw the figures of ladders into a folder: python -m plots --repo DIR --out DIR [LADDER ...].

It ends with 0, with 2 and one sentence if it cannot draw what it is given, or with 77 if matplotlib
is not there.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from evidence import EvidenceError, plotted
from evidence.plotted import Plotted

WRONG_USE = 2
CANNOT_RUN_HERE = 77


def main(arguments: list[str]) -> int:
    """Draw what the arguments say; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        above = plotted.overlay(options.repo, options.overlay) if options.overlay else None
        jobs = [job for ladder in options.ladders for job in _jobs(options.repo, ladder, above)]
        if not jobs:
            raise EvidenceError("there is nothing to draw: no ladder is named that has a record")
    except EvidenceError as error:
        return _refuse(str(error))
    try:
        from plots import catalogue, files
        from plots.series import NothingToDrawError
        from plots.style import LOOKS
    except ImportError as error:
        return _refuse(f"cannot draw: {error}; ./course plots installs it", CANNOT_RUN_HERE)
    known = [look.name for look in LOOKS]
    for name in [*(options.look or ()), *(options.png or ())]:
        if name not in known:
            return _refuse(f"there is no look {name!r}; there is {', '.join(known)}")
    looks = [look for look in LOOKS if look.name in (options.look or known)]
    try:
        for job in jobs:
            subjects = catalogue.made_of(job.kind, job.sources)
            folder = options.out / job.sources[0].ladder / job.folder
            for figure in catalogue.figures_of(job.sources[0].ladder):
                if figure.of != job.kind:
                    continue
                try:
                    files.write(figure, subjects, folder, looks, options.png)
                    print(folder / figure.name, flush=True)
                except NothingToDrawError as nothing:
                    what = f"{figure.name} of {job.sources[0].label}"
                    print(f"{what} is left out: {nothing}", file=sys.stderr)
    except OSError as error:
        return _refuse(f"cannot write {error.filename or options.out}: {error.strerror or error}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="plots", description=__doc__, allow_abbrev=False)
    parser.add_argument("ladders", nargs="*", metavar="LADDER")
    parser.add_argument("--repo", type=Path, required=True, help="the course")
    parser.add_argument("--out", type=Path, required=True, help="where figures are written")
    parser.add_argument("--overlay", type=Path, help="a record that is drawn above the kept ones")
    parser.add_argument("--look", action="append", help="only in this look, such as wide-light")
    parser.add_argument("--png", action="append", metavar="LOOK", help="PNG only in this look")
    return parser


@dataclass(frozen=True)
class _Job:
    """A folder of figures: those of one kind, and what they are drawn of."""

    kind: str  # as ``plots.registry`` has them
    folder: str
    sources: list[Plotted]


def _jobs(repo: Path, ladder: str, above: Plotted | None) -> list[_Job]:
    """Return what is to be drawn of a ladder; with a record above, only that over the kept ones."""
    kept = plotted.kept(repo, ladder)
    if above is not None:
        return _overlaid(kept, ladder, above)
    jobs = [_Job("record", one.label, [one]) for one in kept]
    jobs += [_Job("sizes", f"{one.label}-sizes", [one]) for one in plotted.sweeps(repo, ladder)]
    counts = plotted.counted(repo, ladder)
    return [*jobs, _Job("counts", counts.label, [counts])] if counts else jobs


def _overlaid(kept: list[Plotted], ladder: str, above: Plotted) -> list[_Job]:
    jobs = []
    for below in kept:
        if above.ladder != ladder:
            raise EvidenceError(f"{above.label} is of {above.ladder}, not of {ladder}")
        if above.record["sha256"] == below.record["sha256"]:
            continue  # a record over itself shows nothing
        plotted.require_same_shape(below, above)
        own = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in above.label)
        jobs.append(_Job("record", f"{below.label}-with-{own}", [below, above]))
    return jobs


def _refuse(sentence: str, code: int = WRONG_USE) -> int:
    print(f"plots: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
