"""One system as its board shows it: scores, doubt, slices, and what came before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nlargest
from itertools import islice
from statistics import median

from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import Chart
from leaderboard.boards.charts.pairwise import contest
from leaderboard.boards.charts.scores import timeline
from leaderboard.boards.charts.slices import on_slice, summary
from leaderboard.boards.entries import BoardEntries, board_entries, in_order
from leaderboard.boards.query import BoardQuery, rankings
from leaderboard.boards.rows import Row
from leaderboard.boards.uncertainty import Uncertainty, uncertainty
from leaderboard.results.board_sample import Slice
from leaderboard.results.score_bars import Axis, Bar
from leaderboard.results.scores import Ends, Score, Scores, printed
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import TestSet
from leaderboard.tasks.policy import Disclosure
from scoring.measures import Measure

MOST_HISTORY = 200
MOST_OTHERS = 200
MOST_FIELD = 30
# Below this share of the resamples a place is not worth a line.
RARE = 0.005


@dataclass(frozen=True)
class SystemSlice:
    """The score on one slice, and what other ranked systems have there."""

    part: Slice
    score: Score
    field: Sequence[float]
    axis: Axis | None = None

    @classmethod
    def of(cls, part: Slice, scores: Sequence[Score]) -> "SystemSlice":
        """The first score is that of the system itself."""
        others = [score.value for score in scores[1:] if score.value is not None]
        return cls(part, scores[0], sorted(others))

    @property
    def on_axis(self) -> list[Ends]:
        return [self.score.ends, *((value, None, None) for value in self.field)]

    @property
    def bar(self) -> Bar | None:
        return self.axis.bar(self.score.ends) if self.axis else None

    @property
    def others(self) -> list[str]:
        """Places of the other systems on the axis."""
        return [self.axis.at(value) for value in self.field] if self.axis else []

    @property
    def middle(self) -> str:
        """The median of the others, as scores are printed."""
        if not self.field:
            return ""
        return printed(median(self.field), self.score.decimals[0])


@dataclass(frozen=True)
class SystemOverview:
    """`row` is the line of the system among the `shown`, all that the reader is shown,
    best first; `ranking` is the board itself, on which it may stand or not."""

    row: Row
    shown: Sequence[Row]
    entries: BoardEntries
    ranking: Board

    @cached_property
    def ranks_as(self) -> Row | None:
        """Its line on the board; None where another entry of the team stands there."""
        same = (
            row for row in self.ranking.rows if row.submission == self.row.submission
        )
        return next(same, None)

    @property
    def ranked(self) -> int:
        """The number of systems with a rank; baselines have none."""
        return sum(row.ranked for row in self.ranking.rows)

    @property
    def doubt(self) -> str:
        """Its possible ranks where there are several."""
        ranks = self.ranks_as.rank_range if self.ranks_as else ""
        return "" if ranks.isdigit() else ranks

    @property
    def test_set(self) -> TestSet | None:
        """The one that this is the ranking of, where each has one of its own."""
        return self.ranking.test_set

    @property
    def shared(self) -> bool:
        """Whether another system has the same rank."""
        rank = self.ranks_as and self.ranks_as.rank
        return sum(row.rank == rank for row in self.ranking.rows if row.ranked) > 1

    @cached_property
    def history(self) -> list[Row]:
        """The entries of the team that are shown, newest first."""
        team = self.row.evaluation.stands_for
        own = [row for row in self.shown if row.evaluation.stands_for == team]
        return nlargest(MOST_HISTORY, own, key=lambda row: row.evaluation.last)

    @cached_property
    def others(self) -> list[Row]:
        """Rows that it can be compared with: of many the best, one of each team."""
        if not self.ranking.disclosure.details:
            return []
        many = len(self.shown) > MOST_OTHERS
        listed = self.entries.one_each if many else self.shown
        own = self.row.submission
        others = (row for row in listed if row.submission != own)
        return list(islice(others, MOST_OTHERS))

    @cached_property
    def parts(self) -> dict[TestSet, Scores]:
        """Its scores on each of several test sets that was sent.

        Not on others that rank by themselves: there it may not be on the board.
        """
        several = self.ranking.several_test_sets and self.test_set is None
        return self.ranking.scores_by_test_set(self.row) if several else {}

    @property
    def measures(self) -> list[tuple[Measure, Score, list[Score]]]:
        """Each with its score overall and on each of the parts."""
        scores = self.row.by_measure
        return [
            (m, scores[m.name], [part[m.name] for part in self.parts.values()])
            for m in self.ranking.measures
        ]

    @cached_property
    def slices(self) -> list["SystemSlice"]:
        """Slices on which the system has a score of the measure that ranks."""
        measure = self.ranking.measure
        rows = [self.row, *self.field]
        found = [
            SystemSlice.of(part, on_slice(self.ranking, rows, part, measure))
            for part in summary(self.ranking)
        ]
        known = [one for one in found if one.score.value is not None]
        axis = Axis.around(ends for one in known for ends in one.on_axis)
        return [replace(one, axis=axis) for one in known]

    @cached_property
    def field(self) -> list[Row]:
        """Other ranked systems: those on the board, of many the best."""
        own = self.row.submission
        ranked = (row for row in self.ranking.rows if row.ranked)
        return [row for row in islice(ranked, MOST_FIELD) if row.submission != own]

    @property
    def leader(self) -> Row | None:
        """The first of the board, if it is another system."""
        first = next((row for row in self.ranking.rows if row.ranked), None)
        own = first is None or first.submission == self.row.submission
        return None if own else first

    @property
    def above(self) -> Row | None:
        """The ranked system on the next place above, if it has a place itself."""
        if self.ranks_as is None or not self.ranks_as.ranked:
            return None
        ranked = [row for row in self.ranking.rows if row.ranked]
        place = ranked.index(self.ranks_as)
        return ranked[place - 1] if place else None

    @cached_property
    def curve(self) -> Chart | None:
        """Its team's entries over time below the best of all that are shown; None for
        a single point of its own alone."""
        board = replace(self.ranking, rows=tuple(self.shown))
        own = {row.submission for row in self.history}
        chart = timeline(board, lambda row: row.submission in own)
        return chart if len(self.shown) > 1 and chart.lines else None

    @cached_property
    def uncertainty(self) -> Uncertainty | None:
        """Where the uncertainty of its scores comes from, if not units alone."""
        return uncertainty(self.ranking, self.row)

    @cached_property
    def places(self) -> Mapping[int, str]:
        """The share of shared resamples by the rank it takes there; none if rare."""
        among = contest(self.ranking)
        if among is None:
            return {}
        for row, shares in zip(among.rows, among.ranks.tolist(), strict=True):
            if row.submission == self.row.submission:
                return {i: printed(s, 2) for i, s in enumerate(shares, 1) if s >= RARE}
        return {}


def overviews_of(
    submission: Submission, disclosure: Disclosure
) -> list[SystemOverview]:
    """On each ranking of its phase that has the submission on the reader's board."""
    found = (overview_on(q, submission, disclosure) for q in rankings(submission.phase))
    return [overview for overview in found if overview is not None]


def overview_on(
    query: BoardQuery, submission: Submission, disclosure: Disclosure
) -> SystemOverview | None:
    """On the board of a query; None where its reader is not shown the submission."""
    entries = board_entries(query, disclosure)
    own = entries.row_of(submission)
    if own is None:
        return None
    shown = in_order(entries.shown, entries.better)
    return SystemOverview(own, shown, entries, entries.ranked(entries.one_each))
