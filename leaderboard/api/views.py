"""The API: the same rows, the same intake and the same policy as the pages."""

from rest_framework import status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.exceptions import NotFound
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from leaderboard.api import serializers
from leaderboard.boards.views import across_or_404, board_or_404, pairs_or_404
from leaderboard.submissions import access, quota
from leaderboard.submissions.forms import UploadForm
from leaderboard.submissions.intake import NotOpen, Unfit, Upload, submit
from leaderboard.submissions.status import status_of
from leaderboard.tasks.access import phase_or_404, task_or_404
from leaderboard.tasks.joining import participation_of
from leaderboard.tasks.models import Task
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
    found = Task.objects.prefetch_related("phases__test_sets").order_by("slug")
    return Response([serializers.task_json(task) for task in found])


@api_view(["GET"])
def task(request: Request, slug: str) -> Response:
    return Response(serializers.task_json(task_or_404(slug)))


@api_view(["GET"])
def board(request: Request, slug: str, phase: str) -> Response:
    """A board; takes the parameters of the page: measure, test_set, entries=all."""
    found = phase_or_404(slug, phase)
    shown = board_or_404(request._request, found)
    return Response(serializers.board_json(shown))


@api_view(["GET"])
def compare(request: Request, slug: str, phase: str) -> Response:
    """Every pair of the systems named by `system` (submission ids, repeated)."""
    found = phase_or_404(slug, phase)
    shown = board_or_404(request._request, found, everything=True)
    pairs = pairs_or_404(shown, request.query_params.getlist("system"))
    return Response([pair.exact.as_dict() for pair in pairs])


@api_view(["GET"])
def across(request: Request, slug: str, phase: str) -> Response:
    """Correlations and cumulative variance of one system over the test sets."""
    found = phase_or_404(slug, phase)
    shown = board_or_404(request._request, found, everything=True)
    chosen = across_or_404(shown, request.query_params.get("system", ""))
    return Response(serializers.across_json(chosen))


@api_view(["GET"])
def submission(request: Request, pk: str) -> Response:
    found = access.submission_or_404(request._request, pk)
    return Response(serializers.submission_json(found, status_of(found, request.user)))


@api_view(["POST"])
@parser_classes([MultiPartParser])
def submissions(request: Request, slug: str, phase: str) -> Response:
    """Upload `file_<test set>` parts with `system`; Idempotency-Key is honoured."""
    found = phase_or_404(slug, phase)
    entry = participation_of(request.user, found.task)
    if entry is None:
        raise NotFound("join the task with a team first")
    form = UploadForm(
        found,
        {**request.data.dict(), "key": _key(request)},
        request.FILES,
        too_large=getattr(request._request, "too_large", ()),
    )
    if not form.is_valid():
        code = 413 if form.too_large else 422
        return Response({"errors": form.errors.get_json_data()}, code)
    upload = Upload(
        phase=found,
        participation=entry,
        sender=request.user,
        key=form.cleaned_data["key"],
        system=form.cleaned_data["system"],
        description=form.cleaned_data["description"],
        arrived_at=request._request.arrived_at,
        files=form.files_by_test_set(),
    )
    return _submitted(request, upload)


def _key(request: Request) -> str:
    return request.headers.get("Idempotency-Key") or request.data.get("key", "")


def _submitted(request: Request, upload: Upload) -> Response:
    try:
        sent = submit(upload)
    except Unfit as unfit:
        problems = [problem.as_dict() for problem in unfit.problems]
        return Response({"problems": problems}, 422)
    except NotOpen:
        return Response({"detail": "the phase has not opened"}, 409)
    except quota.QuotaUsed as used:
        detail = {"detail": str(used), "next_at": used.next_at}
        return Response(detail, status.HTTP_429_TOO_MANY_REQUESTS)
    body = serializers.submission_json(sent, status_of(sent, request.user))
    return Response(body, status.HTTP_201_CREATED)
