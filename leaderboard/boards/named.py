"""Named boards: other measures, another headline, or some of the test sets only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.boards.choices import UnknownChoice
from leaderboard.tasks.models import Phase, Task, TestSet
from scoring.measures import Measure


@dataclass(frozen=True)
class Named:
    """A view of a phase's board as `Task.boards` describes it, headline first."""

    name: str
    title: str
    measures: tuple[Measure, ...]
    test_sets: tuple[TestSet, ...]


def named_boards(phase: Phase, test_sets: Sequence[TestSet]) -> tuple[Named, ...]:
    """Those that show something in this phase: one of its test sets or more."""
    found = (_named(phase.task, table, test_sets) for table in phase.task.boards)
    return tuple(one for one in found if one.test_sets and one.measures)


def _named(task: Task, table: Mapping[str, Any], test_sets: Sequence[TestSet]) -> Named:
    wanted = table.get("test_sets") or [t.name for t in test_sets]
    names = table.get("measures") or [measure.name for measure in task.measures]
    measures = _known(task, dict.fromkeys([table["headline"], *names]))
    if not measures or measures[0].name != table["headline"]:
        measures = ()  # the headline is of another scorer
    chosen = tuple(t for t in test_sets if t.name in wanted)
    return Named(table["name"], table["title"], measures, chosen)


def _known(task: Task, names: Mapping[str, None]) -> tuple[Measure, ...]:
    found = []
    for name in names:
        try:
            found.append(task.scorer.measure(name))
        except KeyError:
            continue
    return tuple(found)


def chosen_board(found: Sequence[Named], name: str) -> Named | None:
    """None for the board that has no name."""
    if not name:
        return None
    chosen = next((one for one in found if one.name == name), None)
    if chosen is None:
        raise UnknownChoice(name)
    return chosen
