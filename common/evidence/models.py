"""What a prediction predicts with: a counted quantity for each named model.

A model says that time follows its quantity. The author of a rung names a model and says why; the
expected factor, time before / time after, is computed here from what was counted.
"""

from collections.abc import Callable
from dataclasses import dataclass

from evidence import residency
from evidence.errors import EvidenceError

SECTOR_BYTES = 32  # of global memory


class NothingCountedError(EvidenceError):
    """A rung has none of what a model looks at, and so no factor by it."""


@dataclass(frozen=True)
class Model:
    """One model: the quantity that time is said to follow."""

    label: str  # as a reader sees it
    counted: str  # what is looked at, as a sentence about a rung names it
    value: Callable[[dict], float | None]  # of a rung of a record or run document; None: uncounted
    lower_is_better: bool = True  # half the quantity, half the time
    unit: str = ""
    things: str = ""  # what a rung may have none of, in words

    @property
    def is_computed(self) -> bool:
        """Whether its quantity is computed: it need not stand in the counts."""
        return self.value in _COMPUTED


def _of_ptx(label: str, name: str, things: str = "") -> Model:
    """Return the model of a quantity that stands in a rung's counts as it is."""
    return Model(label, f"counts.ptx.{name}", lambda rung: _ptx(rung).get(name), things=things)


def _ptx(rung: dict) -> dict:
    return (rung.get("counts") or {}).get("ptx") or {}


def shared_wavefronts(rung: dict) -> int | None:
    """Return the wavefronts of a rung's shared loads and stores; None if they were not counted."""
    ways = [_ptx(rung).get(f"shared_{way}_wavefronts") for way in ("load", "store")]
    return None if None in ways else sum(ways)


def _wavefronts(rung: dict) -> float | None:
    """Return them for each multiply-add; all of them where an operation has no multiply-adds."""
    if _ptx(rung).get("multiply_adds"):
        return _ptx(rung).get("shared_wavefronts_per_multiply_add")
    return shared_wavefronts(rung)


def _bytes(rung: dict) -> int | None:
    """Return the bytes that global loads and stores move, in whole sectors."""
    sectors = [_ptx(rung).get(f"global_{way}_sectors") for way in ("load", "store")]
    return None if None in sectors else SECTOR_BYTES * sum(sectors)


def _launches(rung: dict) -> int:
    return sum(kernel["launches"] for kernel in _ptx(rung).get("kernels", []))


def _blocks(rung: dict) -> int:
    return sum(kernel["blocks"] for kernel in _ptx(rung).get("kernels", []))


def _resident_threads(rung: dict) -> int:
    return residency.of_rung(rung).threads


def _loads_in_flight(rung: dict) -> int | None:
    """Return the bytes of loads that a multiprocessor's threads have under way at most.

    They are those of the kernel that speaks for the rung, see residency.of_rung().
    """
    each = residency.kernel_of(rung)[1].get("bytes_in_flight")
    return None if each is None else each * residency.of_rung(rung).threads


_COMPUTED = (_wavefronts, _bytes, _launches, _blocks, _resident_threads, _loads_in_flight)

MODELS = {
    "reads": _of_ptx("shared reads per multiply-add", "shared_reads_per_multiply_add"),
    "wavefronts": Model(
        "shared wavefronts",
        "counts.ptx.shared_*_wavefronts",
        _wavefronts,
        things="shared wavefronts",
    ),
    "barriers": _of_ptx("barriers, once a warp", "barriers", things="barriers"),
    "instructions": _of_ptx("warp instructions", "warp_instructions"),
    "bytes": Model(
        "bytes of global memory, in sectors", "counts.ptx.global_*_sectors", _bytes, unit="B"
    ),
    "launches": Model("kernels launched", "counts.ptx.kernels", _launches),
    "blocks": Model("blocks launched, of all kernels", "counts.ptx.kernels", _blocks),
    "resident-threads": Model(
        "threads that a multiprocessor holds",
        "counts.ptx.kernels",
        _resident_threads,
        lower_is_better=False,
    ),
    "loads-in-flight": Model(
        "bytes that a multiprocessor's loads have under way, at most",
        "counts.sass.kernels[].bytes_in_flight",
        _loads_in_flight,
        lower_is_better=False,
        unit="B",
        things="global loads",
    ),
}


def label(model: str, rung: dict) -> str:
    """Return what ``model`` looks at in a rung of a record or run document, as a reader sees it."""
    each = " per multiply-add" if model == "wavefronts" and _ptx(rung).get("multiply_adds") else ""
    return _model(model).label + each


def quantity(model: str, rung: dict) -> float:
    """Return what ``model`` looks at in a rung of a record or run document.

    Raises EvidenceError if the model is unknown, was not counted on this rung, or counted nothing:
    a step from or to none has no factor.
    """
    found = _model(model)
    value = found.value(rung)
    if value == 0 and found.things and _ptx(rung):
        raise NothingCountedError(
            f"{rung.get('key')} has no {found.things}, so the model {model} has no factor for it"
        )
    if not isinstance(value, int | float) or value <= 0:
        raise EvidenceError(f"{rung.get('key')}: {found.counted} is {value}; it must be counted")
    return value


def expected_factor(model: str, before: dict, after: dict) -> float:
    """Return the factor that ``model`` expects from one rung to the next: above 1 is faster.

    Both rungs are those of a record or run document. Raises EvidenceError as quantity() does.
    """
    old, new = quantity(model, before), quantity(model, after)
    if model == "wavefronts" and not _same_multiply_adds(before, after):
        # Then a ratio to each one's own would compare their multiply-adds as well.
        old, new = shared_wavefronts(before), shared_wavefronts(after)
    return old / new if _model(model).lower_is_better else new / old


def _same_multiply_adds(before: dict, after: dict) -> bool:
    return _ptx(before).get("multiply_adds") == _ptx(after).get("multiply_adds")


def _model(name: str) -> Model:
    """Return the model of this name."""
    if name not in MODELS:
        raise EvidenceError(f"there is no model {name!r}; there is {', '.join(MODELS)}")
    return MODELS[name]
