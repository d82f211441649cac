"""Confidence levels that a reader may choose: 90, 95 or 99 per cent, and the task's."""

from copy import copy

from leaderboard.boards.choices import UnknownChoice
from leaderboard.submissions.board_sample import Field
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.policy import Disclosure

LEVELS = (0.9, 0.95, 0.99)


class Recounted(Field):
    """A field whose numbers come from the counts, since stored ones do not fit."""

    @property
    def whole(self) -> bool:
        return False


def levels_of(task: Task, shown: Disclosure) -> tuple[float, ...]:
    """None where details are withheld: another level is another look at the gold."""
    if not (shown.board and shown.exact and shown.details):
        return ()
    return tuple(sorted({*LEVELS, task.level}))


def chosen_level(phase: Phase, shown: Disclosure, text: str) -> float | None:
    """The level that `?level=95` asks for; None for the task's own.

    Raises UnknownChoice for one that is not offered.
    """
    known = {name_of(level): level for level in levels_of(phase.task, shown)}
    if text and text not in known:
        raise UnknownChoice(text)
    level = known.get(text)
    return None if level == phase.task.level else level


def name_of(level: float) -> str:
    """As in an address, "95"."""
    return f"{level * 100:g}"


def at_level(phase: Phase, level: float) -> Phase:
    """The phase as if its task had that level; it must not be saved."""
    same = copy(phase)
    same.task = copy(phase.task)
    same.task.level = level
    return same
