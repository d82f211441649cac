"""Rows in order: which submission stands for a team, ranks, and how sure they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from leaderboard.boards.standing_words import in_words
from leaderboard.submissions.models import (
    Evaluation,
    Submission,
    SystemDescription,
)
from leaderboard.submissions.scores import Score
from leaderboard.tasks.facts import Fact
from leaderboard.tasks.policy import Counts
from scoring.measures import Measure
from scoring.ranks import rank_of
from scoring.standings import Standing

NOT_RANKED = Standing()


@dataclass(frozen=True)
class Row:
    """One line. `rank` is None for baselines and n/a; `measures` are the columns.

    `late_admitted`: it came after the end and an organizer let it in; `after_end`: it
    came after the end as it is now. `facts` are the answers that all may see.
    `line_above` says that everybody above differs from everybody from here on.
    """

    rank: int | None
    team: str
    system: str
    submission: str
    received_at: datetime
    entries: int
    baseline: bool
    complete: bool
    by_measure: Mapping[str, Score]
    measures: Sequence[Measure]
    sorted_by: Score
    evaluation: Evaluation
    late_admitted: bool = False
    after_end: bool = False
    facts: Mapping[str, Fact] = field(default_factory=dict)
    description: SystemDescription | None = None
    standing: Standing = NOT_RANKED
    line_above: bool = False

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        """In the order of the columns."""
        return tuple(self.by_measure[measure.name] for measure in self.measures)

    @property
    def rank_range(self) -> str:
        """The 95 % range of the rank, "2-5"; empty where it is not known."""
        return self.standing.range

    @property
    def in_words(self) -> str:
        """How sure the rank is, as a sentence."""
        return in_words(self.standing)

    @property
    def ranked(self) -> bool:
        return self.rank is not None

    @property
    def incomplete(self) -> bool:
        return not self.complete

    @property
    def badges(self) -> bool:
        """Whether anything is said beside its name."""
        late = self.late_admitted or self.after_end
        return self.baseline or self.incomplete or late

    @property
    def may_rank(self) -> bool:
        return not self.baseline and self.sorted_by.value is not None

    @property
    def stands_for(self) -> object:
        """One row each is left of these: a team, or a baseline by itself."""
        return self.submission if self.baseline else self._sent.participation_id

    @property
    def last(self) -> tuple[datetime, int]:
        """Greater for what came later."""
        return self.received_at, self.evaluation.pk

    @property
    def picked(self) -> tuple[bool, datetime, int]:
        """Greater for what the team chose, then for what came later."""
        return self._sent.picked, *self.last

    @property
    def _sent(self) -> Submission:
        return self.evaluation.submission


def order(row: Row, higher_is_better: bool) -> tuple[bool, float, datetime]:
    """Best first, n/a last, earlier before later."""
    value = row.sorted_by.value
    if value is None:
        return True, 0.0, row.received_at
    return False, -value if higher_is_better else value, row.received_at


def in_order(rows: Iterable[Row], higher_is_better: bool) -> list[Row]:
    return sorted(rows, key=lambda row: order(row, higher_is_better))


def one_per_team(rows: Iterable[Row], counts: str, higher_is_better: bool) -> list[Row]:
    """The row that counts of each team; baselines all stay."""
    ordered = {
        Counts.BEST: lambda: in_order(rows, higher_is_better),
        Counts.LAST: lambda: sorted(rows, key=lambda row: row.last, reverse=True),
        Counts.CHOSEN: lambda: sorted(rows, key=lambda row: row.picked, reverse=True),
    }
    kept: dict[object, Row] = {}
    for row in ordered[Counts(counts)]():
        kept.setdefault(row.stands_for, row)
    return list(kept.values())


def ranked(
    rows: Iterable[Row],
    higher_is_better: bool,
    standings: Callable[[Sequence[Row]], Sequence[Standing]],
) -> tuple[Row, ...]:
    """Rows in order with their ranks; `standings` says of ranked ones how sure."""
    ordered = in_order(rows, higher_is_better)
    values = [row.sorted_by.value if row.may_rank else None for row in ordered]
    placed = rank_of(values, higher_is_better)
    sure = [row for row in ordered if row.may_rank]
    found = zip((row.submission for row in sure), standings(sure), strict=True)
    return tuple(_with_lines(ordered, placed, dict(found)))


def _with_lines(
    ordered: Sequence[Row],
    placed: Sequence[int | None],
    standings: Mapping[str, Standing],
) -> Iterable[Row]:
    cluster = 1
    for row, rank in zip(ordered, placed, strict=True):
        found = standings.get(row.submission, NOT_RANKED)
        lined = found.cluster is not None and found.cluster > cluster
        cluster = found.cluster or cluster
        yield replace(row, rank=rank, standing=found, line_above=lined)


def kept(rows: Iterable[Row], keeps: Callable[[Row], bool]) -> Iterable[Row]:
    """Some of the rows with the ranks they have; lines anew between those left."""
    last: int | None = None
    for row in filter(keeps, rows):
        own = row.standing.cluster
        lined = own is not None and last is not None and own > last
        last = own or last
        yield replace(row, line_above=lined)
