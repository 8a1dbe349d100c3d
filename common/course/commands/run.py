"""Build a ladder, run every rung with its check, and print the ladder's table.

Without a GPU the rungs run on the CPU device, which counts exactly and never times.
"""

from pathlib import Path

from course import ladder
from course.driver import why_no_gpu
from course.errors import CANNOT_RUN_HERE, CourseError
from course.output import deliver, require_writable
from course.places import Places
from course.tables import run_table
from course.terminal import say, shown
from evidence import EvidenceError, ladder_settings, lessons, records
from evidence.ladder_settings import LadderColumn, LadderSettings
from evidence.table import wrapped

NAME = "run"
HELP = "build a ladder, check every rung, print its table"


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "what",
        nargs="?",
        default=ladder.DEFAULT,
        metavar="LADDER[/RUNG]",
        help="a ladder, or a rung and the one before it (default: matmul); a rung's folder is "
        "its name too",
    )
    parser.add_argument("--json", metavar="FILE", help="write the run's document too (- is stdout)")
    parser.add_argument(
        "--shape",
        metavar="SIZES",
        help="the problem's sizes in the ladder's order, such as 1024,1024,1024",
    )
    parser.add_argument("--device", choices=("auto", "gpu", "cpu"), help="where to run it")
    ladder.add_options(parser)


def run(options, places: Places) -> int:
    """Run the command; the ladder program's own exit code is passed on."""
    name, rung = ladder.split_or_find(places.repo, options.what)
    ladder.require_shape(places.repo, name, options.shape)
    if options.json:
        require_writable(options.json)
    if options.device == "gpu":
        _require_driver()
    program = ladder.prepare(places, name, options)
    arguments = _arguments(options)
    if rung:
        arguments += _with_the_one_before(program, rung, options)
    say(f"Running {options.what}: each rung is checked first, then counted.")
    document, text, code = ladder.run_document(program, arguments, "running", options.verbose)
    if options.json:
        deliver(options.json, text)
    if options.json != "-":
        print(_report(places, document, rung), end="")
    return code


def _require_driver() -> None:
    """Raise CourseError if there is certainly no GPU, before anything is built."""
    reason = why_no_gpu()
    if reason:
        raise CourseError(
            f"--device gpu needs a GPU: {reason}; without --device the CPU device counts",
            CANNOT_RUN_HERE,
        )


def _arguments(options) -> list[str]:
    """Return the program's arguments that are ours passed on."""
    pairs = (
        ("--shape", options.shape),
        ("--device", options.device),
        ("--threads", options.threads),
    )
    return [f"{name}={value}" for name, value in pairs if value is not None]


def _with_the_one_before(program: Path, rung: str, options) -> list[str]:
    """Return the arguments for a rung and the one that it comes after."""
    found = ladder.describe(program, options.verbose)
    after = next((r["after"] for r in found["rungs"] if r["name"] == rung), None)
    return [f"--rung={name}" for name in (after, rung) if name]


def _report(places: Places, document: dict, rung: str | None) -> str:
    """Return the table and the lines below it: what failed, or else what the columns mean."""
    device, shape = document["device"], document["shape"]
    size = ", ".join(f"{name} = {value}" for name, value in shape.items())
    title = f"{document['ladder']}, {size}, on {device['name']} ({device['reason']})"
    settings = ladder_settings.load(places.repo, document["ladder"])
    below = _troubles(places, document)
    failed = next((r["name"] for r in document["rungs"] if _failed(r["check"])), None)
    if failed:
        source = lessons.rung(places.repo, document["ladder"], failed).source
        key = f"{document['ladder']}/{failed}"
        below += [f"Next: mend {source.relative_to(places.repo)}, then", f"  ./course run {key}"]
    else:
        below += _meaning(device["kind"], settings.shown(document["rungs"]), settings.models)
        below += _moved(places.repo, document, settings)
        below += _next(places.repo, document["ladder"], rung)
    table = run_table(_with_kept_counts(places.repo, document), settings)
    return "\n".join([title, "", table, *map(wrapped, below)]) + "\n"


