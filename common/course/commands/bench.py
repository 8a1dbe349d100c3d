"""Measure a ladder on this machine's GPU, with its peers and floors in the same run.

Every rung is checked, timed by several instruments in rounds whose order rotates, and checked
again. The fastest and the slowest rung are entered twice, which shows the noise. --save NAME keeps
the record in docs/evidence/NAME; it is never overwritten.
"""

import os
import re
from pathlib import Path

from course import ladder
from course.bench import conductor, counters, plan, python
from course.bench.draft import draft
from course.bench.report import report
from course.bench.worker import Worker, workers
from course.driver import why_no_gpu
from course.errors import CHECK_FAILED, WRONG_USE, CourseError
from course.output import deliver, require_writable
from course.places import Places
from course.signals import deferred
from course.terminal import Progress, say, shown
from evidence import EvidenceError, ladder_settings, lessons, measured, records, source_hash
from evidence.json_file import json_text, write_whole
from evidence.ladder_settings import LadderSettings

NAME = "bench"
HELP = "measure a ladder on this machine's GPU, and keep the record"

_SHOWN = 12  # troubles


def add_arguments(parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("ladder", nargs="?", default=ladder.DEFAULT, metavar="LADDER")
    what = parser.add_argument_group("what is measured")
    what.add_argument("--only", action="append", default=[], metavar="NAME",
                      help="this rung, peer or floor alone; may be given again")  # fmt: skip
    what.add_argument("--no-peers", action="store_true", help="without libraries")
    what.add_argument("--sizes", metavar="512,1024",
                      help="numbered rungs and FP32 peers at each size, for all sizes")  # fmt: skip
    what.add_argument("--cold", action="store_true", help="kernel and span with a cold cache too")
    what.add_argument("--counters", action="store_true",
                      help="read hardware counters with Nsight Compute afterwards")  # fmt: skip
    what.add_argument("--rounds", default=str(plan.ROUNDS), metavar="N",
                      help=f"rounds (default: {plan.ROUNDS})")  # fmt: skip
    what.add_argument("--samples", default=str(plan.SAMPLES), metavar="N",
                      help=f"samples of a round (default: {plan.SAMPLES})")  # fmt: skip
    what.add_argument("--python", metavar="PATH",
                      help="the Python that has torch and triton (default: the first python3 on "
                      "PATH that can import torch)")  # fmt: skip
    keep = parser.add_argument_group("what is kept")
    keep.add_argument("--save", metavar="NAME", help="keep the record in docs/evidence/NAME")
    keep.add_argument("--json", metavar="FILE", help="write the record to a file (- is stdout)")
    ladder.add_build_options(parser)


def run(options, places: Places) -> int:
    """Run the command: 0 measured, 1 a check failed or the record is refused, 77 no GPU."""
    name, rung = ladder.split(places.repo, options.ladder)
    if rung:
        raise CourseError(f"bench measures a ladder; for one rung add --only {rung}", WRONG_USE)
    settings = ladder_settings.load(places.repo, name)
    request = _request(options, name, settings)
    if request.sizes is not None:
        plan.require_sizes(settings, name)
    if options.counters:
        counters.wanted(list(settings.counters))
    keep = options.save is not None
    target = _target(places.repo, request, options.save) if keep else None
    if options.json:
        require_writable(options.json)
    asked = None if options.python is None else python.find(options.python)
    if not options.no_build:
        _require_driver(places.repo, request)
    interpreter = (asked or python.find(None)) if request.peers else None
    program = ladder.prepare(places, name, options)
    described = ladder.describe(program, options.verbose)
    if target:
        _require_current(places.repo, name, described)
        if options.counters:
            counters.require_programs(places, name, described)
    outcome = _measure(places, request, settings, (program, interpreter), described, options)
    if options.counters:
        counters.read(
            places, name, list(settings.counters), outcome.shapes[0].rows, options.verbose
        )
    return _end(places, request, settings, described, outcome, target, options)


def _request(options, name: str, settings: LadderSettings) -> plan.Request:
    """Return what was asked for. Raises CourseError for a value that is none."""
    numbers = {}
    for option in ("rounds", "samples"):
        text = getattr(options, option)
        if not (re.fullmatch("[0-9]{1,9}", text) and 1 <= int(text) <= 10000):
            raise CourseError(f"--{option} {text!r} is not a number from 1 to 10000", WRONG_USE)
        numbers[option] = int(text)
    sizes = plan.sizes(options.sizes)
    for option in ("cold", "counters"):
        if sizes and getattr(options, option):
            raise CourseError(
                f"--sizes takes kernel and graph times with a warm cache, no --{option}", WRONG_USE
            )
    return plan.Request(
        ladder=name,
        only=options.only,
        rounds=numbers["rounds"],
        samples=numbers["samples"],
        cold=options.cold,
        peers=not options.no_peers,
        sizes=sizes,
        buffers=settings.buffers,
        batches=settings.batches,
        accuracy=() if sizes else settings.accuracy,
    )


def _target(repo: Path, request: plan.Request, namespace: str) -> Path:
    """Return where the record is to be kept. Raises CourseError if it could not be, whatever comes.

    That is: a name that is none, a record that is there, a subset, a setting that bends results.
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", namespace) or namespace in (
        *("counts", "published", "schema"),
    ):
        raise CourseError(f"--save {namespace!r} is no name for a run, such as h200-1", WRONG_USE)
    path = measured.path_of(repo, namespace, request.ladder, request.sizes is not None)
    _require_free(path)
    if request.is_subset:
        raise CourseError(
            f"--save keeps whole records: {plan.ROUNDS} rounds of {plan.SAMPLES} samples or more, "
            "with peers and without --only; --json FILE writes any",
            WRONG_USE,
        )
    _require_unbent(os.environ)
    return path


def _require_free(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise CourseError(
            f"{shown(path)} is there and is never overwritten; take another name", WRONG_USE
        )


def _require_unbent(environment) -> None:
    """Raise CourseError if a variable is set that bends arithmetic or the order of launches."""
    for name in measured.BENDING:
        if name in environment:
            raise CourseError(
                f"{name} is {environment[name]!r}; a record that is kept is measured without it",
                WRONG_USE,
            )


def _require_driver(repo: Path, request: plan.Request) -> None:
    """Raise CourseError if there is certainly no GPU, before anything is built.

    A name that is no rung, nor any row of a kept record of the ladder, is wrong use all the same.
    Peers and floors are known to the program alone; without a record of them a name may be one.
    """
    reason = why_no_gpu()
    if reason:
        recorded = _recorded(repo, request.ladder)
        if recorded:
            plan.names(repo, request.ladder, request.only, [{"name": name} for name in recorded])
        raise conductor.no_gpu(reason)


def _recorded(repo: Path, name: str) -> list[str]:
    """Return the rungs of a ladder and the peers and floors of its records; nothing without one."""
    found: dict[str, None] = {}
    for path in measured.paths(repo, name):
        try:
            record = records.load_record(path)
        except EvidenceError:
            continue
        rows = [row for entry in record["shapes"] for row in entry["rows"]]
        found |= dict.fromkeys(r["name"] for r in rows if r["kind"] in (plan.PEER, plan.FLOOR))
    return [*(rung.name for rung in lessons.rungs(repo, name)), *found] if found else []


def _require_current(repo: Path, name: str, described: dict) -> None:
    """Raise CourseError if a rung was built from another source than the one that is there."""
    built = {rung["name"]: rung.get("source_hash") for rung in described["rungs"]}
    for rung in lessons.rungs(repo, name):
        if built.get(rung.name) != source_hash.rung_hash(repo, name, rung.name):
            raise CourseError(
                f"{rung.key} was built from another source than the one that is there; build again"
            )


def _require_current_floors(repo: Path, hello: dict) -> None:
    """Raise CourseError if a floor was built from another source than the one that is there."""
    for variant in hello["variants"]:
        if variant["kind"] == plan.FLOOR and variant.get("source_hash") != source_hash.row_hash(
            repo, hello["ladder"], variant["name"], plan.FLOOR
        ):
            raise CourseError(
                f"{variant['name']} was built from another source than the one that is there; "
                "build again"
            )


def _measure(places, request, settings, programs, described, options) -> conductor.Outcome:
    """Start the workers and let the conductor measure with them."""
    program, interpreter = programs
    with workers() as started, Progress("bench") as progress:

        def start(name: str, command: list, environment: dict | None) -> Worker:
            with deferred():
                started.append(Worker(name, command, environment, options.verbose))
            return started[-1]

        own = start(program.name, [program, "--worker"], None)
        progress.update("starting")
        hello = [conductor.greet(own, progress.update)]
        _require_asked_right(places.repo, request, settings, hello[0])
        _require_sizes(own, request, hello[0], len(described["shape"]), progress)
        conductor.require_gpu(hello[0])
        _require_kept_well(hello[0], options.save)
        if options.save is not None:
            _require_current_floors(places.repo, hello[0])
        variants = [(variant, own) for variant in hello[0]["variants"]]
        other = None
        known = {variant["name"] for variant, _ in variants}
        if _wants_python(places.repo, request, known):
            if interpreter:
                progress.say(f"Python peers run in {shown(Path(interpreter))}.")
                command = python.command(places, interpreter, request.ladder)
                other = start("the Python peers", command, python.environment(places))
                hello.append(conductor.greet(other, progress.update))
                _require_kept_well(hello[1], options.save)
                measured.one_machine([one["machine"] for one in hello if one.get("machine")])
                variants += [(variant, other) for variant in hello[1]["variants"]]
            else:
                variants += [(gap, None) for gap in _gaps(settings, known)]
        rows = _rows(places.repo, request, settings, variants)
        shapes = plan.shapes(settings, places.repo, request, list(described["shape"]))
        progress.say(
            f"Measuring {request.ladder} on {hello[0]['machine']['name']}: {len(rows)} variants, "
            f"{plan.rounds_text(request.rounds)} of {request.samples} samples."
        )
        found = conductor.Conductor(request, rows, hello, progress)
        return found.measure(own, other, shapes or [described["shape"]])


def _require_asked_right(repo: Path, request: plan.Request, settings, hello: dict) -> None:
    """Without a GPU, raise CourseError for a name that no GPU would help to find."""
    if hello["device"]["kind"] != "gpu":
        known = {variant["name"] for variant in hello["variants"]}
        there = [*hello["variants"], *_gaps(settings, known)]
        plan.names(repo, request.ladder, request.only, there)


def _require_sizes(own: Worker, request: plan.Request, hello: dict, count: int, progress) -> None:
    """Raise CourseError if no rung takes one of the sizes of --sizes."""
    rungs = {v["name"] for v in hello["variants"] if v["kind"] not in (plan.PEER, plan.FLOOR)}
    for size in request.sizes or ():
        asked = {"do": "open", "shape": [size] * count, "cold": False}
        refused = own.ask(asked, progress.update).get("refused", {})
        if rungs and rungs <= refused.keys():
            reason = refused[min(rungs)].rstrip(".")
            raise CourseError(f"--sizes: no rung takes {size}; {reason}", WRONG_USE)


def _require_kept_well(hello: dict, save: str | None) -> None:
    """With --save, raise CourseError as soon as a worker shows that nothing could be kept."""
    if save is None:
        return
    if hello.get("build", "Release") != "Release":
        raise CourseError(
            f"the build is {hello['build']}; a record that is kept needs a Release build", WRONG_USE
        )
    _require_unbent(hello.get("environment") or {})


def _wants_python(repo: Path, request: plan.Request, known: set[str]) -> bool:
    """Return whether the Python peers are asked for."""
    if not request.only:
        return request.peers
    rungs = lessons.rungs(repo, request.ladder)
    known = known | {rung.folder.name for rung in rungs}
    return any(name.removeprefix(f"{request.ladder}/") not in known for name in request.only)


def _gaps(settings: LadderSettings, known: set[str]) -> list[dict]:
    """Return the peers that no worker offers, as variants that are missing."""
    return [
        {"name": name, "kind": plan.PEER, "math": "fp32", "missing": python.NOT_FOUND}
        for name in settings.best_peer or ()
        if name not in known
    ]


def _rows(repo: Path, request: plan.Request, settings, variants: list) -> list[conductor.Row]:
    """Return a row for each variant that was asked for."""
    described = [variant for variant, _ in variants]
    chosen = plan.names(repo, request.ladder, request.only, described)
    return [
        conductor.Row(variant, worker, missing=variant.get("missing") or None)
        for variant, worker in variants
        if plan.wanted(request, chosen, settings, variant)
    ]


def _end(places, request, settings, described, outcome, target, options) -> int:
    """Print the tables, and keep the record where it may be kept."""
    counts = _counts(places.repo, request.ladder)
    collected = draft(request, described, counts, outcome)
    if options.json != "-":
        print(report(collected, counts, settings), end="", flush=True)
    for trouble in outcome.troubles[:_SHOWN]:
        say(f"course: {trouble}")
    if len(outcome.troubles) > _SHOWN:
        say(f"... and {len(outcome.troubles) - _SHOWN} more")
    if outcome.troubles and (target or options.json):
        raise CourseError("the run is not good, so nothing is written")
    if outcome.troubles:
        return CHECK_FAILED
    record = measured.finish(collected)
    if target:
        measured.require_keepable(places.repo, record, "the record")
    if options.json:
        deliver(options.json, json_text(record))
    if target:
        _keep(target, json_text(record))
        say(f"Kept as {shown(target)}.")
    return 0


def _counts(repo: Path, name: str) -> dict | None:
    """Return the ladder's counts record; None if it was not counted."""
    try:
        return records.load_counts(records.counts_path(repo, name))
    except EvidenceError:
        return None


def _keep(path: Path, text: str) -> None:
    """Write a record that is not there yet. Raises CourseError if it is, or cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _require_free(path)
        write_whole(path, text)
    except OSError as error:
        raise CourseError(
            f"cannot write {shown(path)}: {error.strerror}; nothing was kept"
        ) from None
