"""Tables of values that were counted outside the site, as scoring asks for them.

A task may declare measures of such values, beside its scorer or in its place. Extras
keep the tables (`OutsideCounts`); a site that left one out goes on with those it kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

from django.utils.module_loading import import_string

from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.models import Task, TestSet
from leaderboard.web.extras import OutsideCounts, of_every_extra
from scoring.source import Source


class OutsideTable(Protocol):
    """A table for one submitted file, as receipts name it.

    `upload_hash` is that of all that came at once; `judged` and `agreement` are the
    number of units with a value, and how much those who judge agree, by column.
    `about` says of whom the values are, where the site knows.
    """

    name: Any
    sha256: Any
    upload_hash: Any
    at: Any
    judged: Any
    agreement: Any
    about: Any


class Keeper(Protocol):
    """Answers of an extra about the tables that it keeps."""

    def lacking(self, submissions: Iterable[UUID]) -> set[UUID]:
        """The submissions of which a file has no table."""

    def attach(
        self, evaluations: Sequence[Evaluation], submissions: Iterable[UUID]
    ) -> None:
        """Note with which tables saved evaluations are scored: those that count now."""

    def sources_of(
        self, evaluation: Evaluation, test_sets: Iterable[TestSet]
    ) -> Mapping[TestSet, Mapping[int, Source]]:
        """Tables that the evaluation is scored with, by test set and run."""

    def table_of(
        self, evaluation: Evaluation, test_set: TestSet, run: int
    ) -> OutsideTable | None:
        """The table that one run was scored with."""

    def any_of(self, task: Task) -> bool:
        """Whether some were taken in for the task."""


def keepers() -> list[Keeper]:
    return [import_string(point.keeper) for point in of_every_extra(OutsideCounts)]


def lacking(submissions: Iterable[UUID]) -> set[UUID]:
    """Submissions that nobody has counted whole."""
    lacking = set(submissions)
    for keeper in keepers():
        lacking &= keeper.lacking(lacking)
    return lacking


def attach(evaluations: Sequence[Evaluation], submissions: Iterable[UUID]) -> None:
    """Note with which tables saved evaluations of these submissions are scored."""
    for keeper in keepers():
        keeper.attach(evaluations, submissions)


def sources_of(
    evaluation: Evaluation, test_sets: Sequence[TestSet]
) -> dict[TestSet, dict[int, Source]]:
    """Tables that an evaluation is scored with, by test set and run."""
    sources: dict[TestSet, dict[int, Source]] = {}
    for keeper in keepers():
        for test_set, tables in keeper.sources_of(evaluation, test_sets).items():
            sources.setdefault(test_set, {}).update(tables)
    return sources


def table_of(
    evaluation: Evaluation, test_set: TestSet, run: int
) -> OutsideTable | None:
    """The table that one run was scored with, if there is one."""
    tables = (keeper.table_of(evaluation, test_set, run) for keeper in keepers())
    return next((table for table in tables if table is not None), None)


def any_of(task: Task) -> bool:
    """Whether submissions of the task were counted outside."""
    return any(keeper.any_of(task) for keeper in keepers())
