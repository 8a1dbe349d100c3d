"""``predictions``: what became of every prediction, and which model can be believed where.

- ``predictions findings``  what the sums say, in sentences
- ``predictions models``    the sums of each model over all ladders
- ``predictions ladders``   each model on each ladder
- ``predictions figures``   a figure a ladder: predicted against measured factors
- ``predictions``           every prediction, the wrong ones first

No number of it stands in a page's text: all are computed from the kept records. The first record
that has a rung decides; what a later one says otherwise stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from docutils import nodes

from evidence import EvidenceError, ladder_settings, models, outcomes, pages
from evidence.numbers import format_factor
from evidence.outcomes import Outcome, Tally
from rungs_site import kept_records, lesson
from rungs_site.directives import NOTHING, LessonDirective
from rungs_site.kept_records import Kept
from rungs_site.tables import MOST_COLUMNS, Cell, label_link, page_link, paragraph, small, table

ENOUGH = 3  # predictions, below which a model's median says nothing
_CSS = "predictions"
_GUESS = "the guess that nothing changes"


@dataclass(frozen=True)
class Judgements:
    """A ladder with its kept records, and what became of its predictions."""

    ladder: lesson.Ladder
    kept: dict[str, Kept]  # by namespace
    outcomes: list[Outcome]


class Predictions(LessonDirective):
    """``predictions [findings | models | ladders | figures]``: see the module."""

    optional_arguments = 1

    def build(self) -> list[nodes.Node]:
        """Return the sentences, the sums or the predictions."""
        views = {
            "": self._every,
            "findings": self._findings,
            "models": self._models,
            "ladders": self._ladders,
            "figures": self._figures,
        }
        view = self.arguments[0] if self.arguments else ""
        if view not in views:
            raise EvidenceError(f"there is no '{view}'; there is {', '.join(filter(None, views))}")
        found = [self._judged(name) for name in ladder_settings.ladders(Path(self.env.srcdir))]
        if outcomes.tally(_all(found)) is None:
            return [paragraph("No measured record is kept yet, so no prediction is judged.")]
        return views[view](found)

    def _judged(self, name: str) -> Judgements:
        ladder = lesson.load_ladder(self.env, name)
        kept = {one.namespace: one for one in kept_records.kept(self.env, name)}
        records = {namespace: one.record for namespace, one in kept.items()}
        return Judgements(ladder, kept, outcomes.of_ladder(ladder.record, records))

    def _findings(self, found: list[Judgements]) -> list[nodes.Node]:
        """Return what the sums say, as a list."""
        everything = _all(found)
        listed = nodes.bullet_list()
        for parts in [
            *_sums(everything),
            *_better_than_a_guess(everything),
            *_of_changes(everything),
            *self._other_records(everything),
        ]:
            item = nodes.list_item()
            item += paragraph(*parts)
            listed += item
        return [listed]

    def _other_records(self, everything: list[Outcome]) -> list[list[str | nodes.Node]]:
        """Return a sentence for each further record: what it says otherwise."""
        sentences = []
        for name in sorted({name for one in everything for name in one.others}):
            both = [one for one in everything if name in one.others]
            verdicts = sum(one.others[name].verdict != one.judged.verdict for one in both)
            gains = sum(one.others[name].gain != one.judged.gain for one in both)
            sentences.append(
                [
                    f"{name} judges {len(both)} of them too. Its verdict is another on "
                    f"{_number(verdicts)}; whether the step gained, it says otherwise of "
                    f"{_number(gains)}."
                ]
            )
        return sentences

    def _models(self, found: list[Judgements]) -> list[nodes.Node]:
        """Return the sums of each model, and the same beside the guess that nothing changes."""
        tallies = {m: outcomes.tally(of) for m, of in outcomes.by_model(_all(found)).items()}
        total = outcomes.tally(_all(found))
        own, beside = [], []
        for name, tally in [*tallies.items(), ("all", total)]:
            title = _model_cell(name) if name in tallies else [paragraph(nodes.strong("", name))]
            confirmed = f"{tally.confirmed} of {tally.predictions}"
            verdicts = [confirmed, str(tally.refuted), str(tally.not_resolved)]
            own.append([title, *verdicts, _off(tally.off)])
            changes = small(f"changes: {tally.changes_confirmed}")
            confirmed = [paragraph(str(tally.confirmed)), changes]
            guess = [str(tally.no_change_confirmed), _off(tally.off_by_no_change)]
            beside.append([title[0].deepcopy(), confirmed, guess[0], _off(tally.off), guess[1]])
        return [
            table(["Model", "Confirmed", "Refuted", "Not resolved", "Misses by"], own, _CSS),
            _note(
                "Misses by: measured over expected, or the other way round, whichever is above 1; "
                "the median of the model's predictions. The model that misses least comes first."
            ),
            table(["Model", "Confirmed", "By the guess", "Misses by", "The guess"], beside, _CSS),
            _note(
                f"The guess: {_GUESS}, 1.00x, of the same steps. Changes: how many of the "
                "confirmed expect more than 10 % of difference."
            ),
        ]

    def _ladders(self, found: list[Judgements]) -> list[nodes.Node]:
        """Return each model's sums on each ladder."""
        tables = []
        there = [one for one in found if outcomes.tally(one.outcomes)]
        room = MOST_COLUMNS - 1
        for some in (there[i : i + room] for i in range(0, len(there), room)):
            by_ladder = [outcomes.by_model(one.outcomes) for one in some]
            rows = []
            for model in outcomes.by_model(_all(some)):
                of = [outcomes.tally(models_of.get(model, [])) for models_of in by_ladder]
                rows.append([_model_cell(model), *map(_tally_cell, of)])
            everything = [_tally_cell(outcomes.tally(one.outcomes)) for one in some]
            rows.append([nodes.strong("", "all"), *everything])
            header = [[paragraph(self._ladder_link(one.ladder))] for one in some]
            tables.append(table(["Model", *header], rows, _CSS))
        note = "Confirmed of all that were judged, and the median by which they miss. "
        return [*tables, _note(note + f"Guess: the same of {_GUESS}.")]

    def _figures(self, found: list[Judgements]) -> list[nodes.Node]:
        """Return a figure for each ladder that has a prediction which was judged."""
        names = [one.ladder.name for one in found if outcomes.tally(one.outcomes)]
        text = "".join(f"```{{figure-of}} predictions\n:ladder: {n}\n```\n\n" for n in names)
        return self.parse_text_to_nodes(text)

    def _ladder_link(self, ladder: lesson.Ladder) -> nodes.Node:
        title, _ = pages.title_and_change(ladder.repo / "lessons" / ladder.name / "README.md")
        return page_link(f"lessons/{ladder.name}/index", title, self.env.docname)

    def _every(self, found: list[Judgements]) -> list[nodes.Node]:
        """Return a section for each verdict, with a row a prediction."""
        of = {one.ladder.name: one for one in found}
        sorted_ones = outcomes.wrong_first(_all(found))
        sections = []
        for verdict in outcomes.VERDICTS:
            some = [one for one in sorted_ones if one.judged.verdict == verdict]
            if verdict == outcomes.NOT_MEASURED and not some:
                continue
            title = f"{verdict[:1].upper()}{verdict[1:]}: {len(some) or 'none'}"
            section = nodes.section(ids=[nodes.make_id(f"predictions-{verdict}")])
            section += nodes.title("", title)
            header = ["Rung and model", "Expected", "Measured", "Misses by", "Gain"]
            if some:
                rows = [self._row(of[one.ladder], one) for one in some]
                section += table(header, rows, _CSS)
            sections.append(section)
        return sections

    def _row(self, judgements: Judgements, one: Outcome) -> list[Cell]:
        ladder, judged = judgements.ladder, one.judged
        key = f"{ladder.name}/{one.rung}"
        link = page_link(ladder.docname(one.rung), key, self.env.docname)
        name = [paragraph(link), paragraph(_code(judged.model))]
        off = NOTHING if one.off is None else _off(one.off)
        gain = [paragraph(judged.gain), *self._differing(one)]
        return [name, format_factor(judged.expected), self._measured(judgements, one), off, gain]

    def _measured(self, judgements: Judgements, one: Outcome) -> Cell:
        """Return a rung's factor, which leads to its row in the record, and its interval."""
        factor = one.judged.factor
        if factor is None:
            return NOTHING
        text = format_factor(factor.value, 3)
        label = kept_records.number_label(judgements.kept[one.record].path, f"{one.rung}/factor")
        link = label_link(label, [nodes.inline(text, text)], self.env.docname)
        return [paragraph(link), small(kept_records.format_factor_range(factor))]

    def _differing(self, one: Outcome) -> list[nodes.Node]:
        """Return what each further record says otherwise, in short lines."""
        lines = []
        for name, judged in one.differing.items():
            parts = [judged.verdict] if judged.verdict != one.judged.verdict else []
            parts += [judged.gain] if judged.gain != one.judged.gain else []
            lines += [small(f"{name}:"), *map(small, parts)]
        return lines


