"""The page that compares two submissions of one's own team."""

from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.boards.board import board
from leaderboard.boards.query import BoardQuery, UnknownChoice
from leaderboard.submissions.models import Submission
from leaderboard.submissions.score_progress import gains
from leaderboard.submissions.status import RELATED, SubmissionStatus, statuses_of
from leaderboard.tasks.access import task_or_404
from leaderboard.teams.refusal import Refusal
from scoring.measures import Measure
from scoring.statistics.comparison import Comparison


@login_required
@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Two of one's own, `?submission=` twice; without them only how to choose."""
    task = task_or_404(slug, request.user)
    chosen = request.GET.getlist("submission")
    context: dict[str, Any] = {"task": task, "chosen": len(chosen)}
    if len(chosen) == 2:
        related = ("phase__task", "participation__team")
        own = Submission.objects.by_person(request.user).filter(phase__task=task)
        rows = own.select_related(*related).prefetch_related(*RELATED)
        found = [get_object_or_404(rows, pk=_key_or_404(one)) for one in chosen]
        statuses = statuses_of(found, request.user)
        try:
            context["gains"] = gains(*statuses, lambda *of: _on_board(statuses[0], *of))
        except Refusal:
            context["refused"] = True
    return render(request, "submissions/compare.html", context)


def _on_board(
    status: SubmissionStatus, measure: Measure, found: Comparison
) -> Comparison:
    """Corrected for all pairs of the board by that measure, as the team sees it."""
    view = BoardQuery(measure=measure.name)
    try:
        return board(status.submission.phase, view, status.shown).tests.corrected(found)
    except UnknownChoice:  # A measure that the board does not have.
        return found


def _key_or_404(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None
