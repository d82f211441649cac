"""Tasks, phases and what is kept of them, to read."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from leaderboard.api import serializers, shapes
from leaderboard.api.endpoint import Endpoint
from leaderboard.api.models import Token
from leaderboard.boards import snapshots
from leaderboard.submissions.uploads import file_name
from leaderboard.tasks import blobs, policy
from leaderboard.tasks.access import phase_or_404, task_or_404
from leaderboard.tasks.log import notices_of
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import visible_tasks
from scoring.report import scorer_description as described
from scoring.scorers import all_scorers


class Root(Endpoint):
    @extend_schema(responses={200: shapes.Root, **shapes.refusals()})
    def get(self, request: Request) -> Response:
        """Where to begin."""
        names = {"tasks": "api-tasks", "scorers": "api-scorers", "schema": "api-schema"}
        found = {key: reverse(name, request=request) for key, name in names.items()}
        return Response(found)


class Me(Endpoint):
    signed_in = True

    @extend_schema(responses={200: shapes.Me, **shapes.refusals()})
    def get(self, request: Request) -> Response:
        """Whose token this is, and what it is good for."""
        token = request.auth if isinstance(request.auth, Token) else None
        return Response(
            {
                "email": request.user.email,
                "name": str(request.user),
                "scopes": token.scopes if token else [],
                "task": token.task.slug if token and token.task else None,
                "expires_at": token.expires_at if token else None,
            }
        )


class Scorers(Endpoint):
    @extend_schema(responses={200: shapes.Scorer(many=True), **shapes.refusals()})
    def get(self, request: Request) -> Response:
        """Every scorer with its options, measures and an example."""
        return Response([described(scorer) for scorer in all_scorers().values()])


class Log(Endpoint):
    @extend_schema(responses={200: shapes.Notice(many=True), **shapes.refusals()})
    def get(self, request: Request, slug: str) -> Response:
        """The public log of changes of a task, newest first."""
        found = notices_of(task_or_404(slug, request.user))
        return Response([serializers.notice_json(notice) for notice in found])


def tasks_of(request: Request) -> list[Task]:
    """Those that the reader may see with this token, by slug."""
    found = visible_tasks(request.user).prefetch_related("phases__test_sets")
    if isinstance(request.auth, Token) and request.auth.task_id is not None:
        found = found.filter(pk=request.auth.task_id)
    return list(found.order_by("slug"))


class OneTask(Endpoint):
    @extend_schema(responses={200: shapes.Task, **shapes.refusals()})
    def get(self, request: Request, slug: str) -> Response:
        """A task with its phases, measures and fact sheet."""
        return Response(serializers.task_json(task_or_404(slug, request.user)))


class Phases(Endpoint):
    @extend_schema(responses={200: shapes.Phase(many=True), **shapes.refusals()})
    def get(self, request: Request, slug: str) -> Response:
        """The phases of a task in their order."""
        found = task_or_404(slug, request.user).phases.prefetch_related("test_sets")
        return Response([serializers.phase_json(phase) for phase in found])


class OnePhase(Endpoint):
    @extend_schema(responses={200: shapes.WholePhase, **shapes.refusals()})
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """A phase with its limits, test sets and all that checking at home takes."""
        found = phase_or_404(slug, phase, request.user)
        return Response(serializers.whole_phase_json(found, request))


class TestSets(Endpoint):
    @extend_schema(responses={200: shapes.TestSet(many=True), **shapes.refusals()})
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """The test sets of a phase; `blind` is null until it opens."""
        found = phase_or_404(slug, phase, request.user)
        return Response(serializers.files_json(found, request))


class BlindFile(Endpoint):
    @extend_schema(
        responses={**shapes.bytes_of("application/octet-stream"), **shapes.refusals()}
    )
    def get(self, request: Request, slug: str, phase: str, name: str) -> HttpResponse:
        """The published input of a test set, byte for byte."""
        found = phase_or_404(slug, phase, request.user)
        if not policy.sees_blind_files(request.user, found):
            raise Http404
        test_set = get_object_or_404(found.test_sets, name=name)
        return attachment(test_set.public_name, blobs.read(test_set.blind_sha256))


class OptionFile(Endpoint):
    @extend_schema(
        responses={**shapes.bytes_of("application/octet-stream"), **shapes.refusals()}
    )
    def get(self, request: Request, slug: str, name: str) -> HttpResponse:
        """A file that the scorer's options name."""
        found = task_or_404(slug, request.user)
        files = {one["file"]: one["sha256"] for one in found.option_files}
        if name not in files or not policy.sees_option_files(request.user, found):
            raise Http404
        return attachment(name, blobs.read(files[name]))


def attachment(
    name: str, data: bytes, media_type: str = "application/octet-stream"
) -> HttpResponse:
    answer = HttpResponse(data, content_type=media_type)
    plain = file_name(name).replace('"', "_").encode("ascii", "replace").decode()
    answer["Content-Disposition"] = f'attachment; filename="{plain}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


class Snapshots(Endpoint):
    @extend_schema(responses={200: shapes.Snapshot(many=True), **shapes.refusals()})
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """Every snapshot of a phase's board, newest first, without their rows."""
        found = snapshots.of_phase(phase_or_404(slug, phase, request.user))
        return Response([serializers.snapshot_json(one) for one in found])


class OneSnapshot(Endpoint):
    @extend_schema(responses={200: shapes.WholeSnapshot, **shapes.refusals()})
    def get(self, request: Request, slug: str, phase: str, start: str) -> Response:
        """One snapshot with its `data`, whose canonical JSON has the `sha256`."""
        of_phase = phase_or_404(slug, phase, request.user)
        found = snapshots.snapshot_or_404(of_phase, start)
        body: dict[str, Any] = serializers.snapshot_json(found)
        return Response({**body, "data": found.data})
