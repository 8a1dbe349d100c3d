"""List the rungs of every ladder, from the counts records alone: no build, no GPU."""

from course.errors import WRONG_USE, CourseError
from course.places import Places
from course.tables import list_table
from course.terminal import say
from evidence import ladder_settings, records
from evidence.json_file import json_text

NAME = "list"
HELP = "list the rungs, from the counts records alone"


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("ladder", nargs="?", metavar="LADDER", help="only this ladder")
    parser.add_argument("--json", action="store_true", help="as JSON on stdout")
    parser.add_argument(
        "--no-build", action="store_true", help="changes nothing: list never builds"
    )


def run(options, places: Places) -> int:
    """Run the command."""
    known = ladder_settings.ladders(places.repo)
    if options.ladder and options.ladder not in known:
        raise CourseError(
            f"there is no ladder {options.ladder!r}; there is {', '.join(known)}", WRONG_USE
        )
    shown = []
    for ladder in [options.ladder] if options.ladder else known:
        path = records.counts_path(places.repo, ladder)
        if not path.is_file():
            say(f"{ladder} has not been counted; ./course counts {ladder} --save does it.")
            continue
        record = records.load_counts(path)
        for sentence in records.stale(places.repo, record):
            say(f"note: {sentence}; ./course counts {ladder} --save counts the ladder anew")
        shown.append(record)
    if options.json:
        rungs = [_entry(rung) for record in shown for rung in record["rungs"]]
        print(json_text(rungs), end="")
    else:
        tables = [
            f"{record['ladder']}\n\n"
            + list_table(record, ladder_settings.load(places.repo, record["ladder"]))
            for record in shown
        ]
        print("\n".join(tables), end="")
    return 0


def _entry(rung: dict) -> dict:
    """Return what ``--json`` says of a rung: the record's entry without the counts by kernel."""
    counts = {
        kind: {name: value for name, value in found.items() if name != "kernels"}
        for kind, found in rung["counts"].items()
    }
    return {**rung, "counts": counts}
