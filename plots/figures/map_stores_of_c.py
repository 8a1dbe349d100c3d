"""Stores of C: columns block_x apart, and a thread's adjacent ones."""

from plots.accesses import matmul
from plots.sector_maps import SectorMap, Side

ORDER = 118
OF = "counts"
LADDERS = ("matmul",)

_MAP = SectorMap(
    "a store of C",
    (
        Side("columns 16 apart", matmul.REGISTER_TILE_C),
        Side("adjacent columns", matmul.PLAIN_SOURCE_C),
    ),
)
story = _MAP.story
draw = _MAP.draw
