"""Changes that a prepared gold revision would make: scores, ranks, lines, prizes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.query import rankings
from leaderboard.boards.rows import Row
from leaderboard.boards.stored_board import newest_board
from leaderboard.results.scores import printed, team_of, with_sign
from leaderboard.tasks import policy
from leaderboard.tasks.models import GoldRevision, Phase, Task
from leaderboard.web.languages import in_english
from scoring.measures import Measure

MOST_IN_NOTICE = 12


@dataclass(frozen=True)
class GoldChangeLine:
    """One team, or one baseline, before and after; None where it is not on the board.

    The rows differ in their system where another entry has become the team's best.
    """

    before: Row | None
    after: Row | None
    prizes: int

    @property
    def row(self) -> Row:
        row = self.after or self.before
        assert row is not None
        return row

    @property
    def other_system(self) -> str:
        """The entry that stood for the team before, where it was another."""
        if self.before is None or self.after is None:
            return ""
        same = self.before.submission == self.after.submission
        return "" if same else self.before.system

    @cached_property
    def change(self) -> float | None:
        """The score after less that before, as shown (shares times 100)."""
        before, after = (row.sorted_by.value if row else None for row in self._rows)
        return None if before is None or after is None else after - before

    @property
    def signed_change(self) -> str:
        """ "+0.42", "−1.30", "0.00"; empty where one side has no score."""
        score = self.row.sorted_by
        return "" if self.change is None else with_sign(self.change, score.decimals[0])

    @property
    def has_new_score(self) -> bool:
        before, after = (row.sorted_by.exact if row else None for row in self._rows)
        return before != after

    @property
    def has_new_rank(self) -> bool:
        before, after = (row.rank if row else None for row in self._rows)
        return before != after

    @property
    def crosses(self) -> bool:
        """Whether more or fewer lines stand above it than before."""
        before, after = (row.standing.cluster if row else None for row in self._rows)
        return None not in (before, after) and before != after

    @property
    def prize(self) -> str:
        """ "gained" or "lost" where it comes into the prize places or leaves them."""
        before, after = (self._wins(row) for row in self._rows)
        return "" if before == after else "gained" if after else "lost"

    @property
    def _rows(self) -> tuple[Row | None, Row | None]:
        return self.before, self.after

    def _wins(self, row: Row | None) -> bool:
        return row is not None and row.rank is not None and row.rank <= self.prizes


@dataclass(frozen=True)
class GoldChangeSheet:
    """A phase by one measure; lines with the largest change first."""

    phase: Phase
    measure: Measure
    lines: Sequence[GoldChangeLine]
    headline: bool
    test_set: str = ""

    @property
    def title(self) -> str:
        """The phase, and the test set where each has a board of its own."""
        return ", ".join(filter(None, [self.phase.title, self.test_set]))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many lines have a changed score, rank, cluster or prize."""
        return {
            "changed": sum(line.has_new_score for line in self.lines),
            "moved": sum(line.has_new_rank for line in self.lines),
            "crosses": sum(line.crosses for line in self.lines),
            "prize": sum(bool(line.prize) for line in self.lines),
        }

    @property
    def largest(self) -> str:
        """The largest change, whichever its direction; empty where no line has a score
        before and after."""
        changes = [abs(line.change) for line in self.lines if line.change is not None]
        if not changes:
            return ""
        return printed(max(changes), self.lines[0].row.sorted_by.decimals[0])


def sheets(
    revision: GoldRevision, reader: Any, everything: bool = False
) -> list[GoldChangeSheet]:
    """Every phase by every measure, as the organizer sees them: exact and whole.

    `everything`: each entry for itself, not only the one that stands for its team.
    """
    task = revision.task
    sheets = []
    for phase in policy.with_neighbours(task.phases.select_related("gold_revision")):
        disclosure = policy.disclosure(reader, phase)
        for measure in phase.task.headline_first:
            for now in rankings(phase, measure=measure.name, everything=everything):
                then = replace(now, revision=revision)
                sheets.append(
                    _sheet(
                        newest_board(now, disclosure, for_readers=True),
                        newest_board(then, disclosure),
                        task,
                    )
                )
    return sheets


def _sheet(now: Board, then: Board, task: Task) -> GoldChangeSheet:
    headline = now.measure.name == task.headline and not now.query.everything
    before, after = _by_identity(now), _by_identity(then)
    lines = [
        GoldChangeLine(before.get(who), after.get(who), task.prizes if headline else 0)
        for who in dict.fromkeys((*after, *before))
    ]
    lines.sort(key=lambda line: -abs(line.change or 0.0))
    own = now.test_set.title if now.test_set is not None else ""
    return GoldChangeSheet(now.phase, now.measure, lines, headline, own)


def _by_identity(ranking: Board) -> dict[Any, Row]:
    """Rows by whose place it is: by team, or by submission where all are shown."""
    return {
        row.submission
        if row.baseline or ranking.query.everything
        else team_of(row.entry): row
        for row in ranking.rows
    }


def in_public(revision: GoldRevision) -> str:
    """The changes of rank on boards that everybody sees, for the public notice.

    Nothing of a board that is hidden, and only ranks, never what changed in the gold.
    """
    sentences = []
    with in_english():
        for phase in revision.task.phases.select_related("task", "gold_revision"):
            public = policy.disclosure(AnonymousUser(), phase)
            if not revision.task.draft and public.board:
                for query in rankings(phase):
                    then = newest_board(replace(query, revision=revision))
                    sheet = _sheet(newest_board(query), then, revision.task)
                    sentences.append(_moves(sheet))
    return "\n\n".join(sentences)


def _moves(sheet: GoldChangeSheet) -> str:
    """ "Test: 2 of 9 systems change their rank: Otters 1 to 2, Voles 2 to 1." """
    ranked = [line for line in sheet.lines if line.row.competes]
    moved = [line for line in ranked if line.has_new_rank]
    of = {"phase": sheet.title, "moved": len(moved), "all": len(ranked)}
    if not moved:
        return _("%(phase)s: no rank changes, of %(all)d on the board.") % of
    moved.sort(key=lambda line: _rank(line.after))
    names = ", ".join(map(_line_in_words, moved[:MOST_IN_NOTICE]))
    head = _("%(phase)s: %(moved)d of %(all)d systems change their rank") % of
    more = len(moved) - MOST_IN_NOTICE
    rest = "" if more <= 0 else ", " + _("and %(more)d more") % {"more": more}
    return f"{head}: {names}{rest}."


def _line_in_words(line: GoldChangeLine) -> str:
    """ "Otters 1 to 2"."""
    places = {
        "team": line.row.team,
        "before": _place(line.before),
        "after": _place(line.after),
    }
    return _("%(team)s %(before)s to %(after)s") % places


def _place(row: Row | None) -> str:
    return _("unranked") if row is None or row.rank is None else str(row.rank)


def _rank(row: Row | None) -> float:
    return float("inf") if row is None or row.rank is None else row.rank
