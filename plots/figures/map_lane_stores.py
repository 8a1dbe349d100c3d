"""Stores of transposed A before the lane map and with it."""

from plots.accesses import matmul
from plots.bank_maps import BankMap, Side

ORDER = 116
OF = "counts"
LADDERS = ("matmul",)

_MAP = BankMap(
    "a store of the transposed A, K step 64",
    (
        Side("k along the lanes", matmul.K64_STORE),
        Side("lane map", matmul.LANE_MAP_STORE),
    ),
)
story = _MAP.story
draw = _MAP.draw
