"""Count a ladder again and compare with what is kept; with --save, keep it.

The record, docs/evidence/counts/LADDER.json, is what the site, list and the tests read. Counts of
machine code belong to one compiler: under another one, nothing is compared.
"""

from pathlib import Path

from course import ladder
from course.errors import CANNOT_RUN_HERE, CHECK_FAILED, CourseError
from course.places import Places
from course.terminal import say, shown
from evidence import records
from evidence.json_file import json_text, write_whole

NAME = "counts"
HELP = "count a ladder again; compare with the record, or save it"

_SHOWN = 12  # differences


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("ladder", nargs="?", default=ladder.DEFAULT, metavar="LADDER")
    parser.add_argument("--save", action="store_true", help="write the record")
    ladder.add_options(parser)


def run(options, places: Places) -> int:
    """Run the command: 0 saved or equal, 1 different, 77 counted with another compiler."""
    name, _ = ladder.split(places.repo, options.ladder)
    program = ladder.prepare(places, name, options)
    say(f"Counting every rung of {name} on the CPU device.")
    arguments = ["--device=cpu"]
    if options.threads is not None:
        arguments.append(f"--threads={options.threads}")
    document, _, code = ladder.run_document(program, arguments, "counting", options.verbose)
    if code:
        failed = [rung["name"] for rung in document["rungs"] if not rung["check"]["passed"]]
        raise CourseError(f"the check of {', '.join(failed)} failed; nothing is counted", code)
    record = records.counts_record(places.repo, document)
    path = records.counts_path(places.repo, name)
    if options.save:
        return _save(path, record)
    return _compare(path, record)


def _save(path: Path, record: dict) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        write_whole(path, json_text(record))
    except OSError as error:
        raise CourseError(f"cannot write {path}: {error.strerror}; nothing was kept") from None
    print(f"Wrote {shown(path)}: {len(record['rungs'])} rungs.")
    return 0


def _compare(path: Path, record: dict) -> int:
    kept = records.load_counts(path)
    if kept["compiler"] != record["compiler"]:
        was, now = kept["compiler"]["nvcc"], record["compiler"]["nvcc"]
        raise CourseError(
            f"the record was counted with nvcc {was}, this build is of {now} or has other flags; "
            "nothing can be compared",
            CANNOT_RUN_HERE,
        )
    found = records.differences(kept, record)
    if not found and json_text(kept) == path.read_text(encoding="utf-8"):
        print(f"Every count is that of {path.name}: {len(record['rungs'])} rungs.")
        return 0
    for line in found[:_SHOWN]:
        print(line)
    if len(found) > _SHOWN:
        print(f"... and {len(found) - _SHOWN} more")
    say(f"course: {len(found)} values are not those of {shown(path)}; --save keeps the new ones")
    return CHECK_FAILED