def _all(found: list[Judgements]) -> list[Outcome]:
    return [outcome for one in found for outcome in one.outcomes]


def _sums(everything: list[Outcome]) -> list[list[str | nodes.Node]]:
    """Return how many predictions held, and by how much they miss."""
    tally = outcomes.tally(everything)
    held = f"{tally.confirmed} of {tally.predictions} predictions are confirmed"
    return [
        [
            nodes.strong("", held),
            f", {tally.refuted} refuted, {tally.not_resolved} not resolved. "
            f"Half of them miss by {_off(tally.off)} or more.",
        ],
        [
            nodes.strong("", f"{_GUESS[:1].upper()}{_GUESS[1:]} does "),
            nodes.strong("", _compared(tally) + "."),
            f" Of the same steps it meets {tally.no_change_confirmed}, and half of its misses are "
            f"{_off(tally.off_by_no_change)} or more.",
        ],
    ]


def _compared(tally: Tally) -> str:
    if tally.off_by_no_change == tally.off:
        return "as well"
    return "better" if tally.off_by_no_change < tally.off else "worse"


def _better_than_a_guess(everything: list[Outcome]) -> list[list[str | nodes.Node]]:
    """Return which models miss less than the guess, over all ladders and on which one."""
    over_all = _ahead(everything)
    on_own = " than that guess on its own steps."
    parts: list[str | nodes.Node] = [f"Of the models with {ENOUGH} predictions or more, "]
    if over_all:
        parts += [*_listed(over_all), f" less{on_own}"]
    else:
        parts.append(f"none misses less{on_own}")
    for ladder in dict.fromkeys(one.ladder for one in everything):
        ahead = _ahead([one for one in everything if one.ladder == ladder])
        if ahead:
            parts += [f" On {ladder} ", *_listed(ahead), " less."]
        else:
            parts.append(f" On {ladder} none does.")
    return [parts]


