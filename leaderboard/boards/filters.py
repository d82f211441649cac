"""Answers of fact sheets as columns of a board, and as filters of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from leaderboard.boards.query import UnknownChoice
from leaderboard.tasks.facts import Fact, Question

LEAST, MOST = "min", "max"
YES_NO = {"yes": True, "no": False}


@dataclass(frozen=True)
class Filter:
    """A condition on the answer to one question, as the address says it.

    `end` is "min" or "max" for one end of a range of numbers, both included, or "".
    """

    question: Question
    wanted: str
    end: str = ""

    def keeps(self, facts: Mapping[str, Fact]) -> bool:
        value = facts.get(self.question.name)
        if self.question.kind == "link":
            return (value is not None) == YES_NO[self.wanted]
        if value is None:
            return False
        if self.question.kind == "number":
            return self._in_range(float(value))
        if self.question.kind == "yes_no":
            return value == YES_NO[self.wanted]
        if self.question.kind == "choice":
            return value == self.wanted
        return self.wanted.casefold() in str(value).casefold()

    def _in_range(self, value: float) -> bool:
        wanted = float(self.wanted)
        if self.end == LEAST:
            return value >= wanted
        return value <= wanted if self.end == MOST else value == wanted

    @property
    def key(self) -> str:
        """As in an address, without the "fact." before it."""
        return f"{self.question.name}.{self.end}" if self.end else self.question.name


def chosen_filters(
    questions: Sequence[Question], pairs: Sequence[tuple[str, str]]
) -> tuple[Filter, ...]:
    """What `fact.<name>=`, `fact.<name>.min=` and `fact.<name>.max=` ask for.

    Raises UnknownChoice for another question, or a value that its kind cannot have.
    """
    known = {one.name: one for one in questions}
    found = []
    for key, wanted in pairs:
        name, _dot, end = key.partition(".")
        if name not in known or not _fits(known[name], wanted, end):
            raise UnknownChoice(key)
        found.append(Filter(known[name], wanted, end))
    return tuple(found)


def _fits(question: Question, wanted: str, end: str) -> bool:
    if question.kind == "number":
        return end in ("", LEAST, MOST) and _is_number(wanted)
    if end:
        return False
    if question.kind in ("yes_no", "link"):
        return wanted in YES_NO
    # A choice that is not offered any more may stand in older answers.
    return True


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def chosen_columns(
    questions: Sequence[Question], names: Sequence[str] | None
) -> tuple[Question, ...]:
    """The questions asked for, in the order of the sheet; None asks for all."""
    if names is None:
        return tuple(questions)
    if not set(names) <= {one.name for one in questions}:
        raise UnknownChoice("column")
    return tuple(one for one in questions if one.name in names)


def keeps_all(filters: Sequence[Filter], facts: Mapping[str, Fact]) -> bool:
    return all(one.keeps(facts) for one in filters)
