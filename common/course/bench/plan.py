"""What is measured: the variants that were asked for, and the instruments."""

from dataclasses import dataclass
from pathlib import Path

from course.errors import WRONG_USE, CourseError
from evidence import EvidenceError, lessons
from evidence.ladder_settings import BATCHES, Inputs, LadderSettings, path_of

ROUNDS, SAMPLES = 3, 100  # what a record that is kept has at least
WARMUP = 10  # operations that the instruments launch before the first sample

FAILED_CHECK = "its check "  # how the reason begins why a row that failed its check is missing

FLOOR, PEER = "floor", "peer"


@dataclass(frozen=True)
class Instrument:
    """One way to take a time, with how many samples a round has."""

    name: str
    cache: str
    batch: int
    samples: int

    @property
    def label(self) -> str:
        """What it is called: kernel, queued-10, span-cold."""
        batch = f"-{self.batch}" if self.name in ("queued", "graph") else ""
        return f"{self.name}{batch}{'-cold' if self.cache == 'cold' else ''}"

    @property
    def operations(self) -> int:
        """How many operations a round launches, warm-up included."""
        return WARMUP + self.samples * self.batch

    def request(self, variant: str) -> dict:
        """Return the worker's request."""
        return {
            "do": "measure",
            "variant": variant,
            "instrument": self.name,
            "cache": self.cache,
            "samples": self.samples,
            "batch": self.batch,
        }

    def document(self) -> dict:
        """Return what a record says of it."""
        return {
            "name": self.name,
            "cache": self.cache,
            "batch": self.batch,
            "samples": self.samples,
        }


def instruments(
    samples: int, cold: bool, sweep: bool, batches: tuple[int, ...] = BATCHES
) -> list[Instrument]:
    """Return the instruments of a run; ``batches``: operations in a sample of queued and graph.

    Batches take fewer samples: a sample of ``queued`` or ``graph`` is the mean of a batch already,
    and a hundred batches of a hundred would take longer than all else together. A sweep over sizes
    takes kernel and graph alone.
    """
    if sweep:
        return [
            Instrument("kernel", "warm", 1, samples),
            Instrument("graph", "warm", 10, max(1, samples // 10)),
        ]
    found = [
        Instrument("kernel", "warm", 1, samples),
        Instrument("span", "warm", 1, samples),
        Instrument("awaited", "warm", 1, samples),
        *(Instrument("queued", "warm", b, _of_batch(b, samples)) for b in batches if b > 1),
        *(Instrument("graph", "warm", b, _of_batch(b, samples)) for b in batches),
        Instrument("submit", "warm", 1, samples),
    ]
    if cold:
        found += [
            Instrument("kernel", "cold", 1, samples),
            Instrument("span", "cold", 1, samples),
        ]
    return found


def _of_batch(batch: int, samples: int) -> int:
    """Return how many samples of a batch a round takes where one operation has ``samples``."""
    return max(1, samples // (1 if batch == 1 else 5 if batch <= 10 else 10))


@dataclass(frozen=True)
class Request:
    """What the command line asked for."""

    ladder: str
    only: list[str]
    rounds: int
    samples: int
    cold: bool
    peers: bool
    sizes: list[int] | None  # a sweep over these, or None
    buffers: int = 1  # buffer sets that warm launches take in turn
    batches: tuple[int, ...] = BATCHES  # operations in a sample of queued and graph
    accuracy: tuple[Inputs, ...] = ()  # over which errors are asked for

    @property
    def is_subset(self) -> bool:
        """Whether a record of it lacks rows or samples that a kept one has."""
        return bool(self.only) or self.rounds < ROUNDS or self.samples < SAMPLES or not self.peers


def rounds_text(count: int) -> str:
    """Return "1 round", "3 rounds"."""
    return "1 round" if count == 1 else f"{count} rounds"


def sizes(text: str | None) -> list[int] | None:
    """Return the sizes of ``--sizes 512,1024``. Raises CourseError if they are none."""
    if text is None:
        return None
    words = text.split(",")
    good = all(word.isascii() and word.isdigit() and 0 < int(word[:12]) < 2**20 for word in words)
    if not good or len(set(words)) != len(words):
        raise CourseError(f"--sizes {text!r} is no list of sizes, such as 512,1024,2048", WRONG_USE)
    return sorted(map(int, words))


def shapes(
    settings: LadderSettings, repo: Path, request: Request, names_: list[str]
) -> list[dict[str, int]]:
    """Return what is measured of a ladder whose sizes have these names; empty: its own shape.

    Raises CourseError if ladder.json names shapes of another problem.
    """
    if request.sizes is not None:
        return [dict.fromkeys(names_, size) for size in request.sizes]
    for sizes_ in settings.shapes:
        if len(sizes_) != len(names_):
            where = path_of(repo, request.ladder).relative_to(repo)
            words = f"{where}: the shape {list(sizes_)} is not {len(names_)} sizes"
            raise CourseError(f"{words}: {', '.join(names_)}")
    return [dict(zip(names_, sizes_, strict=True)) for sizes_ in settings.shapes]


def require_sizes(settings: LadderSettings, ladder: str) -> None:
    """Raise CourseError if a ladder is not measured over sizes."""
    if settings.sizes is None:
        raise CourseError(
            f"--sizes is not for {ladder}: its sizes do not grow together, and its ladder.json "
            "names none",
            WRONG_USE,
        )


def names(repo: Path, ladder: str, only: list[str], variants: list[dict]) -> set[str]:
    """Return the variants that --only names; a rung's folder is its name too.

    Raises CourseError, with the names there are, for one that is none.
    """
    known = [variant["name"] for variant in variants]
    found = set()
    for name in only:
        asked = name.removeprefix(f"{ladder}/")
        if asked not in known:
            try:
                asked = lessons.rung(repo, ladder, asked).name
            except EvidenceError:
                asked = ""
        if asked not in known:
            raise CourseError(f"there is no {name!r} here; there is {', '.join(known)}", WRONG_USE)
        found.add(asked)
    return found


def wanted(request: Request, chosen: set[str], settings: LadderSettings, variant: dict) -> bool:
    """Return whether a variant is measured.

    A sweep takes the numbered rungs that a ladder keeps or adds, and the peers in FP32 that the
    table compares with.
    """
    if chosen:
        return variant["name"] in chosen
    if variant["kind"] == PEER and not request.peers:
        return False
    if request.sizes is None:
        return True
    if variant["kind"] == PEER:
        return settings.is_best_peer(variant)
    return variant["kind"] in ("kept", "beyond") and variant["order"] < lessons.ASIDE_ORDER
