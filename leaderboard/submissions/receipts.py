"""Receipts of published numbers, put together from what the evaluation refers to."""

from pathlib import PurePath

from leaderboard.submissions.models import Evaluation, SubmittedFile
from leaderboard.tasks.models import GoldFile, TestSet
from scoring.receipt import FileHash, Receipt


def receipt_of(evaluation: Evaluation, test_set: TestSet) -> Receipt:
    """The receipt of one test set's scores; `python -m scoring verify` checks it.

    Raises DoesNotExist for a test set that was not sent.
    """
    task = evaluation.submission.phase.task
    results = evaluation.results["test_sets"][test_set.name]
    gold = evaluation.gold_revision.files.get(test_set=test_set)
    system = evaluation.submission.files.get(test_set=test_set)
    return Receipt(
        scorer=task.scorer_name,
        options=task.options,
        unit=task.unit or task.scorer.units[0],
        plan=task.plan(test_set.position),
        gold=_hash(gold, f"{test_set.name}{PurePath(gold.name).suffix}"),
        system=_hash(system, system.name),
        signature=results["signature"],
        measures=results["measures"],
        engine=evaluation.engine,
        gold_revision=evaluation.gold_revision.number,
    )


def _hash(file: GoldFile | SubmittedFile, name: str) -> FileHash:
    """The gold goes by the name of its test set: its own may tell something."""
    return {"file": name, "sha256": file.sha256}