def _ahead(some: list[Outcome]) -> dict[str, Tally]:
    tallies = {model: outcomes.tally(of) for model, of in outcomes.by_model(some).items()}
    return {
        model: tally
        for model, tally in tallies.items()
        if tally.predictions >= ENOUGH and tally.off < tally.off_by_no_change
    }


def _listed(tallies: dict[str, Tally]) -> list[str | nodes.Node]:
    """Return the models with their misses and those of the guess; the verb follows."""
    parts: list[str | nodes.Node] = []
    for index, (model, tally) in enumerate(tallies.items()):
        if index:
            parts.append(" and " if index == len(tallies) - 1 else ", ")
        parts += [_code(model), f" ({_off(tally.off)} against {_off(tally.off_by_no_change)})"]
    return [*parts, " misses" if len(tallies) == 1 else " miss"]


def _of_changes(everything: list[Outcome]) -> list[list[str | nodes.Node]]:
    """Return how many confirmed predictions expected something, and how many the contrary."""
    tally = outcomes.tally(everything)
    changes = [o.judged.model for o in everything if _is_confirmed_change(o)]
    most = max(changes, key=changes.count, default=None)
    sentence = f"Of the confirmed ones {_number(tally.changes_confirmed)} expected a change"
    parts: list[str | nodes.Node] = [sentence]
    if most is not None:
        parts += [f"; {changes.count(most)} of these are of ", _code(most)]
    parts.append(". The others said that nothing would change, and nothing did.")
    wrong_way = f"{_number(tally.wrong_way)} of all expected a change, and the step went the other"
    wrong_way = f"{wrong_way[:1].upper()}{wrong_way[1:]} way by more than the noise."
    return [*([parts] if tally.confirmed else []), [wrong_way]]


def _is_confirmed_change(one: Outcome) -> bool:
    return one.judged.verdict == "confirmed" and one.expects_change


def _number(count: int) -> str:
    return str(count) if count else "none"


def _off(value: float) -> str:
    return format_factor(value)


def _tally_cell(tally: Tally | None) -> Cell:
    """Return how many held of how many, by how much they miss, and the same of the guess."""
    if tally is None:
        return NOTHING
    guess = f"guess {tally.no_change_confirmed}, {_off(tally.off_by_no_change)}"
    held = f"{tally.confirmed} of {tally.predictions}, {_off(tally.off)}"
    return [paragraph(held), small(guess)]


def _model_cell(name: str) -> list[nodes.Node]:
    known = models.MODELS.get(name)
    return [paragraph(_code(name)), *([small(known.label)] if known else [])]


def _code(text: str) -> nodes.literal:
    return nodes.literal("", text)


def _note(text: str) -> nodes.paragraph:
    note = paragraph(text)
    note["classes"].append("under-table")
    return note
