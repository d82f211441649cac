"""Whether a reader finds anything in the error browser of a submission."""

from typing import Any

from leaderboard.results.status import SubmissionStatus
from leaderboard.submissions.models import EvaluationState
from leaderboard.tasks import policy
from leaderboard.tasks.policy import Sight


def sees_errors(user: Any, status: SubmissionStatus) -> bool:
    """True where this reader sees anything of them, in any test set."""
    if status.state != EvaluationState.SCORED:
        return False
    phase = status.submission.phase
    return any(
        policy.sees_errors(user, phase, test_set) is not Sight.NOTHING
        for test_set in phase.test_sets.all()
    )
