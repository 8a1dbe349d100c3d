"""The accesses of reduction that its pages speak of: two layouts of one tree."""

from dataclasses import replace
from itertools import product

from plots.accesses.access import Access

WORD = 4
THREADS = 256
LEVELS = tuple(1 << level for level in range(THREADS.bit_length() - 1))  # 1, 2, 4, ... 128
_OWN, _OTHER = 0, 1  # which of the two words a thread reads


def _halves(thread: int, half: int, other: int = _OWN) -> int | None:
    return WORD * (thread + half * other) if thread < half else None


def _neighbours(thread: int, apart: int, other: int = _OWN) -> int | None:
    at = 2 * apart * thread
    return WORD * (at + apart * other) if at < THREADS else None


_READS = tuple(product(LEVELS, (_OWN, _OTHER)))
_STORES = tuple((level,) for level in LEVELS)
FULL_WARP = 32  # the half, and by neighbours the distance, at which one whole warp adds
TREE_READ = Access(
    "reduction",
    "tree",
    "if (thread < half) partial[thread] += partial[thread + half];",
    *("shared", "load", WORD, THREADS, _halves),
    turns=_READS,
    drawn=(FULL_WARP, _OWN),
)
CONFLICTS_READ = Access(
    "reduction",
    "conflicts",
    "if (at < block_threads) partial[at] += partial[at + apart];",
    *("shared", "load", WORD, THREADS, _neighbours),
    turns=_READS,
    drawn=(THREADS // 2 // FULL_WARP, _OWN),
)
TREE_STORE = replace(TREE_READ, direction="store", turns=_STORES, drawn=(FULL_WARP,))
CONFLICTS_STORE = replace(
    CONFLICTS_READ, direction="store", turns=_STORES, drawn=(THREADS // 2 // FULL_WARP,)
)
