"""The rows of a snapshot as its page prints them: from its data alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from leaderboard.boards.frames import resolved
from leaderboard.submissions.models import SystemDescription
from leaderboard.submissions.scores import ABSENT, FEW
from leaderboard.tasks.facts import Answer, Question

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    value: str
    interval: str


@dataclass(frozen=True)
class Line:
    """One row: `data` is as it was frozen, `described` what came since."""

    data: Values
    cells: Sequence[Cell]
    facts: Sequence[Answer | None]
    described: SystemDescription | None
    line_above: bool

    @property
    def received_at(self) -> datetime:
        return datetime.fromisoformat(self.data["received_at"])

    @property
    def rank_range(self) -> str:
        """Where it is more than the rank itself."""
        low, high = self.data["rank_range"]
        return "" if low == high else f"{low}-{high}"


@dataclass(frozen=True)
class Page:
    """One board of a snapshot."""

    data: Values
    title: str
    questions: Sequence[Question]
    lines: Sequence[Line]

    @property
    def resolves(self) -> str:
        return resolves(self.data)


def resolves(data: Values) -> str:
    """What a board resolves, as a sentence; snapshots of earlier versions do not say.

    Empty where it is not known.
    """
    difference, ranked_by = data.get("resolution"), data["ranked_by"]
    if difference is None:
        return ""
    shares = {one["name"]: one["percent"] for one in data["measures"]}
    return resolved(difference, shares.get(ranked_by, False))


def pages(data: Values, told: Mapping[UUID, SystemDescription]) -> list[Page]:
    return [_page(board, told) for board in data["boards"]]


def _page(board: Values, told: Mapping[UUID, SystemDescription]) -> Page:
    titles = {one["name"]: one["title"] for one in board["boards"]}
    questions = [Question.of(table) for table in board["fact_sheet"]]
    lines = [
        Line(
            row,
            [_cell(board, measure, row) for measure in board["measures"]],
            [_answer(question, row["facts"]) for question in questions],
            told.get(UUID(row["submission"])),
            lined,
        )
        for row, lined in zip(board["rows"], _lined(board["rows"]), strict=True)
    ]
    return Page(board, titles.get(board["board"], ""), questions, lines)


def _lined(rows: Sequence[Values]) -> Iterator[bool]:
    """Whether everybody above differs from everybody from here on."""
    last = 1
    for row in rows:
        cluster = row["cluster"] or last
        yield cluster > last
        last = cluster


def _answer(question: Question, facts: Values) -> Answer | None:
    value = facts.get(question.name)
    return None if value is None else Answer(question, value)


def _cell(board: Values, measure: Values, row: Values) -> Cell:
    score = row["scores"][measure["name"]]
    rounded = board["publication"] != "exact"
    value = _printed(score["value"], measure, rounded, 2)
    if score["value"] is None:
        return Cell(value, "")
    if score["low"] is None or score["high"] is None:
        return Cell(value, f"[{ABSENT}]")
    ends = [_printed(score[end], measure, rounded, 1) for end in ("low", "high")]
    # What was frozen before engine 0.2.0 does not say it.
    mark = FEW if score.get("few_units") else ""
    return Cell(value, f"[{ends[0]}, {ends[1]}]{mark}")


def _printed(
    number: float | None, measure: Values, rounded: bool, decimals: int
) -> str:
    """As boards print it; what was rounded has no more digits than that left."""
    if number is None:
        return ABSENT
    shown = number * 100 if measure["percent"] else number
    if rounded:
        return f"{round(shown, 6) + 0.0:g}"
    digits = decimals if measure["percent"] else 3
    return f"{round(shown, digits) + 0.0:.{digits}f}"
