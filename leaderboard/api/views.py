"""The API: the same rows, the same intake and the same policy as the pages."""

from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from leaderboard.api import serializers
from leaderboard.boards import snapshots
from leaderboard.boards.printing import board_json
from leaderboard.boards.revisions import phase_or_404
from leaderboard.boards.views import (
    across_or_404,
    board_or_404,
    detailed_board_or_404,
    pairs_or_404,
)
from leaderboard.submissions import access
from leaderboard.submissions.status import status_of
from leaderboard.tasks import access as access_to_tasks
from leaderboard.tasks.access import task_or_404
from leaderboard.tasks.log import notices_of
from leaderboard.tasks.policy import visible_tasks
from scoring.listing import described
from scoring.scorers import all_scorers


@api_view(["GET"])
def root(request: Request) -> Response:
    return Response(
        {
            "tasks": reverse("api-tasks", request=request),
            "scorers": reverse("api-scorers", request=request),
        }
    )


@api_view(["GET"])
def scorers(request: Request) -> Response:
    """Every scorer with its options, measures and an example, from the registry."""
    return Response([described(scorer) for scorer in all_scorers().values()])


@api_view(["GET"])
def tasks(request: Request) -> Response:
    found = visible_tasks(request.user).prefetch_related("phases__test_sets")
    return Response([serializers.task_json(task) for task in found.order_by("slug")])


@api_view(["GET"])
def task(request: Request, slug: str) -> Response:
    return Response(serializers.task_json(task_or_404(slug, request.user)))


@api_view(["GET"])
def board(request: Request, slug: str, phase: str) -> Response:
    """A board; takes the parameters of the page.

    They are board, measure, test_set, entries=all, slice, part, revision, and
    fact.<question>=, fact.<question>.min= and .max= for rows by fact sheet.
    """
    found = phase_or_404(request._request, slug, phase)
    shown = board_or_404(request._request, found)
    return Response(board_json(shown))


@api_view(["GET"])
def compare(request: Request, slug: str, phase: str) -> Response:
    """Every pair of the systems named by `system` (submission ids, repeated)."""
    found = phase_or_404(request._request, slug, phase)
    shown = detailed_board_or_404(request._request, found)
    pairs = pairs_or_404(shown, request.query_params.getlist("system"))
    return Response([pair.exact.as_dict() for pair in pairs])


@api_view(["GET"])
def across(request: Request, slug: str, phase: str) -> Response:
    """Correlations and cumulative variance of one system over the test sets."""
    found = phase_or_404(request._request, slug, phase)
    shown = detailed_board_or_404(request._request, found)
    chosen = across_or_404(shown, request.query_params.get("system", ""))
    return Response(serializers.across_json(chosen))


@api_view(["GET"])
def submission(request: Request, pk: str) -> Response:
    found = access.submission_or_404(request._request, pk)
    return Response(serializers.submission_json(found, status_of(found, request.user)))


@api_view(["GET"])
def log(request: Request, slug: str) -> Response:
    """The public log of changes of a task, newest first."""
    found = notices_of(task_or_404(slug, request.user))
    return Response([serializers.notice_json(notice) for notice in found])


@api_view(["GET"])
def snapshot_list(request: Request, slug: str, phase: str) -> Response:
    """Every snapshot of a phase's board, newest first, without their rows."""
    found = snapshots.of_phase(access_to_tasks.phase_or_404(slug, phase, request.user))
    return Response([serializers.snapshot_json(one) for one in found])


@api_view(["GET"])
def snapshot(request: Request, slug: str, phase: str, start: str) -> Response:
    """One snapshot with its `data`, whose canonical JSON has the `sha256`."""
    of_phase = access_to_tasks.phase_or_404(slug, phase, request.user)
    found = snapshots.snapshot_or_404(of_phase, start)
    return Response({**serializers.snapshot_json(found), "data": found.data})
