"""For organizers: new tasks, gold revisions."""

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import (
    organizing_shapes,
    problems,
    reading,
    serializers,
    shapes,
)
from leaderboard.api.endpoint import Endpoint
from leaderboard.api.idempotency import once
from leaderboard.api.models import Scope
from leaderboard.api.submitting import KEY
from leaderboard.organize import gold
from leaderboard.organize.bundle import import_plan, note_on_draft
from leaderboard.organize.gold import GoldForm
from leaderboard.sandbox.fork import JobFailed
from leaderboard.submissions import accept, proposing, switching
from leaderboard.submissions.revising import CannotRevise
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.bundle import load
from leaderboard.tasks.creation import uploaded
from leaderboard.tasks.forms import BundleForm
from leaderboard.tasks.models import GoldRevision, Task
from leaderboard.tasks.policy import Power
from scoring.errors import SetupError

BUNDLE = {
    "multipart/form-data": {
        "type": "object",
        "properties": {"bundle": shapes.File},
        "required": ["bundle"],
    }
}
GOLD = {
    "multipart/form-data": {
        "type": "object",
        "properties": {
            "note": {"type": "string", "description": "for organizers alone"},
            "public_note": {
                "type": "string",
                "description": "for everybody, once live",
            },
        },
        "description": "With a part `file_<test set>` for each corrected file.",
    }
}


class Tasks(Endpoint):
    scopes = {"POST": Scope.ORGANIZE}

    @property
    def any_task(self) -> bool:  # type: ignore[override]
        return self.request.method == "POST"

    def get_parsers(self) -> list[Any]:
        return [MultiPartParser()]

    @extend_schema(responses={200: shapes.Task(many=True), **shapes.refusals()})
    def get(self, request: Request) -> Response:
        """Every task that the reader may see."""
        return Response(
            [serializers.task_json(one) for one in reading.tasks_of(request)]
        )

    @extend_schema(
        parameters=[KEY],
        request=BUNDLE,
        responses={201: shapes.NewTask, **shapes.refusals(400, 413, 422)},
    )
    @once
    def post(self, request: Request) -> Response:
        """Create a draft out of a bundle; the reader owns it.

        Only organizers see it until it is published on the page "Check and publish",
        also when the bundle says `draft: false`; `note` says so.
        """
        sent = bundle_of(request)
        if isinstance(sent, Response):
            return sent
        try:
            plan = load(uploaded(sent.name or "", sent.file))
            made = import_plan(plan, request.user)
        except SetupError as error:
            return problems.unfit("unfit_bundle", error.problems)
        told = {**serializers.task_json(made), "note": note_on_draft(plan)}
        return Response(told, 201)


def bundle_of(request: Request) -> UploadedFile | Response:
    """The part `bundle`, or the answer that says that it is missing or too large."""
    if "bundle" in getattr(request._request, "too_large", ()):
        return problems.problem(413, "too_large", "the bundle is larger than the limit")
    form = BundleForm(request.data, request.FILES)
    if not form.is_valid():
        return problems.invalid(form.errors.get_json_data())
    sent: UploadedFile = form.cleaned_data["bundle"]
    return sent


class GoldRevisions(Endpoint):
    scopes = {"GET": Scope.ORGANIZE, "POST": Scope.ORGANIZE}
    signed_in = True
    parser_classes = [MultiPartParser]

    @extend_schema(
        responses={200: organizing_shapes.GoldRevision(many=True), **shapes.refusals()}
    )
    def get(self, request: Request, slug: str) -> Response:
        """The revisions of a task's gold, the newest first; never what is in them."""
        task = organized_task_or_404(request._request, slug, Power.EDIT)
        return Response([_listed(one) for one in gold.listed(task)])

    @extend_schema(
        parameters=[KEY],
        request=GOLD,
        responses={
            201: organizing_shapes.WholeGoldRevision,
            **shapes.refusals(400, 409, 413, 422),
        },
    )
    @once
    def post(self, request: Request, slug: str) -> Response:
        """Propose corrected gold: a draft under which everything is scored anew."""
        task = organized_task_or_404(request._request, slug, Power.EDIT)
        too_large = getattr(request._request, "too_large", ())
        form = GoldForm(task, request.data, request.FILES, too_large=too_large)
        if not form.is_valid():
            status = 413 if too_large else 422
            return problems.invalid(form.errors.get_json_data(), status)
        return _proposed(request, task, form)


def _proposed(request: Request, task: Task, form: GoldForm) -> Response:
    correction = proposing.Correction(
        task=task,
        files=form.files_by_test_set(),
        by=request.user,
        note=form.cleaned_data["note"],
        public_note=form.cleaned_data["public_note"],
    )
    try:
        made = proposing.propose(correction)
    except proposing.UnfitGold as unfit:
        return problems.unfit("unfit_gold", unfit.problems)
    except CannotRevise as reason:
        return problems.problem(409, "cannot_revise", str(reason))
    except JobFailed:
        said = "the check failed on our side; the operators can see why"
        return problems.problem(503, "check_failed", said)
    accept.tell_queue()
    return Response(_whole(made), 201)


class OneGoldRevision(Endpoint):
    scopes = {"GET": Scope.ORGANIZE}
    signed_in = True

    @extend_schema(
        responses={200: organizing_shapes.WholeGoldRevision, **shapes.refusals()}
    )
    def get(self, request: Request, slug: str, number: int) -> Response:
        """One revision and how far everything is scored under it."""
        task = organized_task_or_404(request._request, slug, Power.EDIT)
        found = get_object_or_404(GoldRevision, task=task, number=number)
        return Response(_whole(found))


def _listed(one: gold.ListedRevision) -> dict[str, Any]:
    revision = one.revision
    return {
        "number": revision.number,
        "state": one.state.name,
        "note": revision.note,
        "public_note": revision.public_note,
        "created_at": revision.created_at,
        "live_at": revision.live_at,
        "corrected": list(one.corrected),
    }


def _whole(revision: GoldRevision) -> dict[str, Any]:
    rows = gold.listed(revision.task)
    listed = next(one for one in rows if one.revision.pk == revision.pk)
    progress = switching.progress_of(revision)
    failures = [
        {"submission": one.submission, "name": one.name, "reason": str(one.reason)}
        for one in gold.failed(revision)
    ]
    numbers = {name: getattr(progress, name) for name in ("total", "ended", "scored")}
    return {**_listed(listed), "progress": numbers, "failures": failures}
