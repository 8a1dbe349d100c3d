"""One level of a tree in two layouts."""

from plots.accesses import reduction
from plots.bank_maps import BankMap, Side

ORDER = 130
OF = "counts"
LADDERS = ("reduction",)

_MAP = BankMap(
    "the level of a tree at which one warp adds",
    (
        Side("halves", reduction.TREE_READ),
        Side("neighbours first", reduction.CONFLICTS_READ),
    ),
)
story = _MAP.story
draw = _MAP.draw
