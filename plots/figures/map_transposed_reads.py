"""Reads of A: one of four in a column, and the quad of the tile on its side."""

from plots.accesses import matmul
from plots.bank_maps import BankMap, Side

ORDER = 113
OF = "counts"
LADDERS = ("matmul",)

_MAP = BankMap(
    "a read of A, by rows and transposed",
    (
        Side("one of four rows", matmul.QUAD_READS_A),
        Side("one quad, transposed", matmul.TRANSPOSED_A),
    ),
)
story = _MAP.story
draw = _MAP.draw
