"""The conductor: asks the workers for one thing at a time, in the order of the protocol.

For each shape: open, check, a pilot pass that finds the fastest and the slowest rung (these are
entered a second time), load until the clocks have settled, the rounds, resources, check again. At
the end, at the first shape, the errors over the other inputs that the ladder names.
"""

import contextlib
import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from course.bench import plan
from course.bench.clock import Clock
from course.bench.plan import Instrument
from course.bench.worker import PROTOCOL, RequestRefused, Worker
from course.errors import CANNOT_RUN_HERE, CourseError
from evidence.ladder_settings import Inputs

_PILOT = Instrument("span", "warm", 1, 20)
_LOAD_SECONDS = 0.5


@dataclass
class Row:
    """One variant at one shape, and everything that the workers said of it."""

    variant: dict  # as its worker describes it
    worker: Worker | None
    again_of: str | None = None
    missing: str | None = None
    failed: bool = False  # a check of it failed
    note: str = ""
    check: dict[str, dict] = field(default_factory=dict)  # "before", "after"
    resources: dict | None = None
    answers: dict[Instrument, list[dict]] = field(default_factory=dict)  # one a round
    counters: dict | None = None

    @property
    def asked(self) -> str:
        """The name that the worker knows it by."""
        return self.variant["name"]

    @property
    def name(self) -> str:
        """The name that the record knows it by."""
        return f"{self.asked} (again)" if self.again_of else self.asked

    @property
    def is_rung(self) -> bool:
        """Whether it is a rung, and no peer or floor."""
        return self.variant["kind"] not in (plan.PEER, plan.FLOOR)


@dataclass
class AtShape:
    """What was measured at one shape."""

    shape: dict[str, int]
    opened: dict  # the program's answer to "open"
    rows: list[Row]


@dataclass
class Outcome:
    """Everything that was measured, before it is a record."""

    hello: list[dict]  # the program's, and the Python worker's where there is one
    instruments: list[Instrument]
    states: list[dict] = field(default_factory=list)
    shapes: list[AtShape] = field(default_factory=list)
    accuracy: list[dict] = field(default_factory=list)  # as the record holds it
    troubles: list[str] = field(default_factory=list)  # what keeps the run from being good


def greet(worker: Worker, tick) -> dict:
    """Return a worker's hello. Raises CourseError if it speaks another protocol."""
    hello = worker.ask({"do": "hello"}, tick)
    if hello.get("protocol") != PROTOCOL:
        raise CourseError(
            f"{worker.name} speaks {hello.get('protocol')!r}, this course {PROTOCOL}; build again"
        )
    return hello


def require_gpu(hello: dict) -> None:
    """Raise CourseError unless the program found a GPU."""
    device = hello["device"]
    if device["kind"] != "gpu":
        raise no_gpu(device.get("reason") or device["name"])


def no_gpu(reason: str) -> CourseError:
    """Return the error that says why bench cannot measure here."""
    return CourseError(
        f"bench measures and so needs a GPU: {reason}; ./course run counts without one",
        CANNOT_RUN_HERE,
    )


