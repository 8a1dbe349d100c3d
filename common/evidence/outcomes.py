"""What became of the predictions of a ladder, and how far each model can be believed.

A prediction is judged by ``claims``, in each record that is kept. The first record decides the
order and the sums; the others are there to be compared with it.
"""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field

from evidence import claims
from evidence.claims import NOT_MEASURED, Judged
from evidence.verdicts import TOLERANCE

VERDICTS = ("refuted", "not resolved", "confirmed", NOT_MEASURED)  # the wrong ones first


@dataclass(frozen=True)
class Outcome:
    """A prediction, and what became of it in the first record that has its rung."""

    ladder: str
    rung: str
    record: str  # the name of that record
    judged: Judged
    others: dict[str, Judged] = field(default_factory=dict)  # of further records, by their names

    @property
    def off(self) -> float | None:
        """By how much it missed: the larger of measured / expected and its inverse, from 1 up."""
        if self.judged.factor is None:
            return None
        return math.exp(abs(math.log(self.judged.factor.value / self.judged.expected)))

    @property
    def off_by_no_change(self) -> float | None:
        """By how much it would have missed had it expected 1, that nothing changes."""
        found = self.judged.factor
        return None if found is None else math.exp(abs(math.log(found.value)))

    @property
    def expects_change(self) -> bool:
        """Whether it expects more than the 10 % that any prediction may miss by."""
        return abs(math.log(self.judged.expected)) > TOLERANCE

    @property
    def is_wrong_way(self) -> bool:
        """Whether it expects a change, and the step went the other way and not inside the noise."""
        said = "faster" if self.judged.expected > 1 else "slower"
        return self.expects_change and self.judged.gain in {"faster", "slower"} - {said}

    @property
    def differing(self) -> dict[str, Judged]:
        """The further records that say something else of it."""
        mine = (self.judged.verdict, self.judged.gain)
        return {name: j for name, j in self.others.items() if (j.verdict, j.gain) != mine}


@dataclass(frozen=True)
class Tally:
    """How often some predictions held, and by how much they missed."""

    predictions: int
    confirmed: int
    refuted: int
    not_resolved: int
    changes_confirmed: int  # of the confirmed ones, those that expect a change
    no_change_confirmed: int  # how many of the same steps the guess that nothing changes meets
    wrong_way: int
    off: float  # the median
    off_by_no_change: float  # the median


def of_ladder(counts: dict, measured: dict[str, dict]) -> list[Outcome]:
    """Return every prediction of a ladder's rungs, in the ladder's order.

    ``counts`` is its counts record, ``measured`` its measured ones by name, the first one first.
    """
    found = []
    for entry in counts["rungs"]:
        by_model: dict[str, dict[str, Judged]] = {}
        for name, record in measured.items():
            for judged in claims.judge(record, counts, entry["name"]):
                by_model.setdefault(judged.model, {})[name] = judged
        for judgements in by_model.values():
            first = next(
                (n for n, j in judgements.items() if j.factor is not None), next(iter(judgements))
            )
            others = {n: j for n, j in judgements.items() if n != first and j.factor is not None}
            found.append(Outcome(counts["ladder"], entry["name"], first, judgements[first], others))
    return found


def wrong_first(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return them by verdict, as VERDICTS has them; of one, what missed by most comes first."""
    return sorted(outcomes, key=lambda o: (VERDICTS.index(o.judged.verdict), -(o.off or 1)))


def by_model(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return the measured outcomes of each model, the model that misses least first."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.off is not None:
            found.setdefault(outcome.judged.model, []).append(outcome)
    return dict(sorted(found.items(), key=lambda item: (tally(item[1]).off, item[0])))


def tally(outcomes: Iterable[Outcome]) -> Tally | None:
    """Return the sums over the measured ones of these; None if there are none."""
    there = [outcome for outcome in outcomes if outcome.off is not None]
    if not there:
        return None
    verdicts = [outcome.judged.verdict for outcome in there]
    return Tally(
        predictions=len(there),
        confirmed=verdicts.count("confirmed"),
        refuted=verdicts.count("refuted"),
        not_resolved=verdicts.count("not resolved"),
        changes_confirmed=sum(o.judged.verdict == "confirmed" and o.expects_change for o in there),
        no_change_confirmed=sum(math.log(o.off_by_no_change) <= TOLERANCE for o in there),
        wrong_way=sum(o.is_wrong_way for o in there),
        off=statistics.median(o.off for o in there),
        off_by_no_change=statistics.median(o.off_by_no_change for o in there),
    )
