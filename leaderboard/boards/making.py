"""One row of a board from one evaluation, with what is told beside its scores.

A board has a row for each of its systems and shows few of them, so that nearly all of
a row is worked out when it is asked for.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from leaderboard.boards.queries import Entry, Sent
from leaderboard.boards.standing_words import in_words
from leaderboard.submissions import counts_cache
from leaderboard.submissions.models import SystemDescription
from leaderboard.submissions.scores import Score, Scores, Shown, runs_in_words
from leaderboard.tasks.facts import Fact, Question, only
from leaderboard.tasks.models import TestSet
from leaderboard.tasks.policy import Disclosure, name_of
from scoring.measures import Measure
from scoring.standings import Standing

NOT_RANKED = Standing()


@dataclass(frozen=True)
class Beside:
    """What all rows of a board need, read at once.

    `measures` are the columns, the first of the pair ranks; `closes` is the end of
    the phase; `complete` are evaluations with a file for each test set shown.
    """

    measure: Measure
    measures: Sequence[Measure]
    closes: datetime | None
    questions: Sequence[Question] = ()
    shown: Disclosure = field(default_factory=Disclosure)
    entries: Mapping[int, int] = field(default_factory=dict)
    teams: Mapping[int, Entry] = field(default_factory=dict)
    descriptions: Mapping[UUID, SystemDescription] = field(default_factory=dict)
    complete: Collection[int] = ()


class Found(NamedTuple):
    """What a row is made of before its place is known; `numbers` are sorted by."""

    sent: Sent
    scores: Scores
    numbers: Score | Shown

    @property
    def value(self) -> float | None:
        return self.numbers.value

    @property
    def may_rank(self) -> bool:
        return self.value is not None and self.sent.competes


@dataclass(frozen=True)
class Row:
    """One line. `rank` is None for what does not compete and n/a.

    `numbers` are those of the score that it is sorted by. `line_above` says that
    everybody above differs from everybody from here on.
    """

    evaluation: Sent
    by_measure: Scores
    numbers: Score | Shown
    beside: Beside
    rank: int | None = None
    standing: Standing = NOT_RANKED
    line_above: bool = False

    @cached_property
    def sorted_by(self) -> Score:
        return self.by_measure[self.beside.measure.name]

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        """In the order of the columns."""
        return tuple(self.by_measure[measure.name] for measure in self.measures)

    @property
    def measures(self) -> Sequence[Measure]:
        """The columns."""
        return self.beside.measures

    @property
    def team(self) -> str:
        return name_of(self.entry, self.beside.shown)

    @property
    def entry(self) -> Entry:
        return self.beside.teams[self.evaluation.participation_id]

    @property
    def system(self) -> str:
        return self.evaluation.system

    @cached_property
    def submission(self) -> str:
        return str(self.evaluation.submission_id)

    @property
    def received_at(self) -> datetime:
        return self.evaluation.received_at

    @property
    def runs(self) -> int:
        """Of how many runs of the system its scores are means."""
        return self.evaluation.runs

    @property
    def runs_in_words(self) -> str:
        """As "mean of 5 runs (sd 0.42)", of the measure that ranks; empty of one."""
        return runs_in_words(self.runs, self.sorted_by.between_runs)

    @property
    def entries(self) -> int:
        """How many its team has sent."""
        return self.beside.entries.get(self.evaluation.participation_id, 0)

    @property
    def baseline(self) -> bool:
        return self.evaluation.baseline

    @property
    def organizers(self) -> bool:
        """Somebody of its team organizes the task, or did when it came."""
        return self.evaluation.by_organizers

    @property
    def competes(self) -> bool:
        return self.evaluation.competes

    @property
    def complete(self) -> bool:
        return self.evaluation.pk in self.beside.complete

    @property
    def incomplete(self) -> bool:
        return not self.complete

    @property
    def late_admitted(self) -> bool:
        """It came after the end and an organizer let it in."""
        return self._came_after and self.evaluation.admitted_at is not None

    @property
    def after_end(self) -> bool:
        """It came after the end as it is now."""
        return self._came_after and self.evaluation.admitted_at is None

    @property
    def _came_after(self) -> bool:
        """Baselines may come at any time."""
        closes = self.beside.closes
        return closes is not None and not self.baseline and self.received_at >= closes

    @cached_property
    def facts(self) -> Mapping[str, Fact]:
        """The answers that all may see; of a task that asks nothing none are read."""
        questions = self.beside.questions
        return only(questions, self.evaluation.facts) if questions else {}

    @property
    def description(self) -> SystemDescription | None:
        return self.beside.descriptions.get(self.evaluation.submission_id)

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
    def badges(self) -> bool:
        """Whether anything is said beside its name."""
        others = self.baseline or self.organizers
        return others or self.incomplete or self._came_after or self.runs > 1

    @property
    def may_rank(self) -> bool:
        return self.evaluation.competes and self.numbers.value is not None

    @property
    def stands_for(self) -> object:
        return self.evaluation.stands_for

    @property
    def last(self) -> tuple[datetime, int]:
        return self.evaluation.last


def found_of(
    sent: Sequence[Sent], scores: Sequence[Scores], measure: Measure
) -> list[Found]:
    """Each with its score by the measure that ranks, as it is shown."""
    return [
        Found(one, of_one, of_one.shown(measure.name))
        for one, of_one in zip(sent, scores, strict=True)
    ]


def complete(
    evaluations: Sequence[Sent], test_sets: Sequence[TestSet], some: bool
) -> set[int]:
    """Those with a file for each of the test sets; `some`: the phase has more.

    At most one query.
    """
    if not some:
        return {e.pk for e in evaluations if e.complete}
    wanted = {test_set.name for test_set in test_sets}
    found = zip(evaluations, counts_cache.printed_of(evaluations), strict=True)
    return {e.pk for e, printed in found if wanted <= printed.test_sets.keys()}
