"""Draw the figures of ladders into a folder: python -m plots --repo DIR --out DIR [LADDER ...].

It ends with 0, with 2 and one sentence if it cannot draw what it is given, or with 77 if matplotlib
is not there.
"""

import argparse
import sys
from pathlib import Path

from evidence import EvidenceError, plotted
from evidence.plotted import Plotted

WRONG_USE = 2
CANNOT_RUN_HERE = 77


def main(arguments: list[str]) -> int:
    """Draw what the arguments say; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        above = None
        if options.overlay:
            above = plotted.overlay(options.repo, options.overlay)
        pairs = _pairs(options.repo, options.ladders, above)
    except EvidenceError as error:
        return _refuse(str(error))
    try:
        from plots import files, registry
        from plots.series import NothingToDrawError, Series
    except ImportError as error:
        return _refuse(f"cannot draw: {error}; ./course plots installs it", CANNOT_RUN_HERE)
    try:
        for below, over in pairs:
            series = [Series(below), *([Series(over, is_overlay=True)] if over else [])]
            folder = options.out / below.ladder / _folder_name(below, over)
            for figure in registry.all_figures():
                try:
                    files.write(figure, series, folder)
                    print(folder / figure.name, flush=True)
                except NothingToDrawError as nothing:
                    print(f"{figure.name} of {below.label} is left out: {nothing}", file=sys.stderr)
    except OSError as error:
        return _refuse(f"cannot write {error.filename or options.out}: {error.strerror or error}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="plots", description=__doc__, allow_abbrev=False)
    parser.add_argument("ladders", nargs="*", metavar="LADDER")
    parser.add_argument("--repo", type=Path, required=True, help="the course")
    parser.add_argument("--out", type=Path, required=True, help="where figures are written")
    parser.add_argument("--overlay", type=Path, help="a record that is drawn above the kept ones")
    return parser


def _pairs(
    repo: Path, ladders: list[str], above: Plotted | None
) -> list[tuple[Plotted, Plotted | None]]:
    """Return the records to draw, each with the one that is drawn above it."""
    pairs = []
    for ladder in ladders:
        for below in plotted.kept(repo, ladder):
            if above is not None:
                if above.ladder != ladder:
                    raise EvidenceError(f"{above.label} is of {above.ladder}, not of {ladder}")
                if above.record["sha256"] == below.record["sha256"]:
                    continue  # a record over itself shows nothing
                plotted.require_same_shape(below, above)
            pairs.append((below, above))
    if not pairs:
        raise EvidenceError("there is nothing to draw: no ladder is named that has a record")
    return pairs


def _folder_name(below: Plotted, above: Plotted | None) -> str:
    if above is None:
        return below.label
    own = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in above.label)
    return f"{below.label}-with-{own}"


def _refuse(sentence: str, code: int = WRONG_USE) -> int:
    print(f"plots: {sentence}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
