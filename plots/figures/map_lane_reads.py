"""Reads of B's quads before the lane map and with it."""

from plots.accesses import matmul
from plots.bank_maps import BankMap, Side

ORDER = 115
OF = "counts"
LADDERS = ("matmul",)

_MAP = BankMap(
    "a read of B's quads",
    (
        Side("2 x 16 threads a warp", matmul.K64_B),
        Side("lane map, 4 x 8 threads", matmul.LANE_MAP_B),
    ),
)
story = _MAP.story
draw = _MAP.draw
