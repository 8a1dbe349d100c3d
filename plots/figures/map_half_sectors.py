"""The same sectors asked for whole and in halves."""

from plots.accesses import matmul
from plots.sector_maps import SectorMap, Side

ORDER = 117
OF = "counts"
LADDERS = ("matmul",)

_MAP = SectorMap(
    "the quads of A that a warp copies",
    (
        Side("lane map", matmul.LANE_MAP_FETCH),
        Side("half sectors", matmul.HALF_SECTORS_FETCH),
    ),
)
story = _MAP.story
draw = _MAP.draw
