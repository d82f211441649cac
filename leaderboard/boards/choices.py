"""Choices in force on a board, in words, with the parameters that made each.

A number of a slice of the data reads like one of the whole: each page, picture and
export that follows the board's address names what was chosen.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.boards.board import Board
from leaderboard.boards.query import level_name
from leaderboard.results.board_sample import Slice
from leaderboard.tasks.policy import Part

# A grouping with more labels than this is a list of documents, not a summary.
MOST_IN_SUMMARY = 12
PART_TITLES = {
    Part.ALL: gettext_lazy("All"),
    Part.PUBLIC: gettext_lazy("Public part"),
    Part.PRIVATE: gettext_lazy("Private part"),
}


@dataclass(frozen=True)
class Chosen:
    """One choice that differs from what a plain board shows.

    `parameter` makes it in an address, as `value`; `title` and `text` say it.
    """

    parameter: str
    value: str
    title: str | Promise
    text: str

    def __str__(self) -> str:
        return f"{self.title}: {self.text}"


def choices_in_force(board: Board, apart: Collection[str] = ()) -> tuple[Chosen, ...]:
    """The choices that decide which numbers a board has, and which of its rows.

    `apart` are parameters that a page does not follow, as a chart of all test sets.
    """
    choices = (*_of_numbers(board), *_of_rows(board))
    return tuple(choice for choice in choices if choice.parameter not in apart)


def _of_numbers(board: Board) -> Iterator[Chosen]:
    named, test_set, part = board.named, board.test_set, board.slice
    number = str(board.gold_revision.number)
    if named:
        yield Chosen("board", named.name, _("Board"), named.title)
    if board.offered and board.measure != board.offered[0]:
        yield Chosen("measure", board.measure.name, _("Measure"), board.measure.title)
    if test_set:
        yield Chosen("test_set", test_set.name, _("Test set"), test_set.title)
    if part:
        yield Chosen("slice", str(part), _("Slice"), f"{part.group}: {part.label}")
    if board.parts and board.part != board.parts[0]:
        yield Chosen("part", board.part, _("Units"), str(PART_TITLES[board.part]))
    if board.level != board.phase.task.level:
        level = level_name(board.level)
        yield Chosen("level", level, _("Intervals"), f"{level}%")
    if board.at:
        values = {"moment": board.phase.local_text(board.at), "number": number}
        text = _("%(moment)s, with version %(number)s of the answer key") % values
        yield Chosen("at", board.at.isoformat(), _("As of"), text)
    if board.query.revision:
        yield Chosen("revision", number, _("Answer key"), number)


def _of_rows(board: Board) -> Iterator[Chosen]:
    if board.query.everything and board.disclosure.everything:
        yield Chosen("entries", "all", _("Entries"), _("All entries"))
    for condition in board.filters:
        ends = {"min": _("%s, from"), "max": _("%s, to")}
        title = ends.get(condition.end, "%s") % condition.question.heading
        yield Chosen(f"fact.{condition.key}", condition.wanted, title, condition.wanted)
    if board.query.search:
        yield Chosen("q", board.query.search, _("Team or system"), board.query.search)


def slices_in_summary(board: Board) -> list[Slice]:
    """The slices that a page beside the charts has room for."""
    return [
        Slice(group, label)
        for group, labels in board.slices.items()
        if len(labels) <= MOST_IN_SUMMARY
        for label in labels
    ]
