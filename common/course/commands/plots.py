"""Draw the figures of kept records and counts: SVG and PNG, wide and narrow, light and dark.

Beside each figure lie its values and its words, as JSON and Markdown. With --overlay a record of
yours, as ./course bench --json writes it, is drawn above those that are kept. It needs no GPU.
"""

from pathlib import Path

from course import environment
from course.errors import WRONG_USE, AlreadySaid, CourseError
from course.places import Places, make_build_folder
from course.processes import Failed, watched
from course.terminal import say, shown
from evidence import EvidenceError, ladder_settings, plotted

NAME = "plots"
HELP = "draw the figures of kept records and counts, and of a record of yours"


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("ladder", nargs="?", metavar="LADDER", help="only this ladder")
    parser.add_argument("--out", metavar="FOLDER", help="where to (default: plots in the build)")
    parser.add_argument("--overlay", metavar="FILE", help="a record of yours to draw above")
    parser.add_argument(
        "--look",
        metavar="LOOK",
        action="append",
        help="only this look: wide-light, wide-dark, phone-light, phone-dark",
    )
    parser.add_argument("--png", metavar="LOOK", action="append", help="PNG only in this look")


def run(options, places: Places) -> int:
    """Run the command: 0 drawn, 2 what is asked for cannot be drawn."""
    overlay = Path(options.overlay).expanduser().absolute() if options.overlay else None
    ladders = _ladders(places.repo, options.ladder, overlay)
    make_build_folder(places)
    out = Path(options.out).expanduser().absolute() if options.out else places.build / "plots"
    if out.exists() and not out.is_dir():
        raise CourseError(f"{shown(out)} is no folder; name another with --out", WRONG_USE)
    environment.ensure(places, [environment.COMPILER, environment.SITE], options.verbose)
    say(f"Drawing the figures of {', '.join(ladders)} into {shown(out)}.")
    command = [environment.python(places), "-B", "-m", "plots", *ladders]
    command += ["--repo", places.repo, "--out", out]
    command += ["--overlay", overlay] if overlay else []
    for name in ("look", "png"):
        command += [part for look in getattr(options, name) or () for part in (f"--{name}", look)]
    tools = environment.tool_environment(
        places,
        PYTHONPATH=f"{places.repo}:{places.repo / 'common'}",
        MPLCONFIGDIR=str(places.build / "matplotlib"),
    )
    try:
        log = places.logs / "plots.log"
        output = watched(command, "plots", log, options.verbose, env=tools)
    except Failed as failed:
        say(failed.output.strip())
        raise AlreadySaid(failed.code) from None
    for line in output.splitlines():
        if " is left out: " in line:
            say(f"note: {line}")
    print(f"The figures are in {shown(out)}, a folder for each ladder and record.")
    return 0


def _ladders(repo: Path, ladder: str | None, overlay: Path | None) -> list[str]:
    """Return the ladders to draw. Raises CourseError for what cannot be drawn, before all else."""
    try:
        if overlay is not None:
            ladder = plotted.overlay(repo, overlay, ladder).ladder
        if ladder is not None:
            plotted.kept(repo, ladder)
            return [ladder]
        found = [name for name in ladder_settings.ladders(repo) if plotted.has_kept(repo, name)]
        if not found:
            raise EvidenceError("no record is kept; ./course bench LADDER --save NAME makes one")
        return found
    except EvidenceError as error:
        raise CourseError(str(error), WRONG_USE) from None
