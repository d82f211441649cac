"""Fact sheets: what a task asks about every system, and how answers are said."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.tasks.bundle.schema import Question
from leaderboard.tasks.models import Task

Fact = str | int | float | bool


@dataclass(frozen=True)
class Answer:
    """What was said to one question."""

    question: Question
    value: Fact

    @property
    def text(self) -> str:
        if isinstance(self.value, bool):
            return _("yes") if self.value else _("no")
        if isinstance(self.value, int | float):
            return f"{self.value:,.15g}"
        return str(self.value)

    @property
    def short(self) -> str:
        """A link as people say it, without https."""
        return self.text.partition("://")[2] if self.is_link else self.text

    @property
    def is_link(self) -> bool:
        return self.question.kind == "link"


def questions(task: Task) -> tuple[Question, ...]:
    """All, hidden ones too, in order."""
    return tuple(Question.of(table) for table in task.fact_sheet)


def asked(task: Task) -> tuple[Question, ...]:
    return tuple(one for one in questions(task) if not one.hidden)


def public(task: Task) -> tuple[Question, ...]:
    """Those whose answers everybody may see."""
    return tuple(one for one in asked(task) if one.public)


def answers(found: Iterable[Question], facts: Mapping[str, Fact]) -> list[Answer]:
    """The answers given to these questions, in their order."""
    return [Answer(one, facts[one.name]) for one in found if one.name in facts]


def only(found: Iterable[Question], facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """Of all facts those that answer these questions."""
    return {one.question.name: one.value for one in answers(found, facts)}