class Conductor:
    """Measures with a program and, where there is one, a Python worker."""

    def __init__(self, request: plan.Request, rows: list[Row], hello: list[dict], progress):
        """``rows`` are templates: every shape gets rows of its own of them."""
        self._request = request
        self._templates = rows
        self._progress = progress
        sweep = request.sizes is not None
        found = plan.instruments(request.samples, request.cold, sweep, request.batches)
        self.outcome = Outcome(hello, found)

    def measure(self, program: Worker, python: Worker | None, shapes: list[dict]) -> Outcome:
        """Measure every row at every shape."""
        self._program, self._python, self._several = program, python, len(shapes) > 1
        self._state("before")
        for number, shape in enumerate(shapes):
            at = "x".join(map(str, shape.values()))
            rows = [Row(row.variant, row.worker, missing=row.missing) for row in self._templates]
            with tempfile.TemporaryDirectory(prefix="rungs-bench-") as folder:
                opened = self._open(shape, rows, Path(folder))
                here = AtShape(shape, opened, rows)
                self.outcome.shapes.append(here)
                self._at_shape(here, at, Path(folder), small=number == 0)
                self._close()
        self._state("after")
        for inputs in self._request.accuracy:
            self._errors_over(inputs, shapes[0])
        return self.outcome

    def _at_shape(self, here: AtShape, at: str, folder: Path, small: bool) -> None:
        self._progress.say(f"Checking {len(_live(here.rows))} variants at {at}.")
        self._check(here, "before", folder, small)
        costs = self._pilot(here)
        self._enter_again(here.rows, costs)
        rounds, live = self._request.rounds, _live(here.rows)
        self._progress.say(f"Measuring {len(live)} variants at {at}: {plan.rounds_text(rounds)}.")
        self._ask(self._program, {"do": "load", "seconds": _LOAD_SECONDS}, "warming up")
        where = f" at {at}" if self._several else ""
        clock = Clock(live, self.outcome.instruments, rounds, costs)
        for number in range(rounds):
            self._round(live, number, clock)
            self._state(f"round {number + 1}{where}")
        for row in live:
            if row.again_of is None:
                row.resources = self._resources(row)
        self._progress.say("Checking again.")
        self._check(here, "after", folder, small=False)
        _share_with_again(here.rows)

    def _errors_over(self, inputs: Inputs, shape: dict) -> None:
        """Ask for the error of every rung and peer at a shape, over other inputs.

        The problem's tolerance is not meant for them: an answer that is wrong by it is no trouble.
        """
        self._progress.say(f"Errors over {inputs.name}.")
        rows = [Row(row.variant, row.worker, missing=row.missing) for row in self._templates]
        rows = [row for row in rows if row.variant["kind"] != plan.FLOOR]
        with tempfile.TemporaryDirectory(prefix="rungs-bench-") as folder:
            self._open(shape, rows, Path(folder), inputs.ranges)
            found = [{"name": row.name, **self._error_of(row, Path(folder))} for row in rows]
            self._close()
        entry = {"name": inputs.name, "shape": shape, "ranges": inputs.ranges, "rows": found}
        self.outcome.accuracy.append(entry)

    def _error_of(self, row: Row, folder: Path) -> dict:
        """Return a row's largest error at the open shape, or why there is none."""
        if row.missing is not None:
            return {"missing": row.missing}
        check = self._check_one(row, folder, small=False)
        if not check["shapes"]:
            return {"missing": check.get("error") or "it was not checked"}
        error = check["shapes"][-1].get("max_relative_error")
        if error is None:
            return {"missing": "its output is not finite"}
        return {"max_relative_error": error}

    def _close(self) -> None:
        for worker in filter(None, (self._program, self._python)):
            with contextlib.suppress(RequestRefused):  # the next "open" frees as well
                self._ask(worker, {"do": "close"}, "closing")

    def _open(self, shape: dict, rows: list[Row], folder: Path, ranges: dict | None = None) -> dict:
        """Open a shape in both workers, on the same inputs. Return the program's answer.

        ``ranges`` are of other inputs than the problem's own, over which nothing is timed.
        """
        request = {
            "do": "open",
            "shape": list(shape.values()),
            "cold": self._request.cold,
            "buffers": self._request.buffers,
        }
        if ranges is not None:
            request.update(cold=False, buffers=1, ranges=ranges)
        opened = self._ask(self._program, request, "making inputs and the reference")
        answers = [(self._program, opened)]
        if self._python:
            self._ask(self._program, {"do": "export", "folder": str(folder)}, "writing inputs")
            request = {**request, "folder": str(folder)}
            what = "Python peers read inputs and choose what to run"
            answers.append((self._python, self._ask(self._python, request, what)))
        for worker, answer in answers:
            for row in rows:
                if row.worker is worker and row.missing is None:
                    row.missing = answer.get("refused", {}).get(row.asked)
                    row.note = answer.get("prepared", {}).get(row.asked) or ""
        return opened

    def _check(self, here: AtShape, when: str, folder: Path, small: bool) -> None:
        """Check every row that is still there; one that fails is measured no further."""
        for row in _live(here.rows):
            if row.again_of is not None:
                continue
            check = self._check_one(row, folder, small)
            row.check[when] = check
            if not check["passed"]:
                row.failed = True
                failed = next((s for s in check["shapes"] if not s["passed"]), {})
                why = check.get("error") or failed.get("message") or "it gave no reason"
                row.missing = f"{plan.FAILED_CHECK}{when} timing failed: {why}"
                self.outcome.troubles.append(f"{row.name}: {row.missing}")

    def _check_one(self, row: Row, folder: Path, small: bool) -> dict:
        """Check a row at the open shape; ``small`` adds the small ones, where its worker has them.

        What a Python peer leaves is compared with the reference by the program.
        """
        what = f"check  {row.name}"
        try:
            if row.worker is self._program:
                ask = {"do": "check", "variant": row.asked, "small": small}
                return self._ask(self._program, ask, what)
            with tempfile.TemporaryDirectory(dir=folder) as out:  # never an older output
                ask = {"do": "output", "variant": row.asked, "folder": out}
                self._ask(row.worker, ask, what)
                return self._ask(self._program, {"do": "compare", "folder": out}, what)
        except RequestRefused as refused:
            return {"passed": False, "shapes": [], "error": str(refused)}

    def _pilot(self, here: AtShape) -> dict[str, float]:
        """Return about how many microseconds each row takes."""
        found = {}
        for row in _live(here.rows):
            try:
                answer = self._ask(row.worker, _PILOT.request(row.asked), f"pilot  {row.name}")
            except RequestRefused:
                continue  # the rounds will say so
            if answer.get("samples"):
                found[row.asked] = statistics.median(answer["samples"])
        return found

    def _enter_again(self, rows: list[Row], costs: dict[str, float]) -> None:
        """Enter the fastest and the slowest rung a second time, in turns of their own.

        Without a rung, peers stand in for them; a floor does not.
        """
        timed = [row for row in _live(rows) if row.asked in costs]
        those = [row for row in timed if row.is_rung]
        those = those or [row for row in timed if row.variant["kind"] == plan.PEER]
        ordered = sorted(those, key=lambda row: costs[row.asked])
        for row in ordered[:1] + ordered[1:][-1:]:
            rows.append(Row(row.variant, row.worker, again_of=row.asked, note=row.note))

    def _round(self, live: list[Row], number: int, clock: Clock) -> None:
        """Let every instrument pass over all rows, beginning with another one each round."""
        start = number % max(1, len(live))
        order = live[start:] + live[:start]
        for instrument in self.outcome.instruments:
            for row in order:
                where = f"round {number + 1} of {self._request.rounds}"
                what = f"{where}  {row.name}  {instrument.label}  {clock.left_text()}"
                try:
                    answer = self._ask(row.worker, instrument.request(row.asked), what)
                except RequestRefused as refused:
                    answer = {"missing": str(refused)}
                    trouble = f"{row.name}, {instrument.label}: {refused}"
                    if trouble not in self.outcome.troubles:
                        self.outcome.troubles.append(trouble)
                row.answers.setdefault(instrument, []).append(answer)
                clock.done(row, instrument)

    def _resources(self, row: Row) -> dict:
        if row.worker is not self._program:
            return {"missing": "only what the ladder's own program launches can be asked"}
        try:
            ask = {"do": "resources", "variant": row.asked}
            return self._ask(self._program, ask, f"resources  {row.name}")
        except RequestRefused as refused:
            return {"missing": str(refused)}

    def _state(self, when: str) -> None:
        try:
            state = self._ask(self._program, {"do": "state"}, "clocks")
        except RequestRefused as refused:
            state = {"missing": str(refused)}
        self.outcome.states.append({"when": when, **state})

    def _ask(self, worker: Worker, request: dict, what: str) -> dict:
        self._progress.update(what)
        return worker.ask(request, self._progress.update)


def _live(rows: list[Row]) -> list[Row]:
    """Return the rows that can be measured."""
    return [row for row in rows if row.missing is None]


def _share_with_again(rows: list[Row]) -> None:
    """Give what was asked once, checks and resources, to the rows that were entered again."""
    first = {row.asked: row for row in rows if row.again_of is None}
    for row in rows:
        if row.again_of is not None:
            original = first[row.again_of]
            row.check, row.resources = original.check, original.resources
            row.missing = original.missing
