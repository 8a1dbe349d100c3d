"""The accesses of layernorm that its pages speak of."""

from plots.accesses.access import Access

WORD = 4
QUAD = 16
THREADS = 256
WIDTH = 768  # of a row, in floats
QUADS_AT_ONCE = 3  # that a lane has under way


def _scalar(thread: int) -> int:
    return WORD * thread


def _quads(warps_per_row: int):
    threads_per_row = 32 * warps_per_row

    def offset(thread: int, i: int) -> int:
        first_col = thread % threads_per_row * 4
        row_columns = threads_per_row * 4
        return WORD * (thread // threads_per_row * WIDTH + first_col + i * row_columns)

    return offset


BASELINE_X = Access(
    "layernorm",
    "baseline",
    "for (int col = thread; col < width; col += threads) sum += x[row_start + col];",
    *("global", "load", WORD, THREADS, _scalar),
    step=("width", THREADS),
)
_LOOP = {"turns": tuple((i,) for i in range(QUADS_AT_ONCE)), "drawn": (0,)}
ONE_WARP_X = Access(
    "layernorm",
    "one-warp",
    "const float4 four = quad(&x_row[start + i * warp_columns]);",
    *("global", "load", QUAD, THREADS, _quads(1)),
    step=("width", QUADS_AT_ONCE * 128),
    **_LOOP,
)
TWO_WARPS_X = Access(
    "layernorm",
    "two-warps",
    "const float4 four = quad(&x_row[start + i * row_columns]);",
    *("global", "load", QUAD, THREADS, _quads(2)),
    step=("width", QUADS_AT_ONCE * 256),
    **_LOOP,
)
