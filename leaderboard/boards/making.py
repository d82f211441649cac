"""One row of a board from one evaluation, with what is told beside its scores.

A board has a row for each of its systems and shows few of them, so that nearly all of
a row is worked out when it is asked for.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from uuid import UUID

from leaderboard.boards.standing_words import in_words
from leaderboard.submissions import stored
from leaderboard.submissions.models import Evaluation, Submission, SystemDescription
from leaderboard.submissions.publishing import Scores, published
from leaderboard.submissions.ranking import Field, Measured, measured
from leaderboard.submissions.scores import Score
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
    descriptions: Mapping[UUID, SystemDescription] = field(default_factory=dict)
    complete: Collection[int] = ()


class Exact(Mapping[str, Score]):
    """Scores by measure, made when they are asked for.

    A page prints a hundred of a thousand rows, and sorts all of them by one measure.
    """

    def __init__(self, measures: Mapping[str, Measure], found: Measured) -> None:
        self.measures, self.found = measures, found

    def __getitem__(self, name: str) -> Score:
        return Score.of(self.measures[name], self.found.get(name))

    def value(self, name: str) -> float | None:
        """That of the score, without the rest of it."""
        found = self.found.get(name)
        number = found["value"] if found else None
        percent = number is not None and self.measures[name].percent
        return number * 100 if percent else number

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)


def scores_of(
    field: Field, measures: Sequence[Measure], shown: Disclosure
) -> Sequence[Scores]:
    """The scores of each system of the field as the disclosure lets them be seen."""
    if not shown.exact:
        return published(field, measures, shown)
    known = {measure.name: measure for measure in measures}
    return [Exact(known, found) for found in measured(field, measures)]


@dataclass(frozen=True)
class Row:
    """One line. `rank` is None for baselines and n/a, and before ranks are known.

    `value` is the score that it is sorted by. `line_above` says that everybody above
    differs from everybody from here on.
    """

    evaluation: Evaluation
    by_measure: Mapping[str, Score]
    value: float | None
    beside: Beside
    rank: int | None = None
    standing: Standing = NOT_RANKED
    line_above: bool = False

    def placed(self, rank: int | None, standing: Standing, line_above: bool) -> "Row":
        """The same at its place; what was worked out of it already is kept."""
        same = object.__new__(Row)
        place = {"rank": rank, "standing": standing, "line_above": line_above}
        same.__dict__.update(self.__dict__, **place)
        return same

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
        return name_of(self._sent.participation, self.beside.shown)

    @property
    def system(self) -> str:
        return self._sent.system

    @cached_property
    def submission(self) -> str:
        return str(self._sent.pk)

    @property
    def received_at(self) -> datetime:
        return self._sent.received_at

    @property
    def entries(self) -> int:
        """How many its team has sent."""
        return self.beside.entries.get(self._sent.participation_id, 0)

    @property
    def baseline(self) -> bool:
        return self._sent.baseline

    @property
    def complete(self) -> bool:
        return self.evaluation.id in self.beside.complete

    @property
    def incomplete(self) -> bool:
        return not self.complete

    @property
    def late_admitted(self) -> bool:
        """It came after the end and an organizer let it in."""
        return self._came_after and self._sent.admitted_at is not None

    @property
    def after_end(self) -> bool:
        """It came after the end as it is now."""
        return self._came_after and self._sent.admitted_at is None

    @property
    def _came_after(self) -> bool:
        """Baselines may come at any time."""
        closes = self.beside.closes
        return closes is not None and not self.baseline and self.received_at >= closes

    @cached_property
    def facts(self) -> Mapping[str, Fact]:
        """The answers that all may see; of a task that asks nothing none are read."""
        questions = self.beside.questions
        return only(questions, self._sent.facts) if questions else {}

    @property
    def description(self) -> SystemDescription | None:
        return self.beside.descriptions.get(self._sent.pk)

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
        return self.baseline or self.incomplete or self._came_after

    @property
    def may_rank(self) -> bool:
        return not self.baseline and self.value is not None

    @property
    def stands_for(self) -> object:
        """One row each is left of these: a team, or a baseline by itself."""
        return self.submission if self.baseline else self._sent.participation_id

    @property
    def last(self) -> tuple[datetime, int]:
        """Greater for what came later."""
        return self.received_at, self.evaluation.id

    @property
    def picked(self) -> tuple[bool, datetime, int]:
        """Greater for what the team chose, then for what came later."""
        return self._sent.picked, *self.last

    @cached_property
    def _sent(self) -> Submission:
        return self.evaluation.submission


def made(evaluation: Evaluation, scores: Scores, beside: Beside) -> Row:
    """Still without a rank."""
    name = beside.measure.name
    known = isinstance(scores, Exact)
    value = scores.value(name) if known else scores[name].value
    return Row(evaluation, scores, value, beside)


def complete(
    evaluations: Sequence[Evaluation], test_sets: Sequence[TestSet], some: bool
) -> set[int]:
    """Those with a file for each of the test sets; `some`: the phase has more.

    At most one query.
    """
    if not some:
        return {e.id for e in evaluations if e.complete}
    wanted = {test_set.name for test_set in test_sets}
    found = zip(evaluations, stored.printed_of(evaluations), strict=True)
    return {e.id for e, printed in found if wanted <= printed.test_sets.keys()}
