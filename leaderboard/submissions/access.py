"""Who may open which submission; 404 for no."""

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from leaderboard.submissions.models import Submission
from leaderboard.submissions.status import RELATED


def submission_or_404(request: HttpRequest, pk: Any) -> Submission:
    """A submission of the reader's own team, or of a task the reader organizes."""
    related = ("phase__task", "participation__team", "sender")
    rows = Submission.objects.select_related(*related).prefetch_related(*RELATED)
    found = get_object_or_404(rows, pk=pk)
    if may_see(request.user, found):
        return found
    raise Http404


def may_see(user: Any, submission: Submission) -> bool:
    if not user.is_authenticated:
        return False
    team = submission.participation.team
    own = team.memberships.filter(user=user).exists()
    return own or submission.phase.task.is_organized_by(user)
