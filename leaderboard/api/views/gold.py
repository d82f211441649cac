"""Gold revisions for organizers: listed, proposed, followed; never what is in them."""

from collections.abc import Sequence

from django.http import Http404
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from leaderboard.api import problems
from leaderboard.api.idempotency import once
from leaderboard.api.models import Scope
from leaderboard.api.problems import ApiError
from leaderboard.api.serializers import (
    GoldRevisionSerializer,
    WholeGoldRevisionSerializer,
)
from leaderboard.api.views.base import IDEMPOTENCY_KEY, Endpoint, answers, form
from leaderboard.organize import gold
from leaderboard.sandbox.fork import JobFailed
from leaderboard.submissions import jobs
from leaderboard.submissions.gold import check
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.models import GoldRevision, Task
from leaderboard.tasks.policy import Power
from leaderboard.teams.refusal import Refusal

PUBLIC_NOTE = {"type": "string", "description": "for everybody, once live"}
GOLD = form(
    {
        "note": {"type": "string", "description": "for organizers alone"},
        "public_note": PUBLIC_NOTE,
    },
    "multipart/form-data",
    description="With a part `file_<test set>` for each corrected file.",
)


class GoldRevisionsView(Endpoint):
    scopes = {"GET": Scope.ORGANIZE, "POST": Scope.ORGANIZE}
    signed_in = True
    parser_classes = [MultiPartParser]

    @answers(GoldRevisionSerializer, many=True)
    def get(self, request: Request, slug: str) -> Sequence[gold.ListedRevision]:
        """The revisions of a task's gold, the newest first; never what is in them."""
        task = organized_task_or_404(request._request, slug, Power.EDIT)
        return gold.listed(task)

    @once
    @answers(
        WholeGoldRevisionSerializer,
        201,
        *(400, 409, 413, 422),
        parameters=[IDEMPOTENCY_KEY],
        request=GOLD,
    )
    def post(self, request: Request, slug: str) -> gold.ListedRevision:
        """Propose corrected gold: a draft under which everything is scored anew."""
        task = organized_task_or_404(request._request, slug, Power.EDIT)
        too_large = getattr(request._request, "too_large", ())
        fields = gold.GoldForm(task, request.data, request.FILES, too_large=too_large)
        if not fields.is_valid():
            raise problems.invalid(fields, 413 if too_large else 422)
        revision = _proposed(request, task, fields)
        jobs.dispatch_after_commit()
        return _listed_or_404(task, revision.number)


def _proposed(request: Request, task: Task, fields: gold.GoldForm) -> GoldRevision:
    correction = check.Correction(
        task=task,
        files=fields.files_by_test_set(),
        by=request.user,
        note=fields.cleaned_data["note"],
        public_note=fields.cleaned_data["public_note"],
    )
    try:
        return check.propose(correction)
    except check.UnfitGold as unfit:
        raise problems.unfit("unfit_gold", unfit.problems) from None
    except Refusal as reason:
        raise ApiError(409, "cannot_revise", str(reason)) from None
    except JobFailed:
        message = "the check failed on our side; the operators can see why"
        raise ApiError(503, "check_failed", message) from None


def _listed_or_404(task: Task, number: int) -> gold.ListedRevision:
    for listed in gold.listed(task):
        if listed.revision.number == number:
            return listed
    raise Http404


class OneGoldRevisionView(Endpoint):
    scopes = {"GET": Scope.ORGANIZE}
    signed_in = True

    @answers(WholeGoldRevisionSerializer)
    def get(self, request: Request, slug: str, number: int) -> gold.ListedRevision:
        """One revision and how far everything is scored under it."""
        task = organized_task_or_404(request._request, slug, Power.EDIT)
        return _listed_or_404(task, number)
