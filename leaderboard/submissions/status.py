"""What a submission's page shows: its state in words and its scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase, Task
from scoring.measures import Measure

RELATED = ("evaluations", "phase__test_sets")
WAITING = (State.QUEUED, State.RUNNING)
TEXTS = {
    State.QUEUED: ("Queued", "Waiting for a worker."),
    State.RUNNING: ("Scoring", "A worker is scoring this submission."),
    State.SCORED: ("Scored", ""),
    State.INVALID: ("Not scored", "The file could not be scored; see below."),
    State.TIMEOUT: ("Out of time", "Scoring took longer than the published limit."),
    State.FAILED_SYSTEM: (
        "Our fault",
        "Scoring failed on our side. The attempt was given back to your team.",
    ),
    State.CANCELLED: ("Cancelled", "This evaluation was cancelled."),
}
DELAY = timedelta(minutes=1)


@dataclass(frozen=True)
class Score:
    """One measure of one system. `exact` is as the engine gave it; `value, low, high`
    are as shown, shares times 100. None is n/a."""

    measure: Measure
    exact: Mapping[str, float | None]

    @classmethod
    def of(cls, measure: Measure, found: Mapping[str, Any] | None) -> "Score":
        found = found or {}
        return cls(measure, {key: found.get(key) for key in ("value", "low", "high")})

    def _shown(self, key: str) -> float | None:
        number = self.exact[key]
        return number if number is None or not self.measure.percent else number * 100

    @property
    def value(self) -> float | None:
        return self._shown("value")

    @property
    def low(self) -> float | None:
        return self._shown("low")

    @property
    def high(self) -> float | None:
        return self._shown("high")


@dataclass(frozen=True)
class TestSetScores:
    name: str
    title: str
    scores: list[Score]
    units: int
    signature: str
    remarks: list[str]


@dataclass(frozen=True)
class Status:
    """Everything a template prints about one submission."""

    submission: Submission
    state: str
    title: str
    text: str
    is_waiting: bool
    delayed: bool
    scores: list[Score]
    test_sets: list[TestSetScores]
    problems: list[dict[str, Any]]
    complete: bool

    @property
    def incomplete(self) -> bool:
        """Scored, but not on every test set."""
        return bool(self.scores) and not self.complete

    @property
    def several(self) -> list[TestSetScores]:
        """The test sets where there is more than one to tell apart."""
        return self.test_sets if len(self.test_sets) > 1 else []

    @property
    def headline(self) -> Score | None:
        return self.scores[0] if self.scores else None


def status_of(submission: Submission, user: Any) -> Status:
    """The status under the phase's gold revision, scores as the policy allows.

    Asks no further questions of the database when `RELATED` was prefetched.
    """
    phase = submission.phase
    evaluation = evaluation_of(submission)
    if evaluation is None:
        return _late(submission)
    title, text = TEXTS[State(evaluation.state)]
    shown = policy.sees_own_scores(user, phase)
    results = (evaluation.results or {}) if shown else {}
    since = timezone.now() - evaluation.state_since
    return Status(
        submission=submission,
        state=evaluation.state,
        title=title,
        text=text,
        is_waiting=evaluation.state in WAITING,
        delayed=evaluation.state in WAITING and since > DELAY,
        scores=scores_of(phase.task, results.get("overall")),
        test_sets=_per_test_set(phase, results),
        problems=evaluation.problems,
        complete=evaluation.complete,
    )


def _late(submission: Submission) -> Status:
    text = "It arrived after the end and is kept; an organizer may still admit it."
    return Status(
        submission, "late", "Late", text, False, False, [], [], [], False
    )  # fmt: skip


def evaluation_of(submission: Submission) -> Evaluation | None:
    """The newest evaluation under the gold revision that the phase shows."""
    shown = submission.phase.gold_revision_id
    found = [e for e in submission.evaluations.all() if e.gold_revision_id == shown]
    return max(found, key=lambda e: e.pk, default=None)


def scores_of(task: Task, overall: Mapping[str, Any] | None) -> list[Score]:
    """Shown measures, the headline first; empty before scoring."""
    if not overall:
        return []
    headline = task.headline
    ordered = sorted(task.measures, key=lambda m: m.name != headline)
    return [Score.of(measure, overall.get(measure.name)) for measure in ordered]


def _per_test_set(phase: Phase, results: Mapping[str, Any]) -> list[TestSetScores]:
    stored = results.get("test_sets", {})
    return [
        TestSetScores(
            name=test_set.name,
            title=test_set.title,
            scores=scores_of(phase.task, stored[test_set.name]["measures"]),
            units=stored[test_set.name]["units"],
            signature=stored[test_set.name]["signature"],
            remarks=stored[test_set.name]["remarks"],
        )
        for test_set in phase.test_sets.all()
        if test_set.name in stored
    ]
