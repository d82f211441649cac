"""A task as a bundle: taken away, looked at when changed, applied."""

from dataclasses import asdict
from io import BytesIO
from typing import Any

from django.http import HttpResponse
from django.utils.http import parse_etags, quote_etag
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import organizing_shapes, problems, shapes
from leaderboard.api.endpoint import Endpoint
from leaderboard.api.models import Scope
from leaderboard.api.organizing import BUNDLE, bundle_of
from leaderboard.api.reading import attachment
from leaderboard.organize.applying import CHANGED, apply, changed_gold
from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import export_bundle
from leaderboard.organize.differences import changes, settled
from leaderboard.organize.obstacles import Kept, obstacles
from leaderboard.submissions.uploads import arrived_at
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.bundle import load
from leaderboard.tasks.creation import uploaded
from leaderboard.tasks.models import Task
from leaderboard.tasks.plans import TaskPlan
from leaderboard.tasks.policy import Power
from scoring.errors import Problem, SetupError

ETAG = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of the bundle that was changed. Without it nothing is "
    "applied: the answer says what would change.",
)


class Bundle(Endpoint):
    scopes = {"GET": Scope.ORGANIZE, "POST": Scope.ORGANIZE}
    signed_in = True
    parser_classes = [MultiPartParser]

    @extend_schema(
        responses={**shapes.bytes_of("application/zip"), **shapes.refusals()}
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """The task as a zip with gold and baselines; the same task, the same bytes."""
        task = organized_task_or_404(request._request, slug, Power.EDIT)
        bundle = export_bundle(task)
        answer = attachment(bundle.name, bundle.single(), "application/zip")
        answer["ETag"] = quote_etag(bundle.sha256)
        answer["Cache-Control"] = "private, no-store"
        return answer

    @extend_schema(
        parameters=[ETAG],
        request=BUNDLE,
        responses={
            200: organizing_shapes.BundleResult,
            **shapes.refusals(400, 412, 413, 422),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Say what a changed bundle changes, and with If-Match let it."""
        task = organized_task_or_404(request._request, slug, Power.EDIT)
        sent = bundle_of(request)
        if isinstance(sent, Response):
            return sent
        given = parse_etags(request.headers.get("If-Match", ""))
        # Weak where the answer was compressed on its way.
        matches = {one.removeprefix("W/") for one in given}
        present = quote_etag(export_bundle(task).sha256)
        if matches and matches.isdisjoint({present, "*"}):
            return _changed_meanwhile()
        try:
            return Response(_answer(request, task, sent.read(), bool(matches)))
        except SetupError as error:
            if any(problem.code == CHANGED for problem in error.problems):
                return _changed_meanwhile()
            return problems.unfit("unfit_bundle", error.problems)


def _changed_meanwhile() -> Response:
    said = "the task was changed meanwhile: fetch its bundle again"
    return problems.problem(412, CHANGED, said)


def _answer(request: Request, task: Task, data: bytes, applies: bool) -> dict[str, Any]:
    """Raises SetupError where something stands against it."""
    before = whole_plan(task)
    after = settled(before, load(uploaded("bundle.zip", BytesIO(data))))
    kept = Kept.of(task)
    found: list[Problem] = obstacles(kept, before, after)
    if found:
        raise SetupError(found)
    body = _preview(before, after, kept)
    if applies:
        apply(task, after, request.user, before, arrived_at(request._request))
        task.refresh_from_db()
    etag = quote_etag(export_bundle(task).sha256)
    return {"applied": applies, "etag": etag, **body}


def _preview(before: TaskPlan, after: TaskPlan, kept: Kept) -> dict[str, Any]:
    corrected = changed_gold(before, after)
    return {
        "changes": [
            {name: str(text) for name, text in asdict(one).items()}
            for one in changes(before, after)
        ],
        "corrected_gold": [name for name in corrected if name in kept.test_sets],
    }
