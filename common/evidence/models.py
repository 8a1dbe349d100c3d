"""What a prediction predicts with: a counted quantity for each named model.

A model says that time follows its quantity. The author of a rung names a model and says why; the
expected factor, time before / time after, is computed here from what was counted.
"""

from dataclasses import dataclass

from evidence.errors import EvidenceError


@dataclass(frozen=True)
class Model:
    """One model: the quantity that time is said to follow."""

    label: str  # as a reader sees it
    path: tuple[str, str]  # where a rung's "counts" hold it: the kind of count, the quantity
    lower_is_better: bool  # True: half the quantity, half the time


MODELS = {
    "reads": Model("shared reads per multiply-add", ("ptx", "shared_reads_per_multiply_add"), True),
    "wavefronts": Model(
        "shared wavefronts per multiply-add", ("ptx", "shared_wavefronts_per_multiply_add"), True
    ),
    "barriers": Model("barriers, once a warp", ("ptx", "barriers"), True),
    "instructions": Model("warp instructions", ("ptx", "warp_instructions"), True),
}


def quantity(model: str, rung: dict) -> float:
    """Return what ``model`` looks at in a rung of a record or run document.

    Raises EvidenceError if the model is unknown, or was not counted on this rung.
    """
    found = _model(model)
    kind, name = found.path
    value = (rung.get("counts", {}).get(kind) or {}).get(name)
    if not isinstance(value, int | float) or value <= 0:
        raise EvidenceError(
            f"{rung.get('key')}: counts.{kind}.{name} is {value}; it must be counted"
        )
    return value


def expected_factor(model: str, before: dict, after: dict) -> float:
    """Return the factor that ``model`` expects from one rung to the next: above 1 is faster.

    Both rungs are those of a record or run document. Raises EvidenceError as quantity() does.
    """
    old, new = quantity(model, before), quantity(model, after)
    return old / new if _model(model).lower_is_better else new / old


def _model(name: str) -> Model:
    """Return the model of this name."""
    if name not in MODELS:
        raise EvidenceError(f"there is no model {name!r}; there is {', '.join(MODELS)}")
    return MODELS[name]
