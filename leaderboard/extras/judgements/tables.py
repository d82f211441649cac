"""Tables of judgements that an evaluation is scored with, and what waits for some."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID

from leaderboard.extension.models import Evaluation, SubmittedFile, Task, TestSet
from leaderboard.extras.judgements.models import JudgementTable
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


def files_without_table(submissions: Iterable[UUID]) -> dict[UUID, set[Place]]:
    """Files of each submission that have no table. Two queries."""
    wanted = list(submissions)
    tables = current(wanted)
    places: dict[UUID, set[Place]] = {pk: set() for pk in wanted}
    files = SubmittedFile.objects.filter(submission__in=wanted)
    for pk, test_set, run in files.values_list("submission", "test_set", "run"):
        if (test_set, run) not in tables.get(pk, {}):
            places[pk].add((test_set, run))
    return places


def attach(evaluations: Sequence[Evaluation], submissions: Iterable[UUID]) -> None:
    """Note which tables saved evaluations are scored with: those that count now."""
    tables = current(submissions)
    through = JudgementTable.evaluations.through
    through.objects.bulk_create(
        through(evaluation_id=evaluation.pk, judgementtable_id=table.pk)
        for evaluation in evaluations
        for table in tables.get(evaluation.submission_id, {}).values()
    )


class KeptTables:
    """Answers to what `submissions.outside_counts` asks of tables of judgements."""

    def lacking(self, submissions: Iterable[UUID]) -> set[UUID]:
        return {pk for pk, places in files_without_table(submissions).items() if places}

    def attach(
        self, evaluations: Sequence[Evaluation], submissions: Iterable[UUID]
    ) -> None:
        attach(evaluations, submissions)

    def sources_of(
        self, evaluation: Evaluation, test_sets: Iterable[TestSet]
    ) -> dict[TestSet, dict[int, Source]]:
        by_key = {test_set.pk: test_set for test_set in test_sets}
        sources: dict[TestSet, dict[int, Source]] = defaultdict(dict)
        for table in JudgementTable.objects.filter(evaluations=evaluation):
            if table.test_set_id in by_key:
                sources[by_key[table.test_set_id]][table.run] = table.source()
        return sources

    def table_of(
        self, evaluation: Evaluation, test_set: TestSet, run: int
    ) -> JudgementTable | None:
        of_evaluation = JudgementTable.objects.filter(evaluations=evaluation)
        return of_evaluation.filter(test_set=test_set, run=run).first()

    def any_of(self, task: Task) -> bool:
        return JudgementTable.objects.filter(submission__phase__task=task).exists()


KEPT = KeptTables()
