"""The store of transposed A: rows of 64 words, and of 68."""

from plots.accesses import matmul
from plots.bank_maps import BankMap, Side

ORDER = 114
OF = "counts"
LADDERS = ("matmul",)

_MAP = BankMap(
    "a store of the transposed A",
    (
        Side("rows of 64 words", matmul.UNPADDED_STORE),
        Side("rows of 68 words", matmul.TRANSPOSED_STORE),
    ),
)
story = _MAP.story
draw = _MAP.draw
