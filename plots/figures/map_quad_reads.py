"""Reads of B: one of four single ones, and the quad in their place."""

from plots.accesses import matmul
from plots.bank_maps import BankMap, Side

ORDER = 112
OF = "counts"
LADDERS = ("matmul",)

_MAP = BankMap(
    "a read of B, of a float and of a quad",
    (
        Side("one of four floats", matmul.REGISTER_TILE_B),
        Side("one quad", matmul.QUAD_READS_B),
    ),
)
story = _MAP.story
draw = _MAP.draw
