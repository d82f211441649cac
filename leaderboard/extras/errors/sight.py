"""Whether a reader finds anything in the error browser of a submission."""

from typing import Any

from leaderboard.extension import policy
from leaderboard.extension.models import EvaluationState
from leaderboard.extension.policy import Sight
from leaderboard.extension.scores import SubmissionStatus


def sees_errors(user: Any, status: SubmissionStatus) -> bool:
    """Whether this reader sees any errors of the submission, in any test set."""
    if status.state != EvaluationState.SCORED:
        return False
    phase = status.submission.phase
    return any(
        policy.sees_errors(user, phase, test_set) is not Sight.NOTHING
        for test_set in phase.test_sets.all()
    )
