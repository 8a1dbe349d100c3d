"""An access of a rung: its line, its index function, and what the bank rule says of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from evidence import bank_rule
from evidence.bank_rule import LANES, Request, SectorUse

Turn = tuple[int, ...]  # the variables of the loops around it


@dataclass(frozen=True)
class Access:
    """One line of a rung that reads or writes memory, as the first warp of a block meets it."""

    ladder: str
    rung: str
    line: str  # as it stands in the .cu
    space: str  # shared or global
    direction: str  # load or store
    width: int  # a lane's bytes
    threads: int  # of a block
    offset: Callable[..., int | None]  # (thread, *turn) -> byte; None: the thread is idle
    turns: Sequence[Turn] = ((),)  # of the loops, within a step
    step: tuple[str, int] | None = None  # the loop around them: a size of the shape, and its step
    counted_at: tuple[str, str] | None = None  # (file, line) that counts have it at, if another
    in_counts: bool = True  # whether the rung does this; else it is a rung's line with a change
    drawn: Turn = field(default=())  # the turn that a map shows

    def offsets(self, warp: int, turn: Turn) -> list[int | None]:
        """Return where each lane of a warp asks, in bytes from the array's first."""
        return [self.offset(warp * LANES + lane, *turn) for lane in range(LANES)]

    @cached_property
    def first(self) -> list[int | None]:
        """Where the lanes of the first warp ask in the turn that is drawn."""
        return self.offsets(0, self.drawn)

    @property
    def requests(self) -> list[Request]:
        """What the first warp asks of shared memory in the turn that is drawn."""
        return bank_rule.requests(self.first, self.width, self.direction)

    @property
    def wavefronts(self) -> int:
        """How many wavefronts that takes."""
        return bank_rule.shared(self.first, self.width, self.direction)[0]

    @property
    def sectors(self) -> int:
        """How many sectors of global memory the first warp touches in the turn that is drawn."""
        return bank_rule.sectors(self.first, self.width)

    def groups(self) -> list[list[SectorUse]]:
        """Return the sectors that each group of lanes touches that is served together."""
        lanes = bank_rule.lanes_in_a_group(self.width)
        found = []
        for first in range(0, LANES, lanes):
            within = range(first, first + lanes)
            ours = [at if lane in within else None for lane, at in enumerate(self.first)]
            found.append(bank_rule.sector_uses(ours, self.width))
        return [group for group in found if group]

    def of_a_block(self) -> tuple[int, int, int]:
        """Return (instructions, wavefronts or sectors, conflicts) of all warps in one step."""
        instructions = paid = conflicts = 0
        for warp in range(self.threads // LANES):
            for turn in self.turns:
                offsets = self.offsets(warp, turn)
                if all(at is None for at in offsets):
                    continue
                instructions += 1
                if self.space == "shared":
                    more = bank_rule.shared(offsets, self.width, self.direction)
                else:
                    more = bank_rule.sectors(offsets, self.width), 0
                paid += more[0]
                conflicts += more[1]
        return instructions, paid, conflicts

    def steps(self, shape: dict[str, int]) -> int:
        """Return how often a block takes the step at this shape."""
        return shape[self.step[0]] // self.step[1] if self.step else 1
