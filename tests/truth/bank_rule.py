"""How an H200 splits one warp's memory access, written again from the rule's words.

The CPU device has the rule in C++. This one shares nothing with it, so that a slip in either
shows: rule, CPU device and hardware are compared with each other.
"""

BANKS = 32
SECTOR_BYTES = 32


def shares_with(offsets, distance) -> bool:
    """Whether every active lane's partner, at `distance` by xor, has its address or is idle."""
    return all(
        at is None or offsets[lane ^ distance] is None or offsets[lane ^ distance] == at
        for lane, at in enumerate(offsets)
    )


def lanes_in_a_phase(offsets, width, direction) -> int:
    """Return how many lanes the memory system takes at a time."""
    lanes = 32 if width <= 4 else 128 // width
    if direction == "load" and width > 4 and (shares_with(offsets, 1) or shares_with(offsets, 2)):
        lanes *= 2
    return lanes


def shared(offsets, width, direction) -> tuple:
    """Return (wavefronts, bank conflicts) of one shared-memory instruction."""
    lanes = lanes_in_a_phase(offsets, width, direction)
    wavefronts = phases = 0
    for first in range(0, len(offsets), lanes):
        words = {
            word
            for at in offsets[first : first + lanes]
            if at is not None
            for word in range(at // 4, (at + width + 3) // 4)
        }
        if not words:
            continue
        by_bank = [0] * BANKS
        for word in words:
            by_bank[word % BANKS] += 1
        wavefronts += max(by_bank)
        phases += 1
    return wavefronts, wavefronts - phases


def sectors(offsets, width) -> int:
    """Return the distinct 32-byte sectors of one global-memory instruction."""
    touched = set()
    for at in offsets:
        if at is not None:
            touched.update(range(at // SECTOR_BYTES, (at + width - 1) // SECTOR_BYTES + 1))
    return len(touched)


def counters(pattern) -> dict:
    """Return the counters that the rule predicts for a pattern's own instruction."""
    times = pattern.blocks * pattern.warps
    way = f"{pattern.space}_{pattern.direction}"
    if pattern.space == "shared":
        wavefronts, conflicts = shared(pattern.offsets, pattern.width, pattern.direction)
        return {
            f"{way}_wavefronts": wavefronts * times,
            f"{way}_bank_conflicts": conflicts * times,
            f"{way}_instructions": times,
        }
    return {
        f"{way}_requests": times,
        f"{way}_sectors": sectors(pattern.offsets, pattern.width) * times,
    }
