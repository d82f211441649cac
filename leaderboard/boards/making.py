"""One row of a board from one evaluation, with what is told beside its scores."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from leaderboard.boards.ordering import Row
from leaderboard.submissions import stored
from leaderboard.submissions.models import Evaluation, Submission, SystemDescription
from leaderboard.submissions.publishing import Scores, published
from leaderboard.submissions.ranking import Field, Measured, measured
from leaderboard.submissions.scores import Score
from leaderboard.tasks.facts import Question, only
from leaderboard.tasks.models import TestSet
from leaderboard.tasks.policy import Disclosure, name_of
from scoring.measures import Measure


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


def made(evaluation: Evaluation, scores: Scores, beside: Beside) -> Row:
    """Still without a rank."""
    submission = evaluation.submission
    after = _came_after(submission, beside.closes)
    return Row(
        rank=None,
        team=name_of(submission.participation, beside.shown),
        system=submission.system,
        submission=str(submission.pk),
        received_at=submission.received_at,
        entries=beside.entries.get(submission.participation_id, 0),
        baseline=submission.baseline,
        complete=evaluation.pk in beside.complete,
        by_measure=scores,
        measures=beside.measures,
        sorted_by=scores[beside.measure.name],
        evaluation=evaluation,
        late_admitted=after and submission.admitted_at is not None,
        after_end=after and submission.admitted_at is None,
        facts=only(beside.questions, submission.facts),
        description=beside.descriptions.get(submission.pk),
    )


def _came_after(submission: Submission, closes: datetime | None) -> bool:
    """After the end as it is now; baselines may come at any time."""
    if closes is None or submission.baseline:
        return False
    return submission.received_at >= closes


def complete(
    evaluations: Sequence[Evaluation], test_sets: Sequence[TestSet], some: bool
) -> set[int]:
    """Those with a file for each of the test sets; `some`: the phase has more.

    At most one query.
    """
    if not some:
        return {e.pk for e in evaluations if e.complete}
    wanted = {test_set.name for test_set in test_sets}
    found = zip(evaluations, stored.printed_of(evaluations), strict=True)
    return {e.pk for e, printed in found if wanted <= printed.test_sets.keys()}
