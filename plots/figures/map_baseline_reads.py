"""Baseline's two reads for a multiply-add: both are one wavefront."""

from plots.accesses import matmul
from plots.bank_maps import BankMap, Side

ORDER = 110
OF = "counts"
LADDERS = ("matmul",)

_MAP = BankMap(
    "the two reads of a multiply-add",
    (
        Side("A, a value a row", matmul.BASELINE_A),
        Side("B, neighbouring columns", matmul.BASELINE_B),
    ),
)
story = _MAP.story
draw = _MAP.draw
