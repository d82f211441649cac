"""The link from a submission's page to its errors."""

from typing import Any

from django import template

from leaderboard.submissions.models import State
from leaderboard.submissions.status import SubmissionStatus
from leaderboard.tasks import policy
from leaderboard.tasks.policy import Sight

register = template.Library()


@register.filter
def errors_for(status: SubmissionStatus, user: Any) -> bool:
    """True where this reader sees anything of them, in any test set."""
    if status.state != State.SCORED:
        return False
    phase = status.submission.phase
    return any(
        policy.sees_errors(user, phase, test_set) is not Sight.NOTHING
        for test_set in phase.test_sets.all()
    )
