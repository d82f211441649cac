"""Receipts of published numbers, put together from what the evaluation refers to."""

from pathlib import PurePath

from leaderboard.submissions import counts_cache
from leaderboard.submissions.models import Evaluation, SubmittedFile
from leaderboard.tasks.models import GoldFile, TestSet
from scoring.receipt import FileHash, Receipt
from scoring.statistics.resampling import estimates


def receipt_of(evaluation: Evaluation, test_set: TestSet, run: int = 1) -> Receipt:
    """The receipt of one run's scores on one test set.

    `python -m scoring verify` checks it. Raises DoesNotExist for a test set that was
    not sent, or a run that there is not.
    """
    task = evaluation.submission.phase.task
    results = evaluation.results["test_sets"][test_set.name]
    gold = evaluation.gold_revision.files.get(test_set=test_set)
    system = evaluation.submission.files.get(test_set=test_set, run=run)
    measures = results["measures"]
    if evaluation.submission.runs > 1:
        measures = _of_run(evaluation, test_set, run)
    return Receipt(
        scorer=task.scorer_name,
        options=task.options,
        unit=task.unit or task.scorer.units[0],
        plan=task.plan(test_set.position),
        gold=_hash(gold, f"{test_set.name}{PurePath(gold.name).suffix}"),
        system=_hash(system, system.name),
        signature=results["signature"],
        measures=measures,
        engine=evaluation.engine,
        gold_revision=evaluation.gold_revision.number,
    )


def _of_run(
    evaluation: Evaluation, test_set: TestSet, run: int
) -> dict[str, dict[str, float | int | None]]:
    """What is stored is of all runs together; the counts give one again."""
    task = evaluation.submission.phase.task
    ((counts,),) = counts_cache.counts_of([evaluation], [test_set])
    assert counts is not None
    alone = counts.each_run()[run - 1]
    measures, plan = task.scorer.measures(counts.columns), task.plan(test_set.position)
    found = estimates(alone, measures, plan)
    return {name: one.as_dict() for name, one in found.items()}


def _hash(file: GoldFile | SubmittedFile, name: str) -> FileHash:
    """The gold goes by the name of its test set: its own may tell something."""
    return {"file": name, "sha256": file.sha256}
