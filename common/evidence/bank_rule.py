"""How an H200 splits one warp's memory access: banks and wavefronts, sectors.

The rule of shared memory was found by comparing with the counters of wavefronts and conflicts that
Nsight Compute reads on an H200. ``tests/data/h200/patterns.json`` keeps them for more than 600
accesses, and ``tests/truth/test_patterns.py`` holds this module equal to them, and the CPU device
too. The CPU device has the rule in C++ (``common/cpu_device/memory/banks.hpp``). This module shares
nothing with it, so that a slip in either shows.

- Shared memory has 32 banks. The 4-byte word *w* lies in bank *w* mod 32.
- The lanes of a warp go in phases. An access of 4 bytes or less has one phase of 32 lanes, one of
  8 bytes two of 16, one of 16 bytes four of 8.
- A load wider than 4 bytes has half as many phases if every active lane has the address of its
  neighbour at distance 1, or every one that of its neighbour at distance 2, by xor of the lane's
  number. An idle neighbour counts as equal. A store never has.
- A phase takes as many wavefronts as the busiest bank has different words. Lanes that ask for the
  same word share it. A wavefront above the first one of a phase is a bank conflict.
- An access to global memory touches as many sectors as there are different aligned 32 bytes in it.

The counters tell how many wavefronts an access takes, not which word goes in which. ``requests``
lets a bank serve its words in the order of the lanes that ask for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

LANES = 32
BANKS = 32
WORD_BYTES = 4
SECTOR_BYTES = 32

Offsets = Sequence[int | None]  # a lane's byte offset; None: it is idle


@dataclass(frozen=True)
class Request:
    """One word of shared memory that one lane asks for. Phases and wavefronts count from 0."""

    lane: int
    word: int
    phase: int
    wavefront: int  # of the whole instruction
    is_conflict: bool  # whether it waits, since another word of its bank goes first

    @property
    def bank(self) -> int:
        """The bank that holds the word."""
        return self.word % BANKS


@dataclass(frozen=True)
class SectorUse:
    """What a group of lanes wants of one sector: its number, and who asks for which byte."""

    sector: int
    lanes: dict[int, int]  # by byte in the sector: the first lane that asks for it


def lanes_in_a_group(width: int) -> int:
    """Return how many lanes' accesses of ``width`` bytes are at most 128 bytes."""
    return LANES if width <= WORD_BYTES else BANKS * WORD_BYTES // width


def lanes_in_a_phase(offsets: Offsets, width: int, direction: str) -> int:
    """Return how many lanes shared memory serves at a time, by the widths and addresses."""
    lanes = lanes_in_a_group(width)
    can_double = direction == "load" and width > WORD_BYTES
    if can_double and (_shares_with(offsets, 1) or _shares_with(offsets, 2)):
        lanes *= 2
    return lanes


def requests(offsets: Offsets, width: int, direction: str) -> list[Request]:
    """Return every word that a shared-memory instruction asks for, in the order of the lanes.

    ``width`` is a lane's bytes: 1, 2, 4, 8 or 16; ``direction`` is ``load`` or ``store``.
    """
    lanes = lanes_in_a_phase(offsets, width, direction)
    found = []
    done = 0  # wavefronts of the phases before
    for phase, first in enumerate(range(0, len(offsets), lanes)):
        turns: dict[int, dict[int, int]] = {}  # by bank: each word's place in its queue
        for lane in range(first, min(first + lanes, len(offsets))):
            for word in _words(offsets[lane], width):
                queue = turns.setdefault(word % BANKS, {})
                turn = queue.setdefault(word, len(queue))
                found.append(Request(lane, word, phase, done + turn, turn > 0))
        done += max((len(queue) for queue in turns.values()), default=0)
    return found


def shared(offsets: Offsets, width: int, direction: str) -> tuple[int, int]:
    """Return (wavefronts, bank conflicts) of one shared-memory instruction."""
    found = requests(offsets, width, direction)
    wavefronts = len({request.wavefront for request in found})
    return wavefronts, wavefronts - len({request.phase for request in found})


def sectors(offsets: Offsets, width: int) -> int:
    """Return the distinct 32-byte sectors of one global-memory instruction."""
    return len(sector_uses(offsets, width))


def sector_uses(offsets: Offsets, width: int) -> list[SectorUse]:
    """Return the sectors that these lanes touch, by number, with the bytes that they ask for."""
    found: dict[int, dict[int, int]] = {}
    for lane, at in enumerate(offsets):
        for byte in range(at, at + width) if at is not None else ():
            found.setdefault(byte // SECTOR_BYTES, {}).setdefault(byte % SECTOR_BYTES, lane)
    return [SectorUse(sector, lanes) for sector, lanes in sorted(found.items())]


def _shares_with(offsets: Offsets, distance: int) -> bool:
    """Whether every active lane's partner, at ``distance`` by xor, has its address or is idle."""
    return all(
        at is None or offsets[lane ^ distance] is None or offsets[lane ^ distance] == at
        for lane, at in enumerate(offsets)
    )


def _words(at: int | None, width: int) -> range:
    """Return the words that a lane's access touches."""
    return range(0) if at is None else range(at // WORD_BYTES, (at + width + 3) // WORD_BYTES)
