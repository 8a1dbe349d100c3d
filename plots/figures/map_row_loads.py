"""Loads of a row: a float a lane, and a quad a lane."""

from plots.accesses import layernorm
from plots.sector_maps import SectorMap, Side

ORDER = 120
OF = "counts"
LADDERS = ("layernorm",)

_MAP = SectorMap(
    "a load of a row",
    (
        Side("a float a lane", layernorm.BASELINE_X),
        Side("a quad a lane", layernorm.ONE_WARP_X),
    ),
)
story = _MAP.story
draw = _MAP.draw
