"""Questions of the core to the extra that runs programs of tasks (`ProgramRunner`).

Where a site has none, what needs it waits, as for a scorer that is not installed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from django.utils.module_loading import import_string

from leaderboard.submissions.leases import Lease
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.models import Task, TestSet
from leaderboard.web.extras import ProgramRunner, joined
from scoring import Counts, Problem
from scoring.sandbox.fork import Supervision


class NoResult(Exception):
    """A program gave no result that can be used: neither ours nor the team's fault.

    What happened is kept for organizers by the extra.
    """


class OutcomeUnusable(Exception):
    """A run's outcome is not what the task declares; raised in the counting child."""

    def __init__(self, problems: Sequence[Problem], of_run: tuple[int, int]) -> None:
        self.problems, self.of_run = problems, of_run


class Runner(Protocol):
    """Runs the program of a task on what was sent, and keeps what came of it."""

    def pairs(
        self,
        evaluation: Evaluation,
        test_sets: Sequence[TestSet],
        watch: Supervision | None,
    ) -> Mapping[TestSet, tuple[Any, Sequence[Any]]]:
        """Counts by test set. Raises NoResult, and Refused."""

    def count_runs(
        self, task: Task, pair: tuple[Any, Sequence[Any]], remarks: list[str]
    ) -> Counts:
        """Counts of one of these, in the child. Raises Refused and OutcomeUnusable."""

    def note(
        self,
        evaluation: Evaluation,
        test_set: int,
        run: int,
        problems: Sequence[Problem],
    ) -> None:
        """Keep what is wrong with what a run left, found when it was counted."""

    def note_units(self, evaluation: Evaluation, results: Mapping[str, Any]) -> None:
        """Keep how many units there are, where only the program could tell."""

    def finish_failed(self, evaluation: Evaluation, lease: Lease) -> bool:
        """End an evaluation without a result."""


def runner() -> Runner | None:
    point = next(joined(ProgramRunner), None)
    loaded: Runner | None = point and import_string(point.runner)
    return loaded


def lacks_runner(task: Task) -> bool:
    """Whether nobody on this site runs the program that scores the task."""
    return task.scorer.runs_program and runner() is None
