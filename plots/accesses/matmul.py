"""The accesses of matmul that its pages speak of. Tiles are of 4-byte words."""

from dataclasses import replace
from itertools import product

from plots.accesses.access import Access

WORD = 4
QUAD = 16
THREADS = 256
BLOCK = 64  # rows and columns of C for one block, from the register tile on
THREAD = 4  # rows and columns of C for one thread
BLOCK_X = BLOCK // THREAD  # threads side by side
ROW = 1024  # of A and of C in global memory
PADDING = 4  # words behind a row of a padded tile

READ_ALONE = ("matmul.hpp", "return static_cast<const volatile float&>(value);")


def _access(rung, line, space, direction, width, offset, **more) -> Access:
    return Access("matmul", rung, line, space, direction, width, THREADS, offset, **more)


def _over(*ranges) -> dict:
    """Return the turns of loops, and the first of them to be drawn."""
    return {"turns": tuple(product(*map(range, ranges))), "drawn": (0,) * len(ranges)}


# baseline: a thread for each element of a tile of 16 x 16.

_SIDE = 16


def _baseline_a(thread: int, k: int) -> int:
    return WORD * (thread // _SIDE * _SIDE + k)


def _baseline_b(thread: int, k: int) -> int:
    return WORD * (k * _SIDE + thread % _SIDE)


_MULTIPLY = "sum += read_alone(a_tile[thread_row][k]) * b_tile[k][thread_col];"
_BASELINE = {"step": ("K", _SIDE), **_over(_SIDE)}
BASELINE_A = _access(
    "baseline", _MULTIPLY, "shared", "load", WORD, _baseline_a, counted_at=READ_ALONE, **_BASELINE
)
BASELINE_B = _access("baseline", _MULTIPLY, "shared", "load", WORD, _baseline_b, **_BASELINE)


# Reads of A from a tile by rows: register-tile, quad-reads, and with padding.


def _a_by_rows(stride: int):
    def offset(thread: int, k: int, i: int) -> int:
        thread_row = thread // BLOCK_X * THREAD
        return WORD * ((thread_row + i) * stride + k)

    return offset


_K32 = {"step": ("K", 32)}
_READ_A = "a_reg[i] = read_alone(a_tile[thread_row + i][k]);"
_BY_ROWS = {"counted_at": READ_ALONE, **_K32, **_over(32, THREAD)}
REGISTER_TILE_A = _access(
    "register-tile", _READ_A, "shared", "load", WORD, _a_by_rows(32), **_BY_ROWS
)
QUAD_READS_A = replace(REGISTER_TILE_A, rung="quad-reads")
PADDED_ROWS_A = _access(
    "padded-rows", _READ_A, "shared", "load", WORD, _a_by_rows(32 + PADDING), **_BY_ROWS
)


# Reads of B: four single ones, block_x apart, or one quad.


def _b_single(thread: int, k: int, j: int) -> int:
    return WORD * (k * BLOCK + thread % BLOCK_X + j * BLOCK_X)


def _b_quad(thread: int, k: int) -> int:
    return WORD * (k * BLOCK + thread % BLOCK_X * THREAD)


REGISTER_TILE_B = _access(
    "register-tile",
    "b_reg[j] = b_tile[k][thread_col + j * block_x];",
    *("shared", "load", WORD, _b_single),
    **_K32,
    **_over(32, THREAD),
)
_READ_QUAD_B = "quad(b_reg) = quad(&b_tile[k][thread_col]);"
QUAD_READS_B = _access(
    "quad-reads", _READ_QUAD_B, "shared", "load", QUAD, _b_quad, **_K32, **_over(32)
)
TRANSPOSED_B = replace(QUAD_READS_B, rung="transposed-a")


# The tile of A on its side: quads of it are read, and stores of it are scattered.

_STRIDE = BLOCK + PADDING


def _a_quad(thread: int, k: int) -> int:
    return WORD * (k * _STRIDE + thread // BLOCK_X * THREAD)


def _a_store(k_step: int, stride: int):
    def offset(thread: int, i: int) -> int:
        index = thread + i * THREADS
        row = index // (k_step // 4)
        k = index % (k_step // 4) * 4
        return WORD * (k * stride + row)

    return offset


_READ_QUAD_A = "quad(a_reg) = quad(&a_tile[k][thread_row]);"
_STORE_A = "a_tile[k + 0][row] = along_k.x;"
TRANSPOSED_A = _access(
    "transposed-a", _READ_QUAD_A, "shared", "load", QUAD, _a_quad, **_K32, **_over(32)
)
TRANSPOSED_STORE = _access(
    "transposed-a", _STORE_A, "shared", "store", WORD, _a_store(32, _STRIDE), **_K32, **_over(2)
)
UNPADDED_STORE = replace(TRANSPOSED_STORE, offset=_a_store(32, BLOCK), in_counts=False)


# The K step of 64, and the maps of lanes after it.

_K64 = {"step": ("K", 64)}
K64_A = replace(TRANSPOSED_A, rung="k64", **_K64, **_over(64))
K64_B = replace(QUAD_READS_B, rung="k64", **_K64, **_over(64))
K64_STORE = replace(TRANSPOSED_STORE, rung="k64", offset=_a_store(64, _STRIDE), **_K64, **_over(4))


def lane_place(thread: int) -> tuple[int, int]:
    """Return (row, column) of a thread's register tile under the lane map, in tiles."""
    lane, warp = thread % 32, thread // 32
    lane_row = (lane >> 1 & 1) | (lane >> 2 & 2)
    lane_col = (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4)
    return warp // 2 * 4 + lane_row, warp % 2 * 8 + lane_col


def _lane_map_a(thread: int, k: int) -> int:
    return WORD * (k * _STRIDE + lane_place(thread)[0] * THREAD)


def _lane_map_b(thread: int, k: int) -> int:
    return WORD * (k * BLOCK + lane_place(thread)[1] * THREAD)


def _copied_by_pairs(thread: int, i: int) -> tuple[int, int]:
    """Return (row, k) of the quad of A that a thread copies under the lane map."""
    index = thread + i * THREADS
    return index % 32 // 2 + index // 256 * 16, (index // 32 % 8 * 2 + index % 2) * 4


def _copied_by_halves(thread: int, i: int) -> tuple[int, int]:
    """Return (row, k) of the quad of A that a thread copies in half-sectors."""
    index = thread + i * THREADS
    return index % 16 + index // 256 * 16, index // 16 % 16 * 4


def _store(copied):
    def offset(thread: int, i: int) -> int:
        row, k = copied(thread, i)
        return WORD * (k * _STRIDE + row)

    return offset


def _fetch(copied):
    def offset(thread: int, i: int) -> int:
        row, k = copied(thread, i)
        return WORD * (row * ROW + k)

    return offset


LANE_MAP_A = replace(K64_A, rung="lane-map", offset=_lane_map_a)
LANE_MAP_B = replace(K64_B, rung="lane-map", offset=_lane_map_b)
LANE_MAP_STORE = replace(K64_STORE, rung="lane-map", offset=_store(_copied_by_pairs))
_FETCH_A = "const float4 along_k = quad(&a[(first_row + row) * K + k0 + k]);"
LANE_MAP_FETCH = _access(
    "lane-map", _FETCH_A, "global", "load", QUAD, _fetch(_copied_by_pairs), **_K64, **_over(4)
)
HALF_SECTORS_STORE = replace(LANE_MAP_STORE, rung="half-sectors", offset=_store(_copied_by_halves))
HALF_SECTORS_FETCH = replace(LANE_MAP_FETCH, rung="half-sectors", offset=_fetch(_copied_by_halves))


# The stores of C: columns block_x apart, or a thread's four adjacent ones one by one.


def _c_spread(thread: int, i: int, j: int) -> int:
    row = thread // BLOCK_X * THREAD + i
    return WORD * (row * ROW + thread % BLOCK_X + j * BLOCK_X)


def _c_adjacent(thread: int, i: int, j: int) -> int:
    row = thread // BLOCK_X * THREAD + i
    return WORD * (row * ROW + thread % BLOCK_X * THREAD + j)


REGISTER_TILE_C = _access(
    "register-tile",
    "c[row * N + first_col + thread_col + j * block_x] = sum[i][j];",
    *("global", "store", WORD, _c_spread),
    **_over(THREAD, THREAD),
)
PLAIN_SOURCE_C = _access(
    "plain-source",
    "c[row * N + first_col + thread_col + j] = sum[i][j];",
    *("global", "store", WORD, _c_adjacent),
    **_over(THREAD, THREAD),
)
