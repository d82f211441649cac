"""What a reader chose of a board, checked against what there is to choose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.boards.queries import Sent
from leaderboard.submissions.board_sample import Field, Slice, Split
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.policy import Disclosure, Part
from scoring.measures import Measure


class UnknownChoice(Exception):
    """A measure, test set, slice or part that this board does not have."""


@dataclass(frozen=True)
class BoardQuery:
    """What a reader chose: what ranks, one test set or all, every entry or one each.

    `slice` is "group:label", as in "genre:letter"; `part` is public, private or all
    where units are split. `board` names one of the task's boards. `facts` are filters
    by fact sheet, name or name.min and the value; `columns` the questions shown, None
    for all, and `measures` the measures, none for all. `search` is part of a name,
    `level` per cent as in "95", `at` a day or a time.
    """

    measure: str = ""
    test_set: str = ""
    everything: bool = False
    slice: str = ""
    part: str = ""
    board: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] | None = None
    measures: tuple[str, ...] = ()
    search: str = ""
    level: str = ""
    at: str = ""


def chosen_measure(measures: Sequence[Measure], name: str) -> Measure:
    found = [m for m in measures if m.name == name] if name else measures
    if not found:
        raise UnknownChoice(name)
    return found[0]


def chosen_measures(
    measures: Sequence[Measure], names: Sequence[str], ranks: Measure
) -> tuple[Measure, ...]:
    """Those asked for in their order, and always the one that ranks; none asks for all.

    Names of other boards' measures are let pass: the address may have come from there.
    """
    if not {measure.name for measure in measures} & set(names):
        return tuple(measures)
    return tuple(m for m in measures if m.name in names or m == ranks)


def chosen_test_set(test_sets: Sequence[TestSet], name: str) -> TestSet | None:
    found = [t for t in test_sets if t.name == name] if name else [None]
    if not found:
        raise UnknownChoice(name)
    return found[0]


def chosen_part(shown: Disclosure, name: str) -> Part:
    """The part asked for, else the one that the disclosure puts first."""
    parts = shown.parts or (Part.ALL,)
    found = [part for part in parts if part == name] if name else parts
    if not found:
        raise UnknownChoice(name)
    return found[0]


def slices(
    phase: Phase, evaluations: Sequence[Sent], split: Split | None, shown: Disclosure
) -> Mapping[str, Sequence[str]]:
    """What can be chosen: groupings come from the gold, the fullest entry has all."""
    if not shown.details:
        return {}
    fullest = [max(evaluations, key=lambda e: e.complete)] if evaluations else []
    test_sets = tuple(phase.test_sets.all())
    field = Field(phase, test_sets, tuple(fullest), split=split)
    return field.slices(shown)


def chosen_slice(slices: Mapping[str, Sequence[str]], name: str) -> Slice | None:
    if not name:
        return None
    group, _, label = name.partition(":")
    if label not in slices.get(group, ()):
        raise UnknownChoice(name)
    return Slice(group, label)
