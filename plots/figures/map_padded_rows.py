"""Reads of A from rows of 32 words, where two meet in a bank, and from padded ones."""

from plots.accesses import matmul
from plots.bank_maps import BankMap, Side

ORDER = 111
OF = "counts"
LADDERS = ("matmul",)

_MAP = BankMap(
    "a read of A in the register tile",
    (
        Side("rows of 32 words", matmul.REGISTER_TILE_A),
        Side("rows of 36 words", matmul.PADDED_ROWS_A),
    ),
)
story = _MAP.story
draw = _MAP.draw