def _with_kept_counts(repo: Path, document: dict) -> dict:
    """Return a document whose rungs that no PTX was counted of have the kept record's counts.

    A GPU counts no PTX. The record's counts are the rung's own where shape and source are the same.
    """
    try:
        record = records.load_counts(records.counts_path(repo, document["ladder"]))
    except EvidenceError:
        return document
    if record["shape"] != document["shape"]:
        return document
    kept = {(rung["name"], rung["source_hash"]): rung["counts"]["ptx"] for rung in record["rungs"]}
    rungs = []
    for rung in document["rungs"]:
        counts = rung.get("counts") or {}
        if document["device"]["kind"] == "gpu" and counts.get("ptx") is None:
            counts = {**counts, "ptx": kept.get((rung["name"], rung.get("source_hash")))}
        rungs.append({**rung, "counts": counts})
    return {**document, "rungs": rungs}


def _failed(check: dict) -> bool:
    """Return whether a check failed, and not for what this machine lacks."""
    return not check["passed"] and not check.get("cannot_run")


def _troubles(places: Places, document: dict) -> list[str]:
    """Return a sentence for each rung whose check did not pass, and for each missing count.

    Rungs that were not run because another one stopped the device share one.
    """
    found, stopped = [], {}
    for rung in document["rungs"]:
        check = rung["check"]
        if "stopped_by" in check:
            stopped.setdefault(check["stopped_by"], []).append(rung["name"])
        elif not check["passed"]:
            failed = next((s for s in check["shapes"] if not s["passed"]), {})
            reason = check.get("error") or failed.get("message") or "it gave no reason"
            at = ", ".join(f"{name} = {size}" for name, size in failed.get("shape", {}).items())
            found.append(f"{rung['name']}: {f'at {at}: ' if at else ''}{reason}")
    for by, names in stopped.items():
        program = shown(places.bin / f"{document['ladder']}-{names[0]}")
        device = document["device"]["kind"]
        found.append(
            f"not run, because the fault of {by} stopped the device: {', '.join(names)}. "
            f"To run one alone: {program} --device {device}"
        )
    missing = {rung.get("machine_code_missing") for rung in document["rungs"]} - {None}
    return [*found, *(f"SASS: {reason}" for reason in sorted(missing))]


def _meaning(kind: str, columns: list[LadderColumn], models: tuple[str, ...]) -> list[str]:
    """Return what the columns mean."""
    found = [f"{column.heading}: {column.meaning}" for column in columns if column.meaning]
    if models:
        found.append("expected factor: time before / time after, if time followed that count.")
    if kind == "cpu":
        return found
    return [
        *found,
        "PTX: on a GPU, from the counts record where shape and source are the record's; "
        "./course run --device cpu counts again. ./course bench measures times.",
    ]


def _moved(repo: Path, document: dict, settings: LadderSettings) -> list[str]:
    """Return a line for each count of the table, in PTX, that is not that of the kept record."""
    try:
        record = records.load_counts(records.counts_path(repo, document["ladder"]))
    except EvidenceError:
        return []
    if record["shape"] != document["shape"]:
        return []
    kept = {rung["name"]: rung for rung in record["rungs"]}
    lines = []
    for rung in document["rungs"]:
        for column in settings.columns:
            if not column.model and "ptx" not in column.kinds:
                continue
            now, old = (column.value(one, "ptx") for one in (rung, kept.get(rung["name"], {})))
            if now is not None and old is not None and now != old:
                words = column.quantity.replace("_", " ").replace("multiply add", "multiply-add")
                moved = f"{_exact(old)} -> {_exact(now)}"
                lines.append(f"moved: {rung['name']}, {words or column.heading}: {moved}")
    return lines


def _exact(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"


def _next(repo: Path, name: str, rung: str | None) -> list[str]:
    """Return what to do next; a command stands on a line of its own, to be copied."""
    every = lessons.rungs(repo, name)
    subject = next((r for r in every if r.name == rung), None)
    subject = subject or next((r for r in every if r.order == 3), every[-1])
    source = subject.source.relative_to(repo)
    if rung:
        return [f"Next: change a line of {source} and run this again."]
    return [f"Next: change a line of {source}, then", f"  ./course run {subject.key}"]
