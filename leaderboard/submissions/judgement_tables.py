"""Which tables of judgements an evaluation is scored with, and what waits for some."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    JudgementTable,
    SubmittedFile,
)
from leaderboard.tasks.models import TestSet
from scoring.source import Source

# The test set and the number of the run that a file is of.
Place = tuple[int, int]


def current(submissions: Iterable[UUID]) -> dict[UUID, dict[Place, JudgementTable]]:
    """The tables that count now, by submission and place. One query."""
    tables: dict[UUID, dict[Place, JudgementTable]] = defaultdict(dict)
    rows = JudgementTable.objects.filter(submission__in=submissions, replaced_at=None)
    for row in rows:
        tables[row.submission_id][row.test_set_id, row.run] = row
    return tables


def unjudged(submissions: Iterable[UUID]) -> dict[UUID, set[Place]]:
    """Files of each submission that have no table. Two queries."""
    wanted = list(submissions)
    tables = current(wanted)
    places: dict[UUID, set[Place]] = {pk: set() for pk in wanted}
    files = SubmittedFile.objects.filter(submission__in=wanted)
    for pk, test_set, run in files.values_list("submission", "test_set", "run"):
        if (test_set, run) not in tables.get(pk, {}):
            places[pk].add((test_set, run))
    return places


def let_wait(evaluations: Sequence[Evaluation], waits: Mapping[UUID, bool]) -> None:
    """Set the state of rows that are not saved yet, of submissions that take
    judgements: `waits` says of each whether it is counted by nobody else."""
    lacking = unjudged(pk for pk, alone in waits.items() if alone)
    for evaluation in evaluations:
        if lacking.get(evaluation.submission_id):
            evaluation.state = EvaluationState.AWAITING


def attach(evaluations: Sequence[Evaluation], submissions: Iterable[UUID]) -> None:
    """Note which tables saved evaluations are scored with: those that count now."""
    tables = current(submissions)
    through = Evaluation.tables.through
    through.objects.bulk_create(
        through(evaluation_id=evaluation.pk, judgementtable_id=table.pk)
        for evaluation in evaluations
        for table in tables.get(evaluation.submission_id, {}).values()
    )


def sources_of(
    evaluation: Evaluation, test_sets: Iterable[TestSet]
) -> dict[TestSet, dict[int, Source]]:
    """Tables that the evaluation is scored with, by test set and run."""
    by_key = {test_set.pk: test_set for test_set in test_sets}
    found: dict[TestSet, dict[int, Source]] = defaultdict(dict)
    for table in evaluation.tables.order_by("run"):
        if table.test_set_id in by_key:
            found[by_key[table.test_set_id]][table.run] = table.source()
    return found
