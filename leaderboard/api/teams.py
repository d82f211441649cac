"""The reader's teams, and the one in a task."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import problems, shapes
from leaderboard.api.endpoint import Endpoint
from leaderboard.api.idempotency import once
from leaderboard.api.models import Scope
from leaderboard.api.submitting import KEY
from leaderboard.tasks.access import task_or_404
from leaderboard.tasks.forms import JoinForm
from leaderboard.tasks.models import Task
from leaderboard.tasks.participation import CannotJoin, join, standing_of
from leaderboard.teams.models import Membership, Team

JOINING = {
    "application/json": {
        "type": "object",
        "properties": {
            "team": {"type": "integer", "description": "id of one of your teams"},
            "name": {"type": "string", "description": "name of a new team"},
        },
    }
}


def team_json(team: Team, role: str) -> dict[str, Any]:
    return {"id": team.pk, "name": team.name, "role": role}


class Teams(Endpoint):
    signed_in = True

    @extend_schema(responses={200: shapes.Team(many=True), **shapes.refusals()})
    def get(self, request: Request) -> Response:
        """The teams the reader is a member of."""
        mine = Membership.objects.filter(user=request.user).select_related("team")
        found = [team_json(one.team, one.role) for one in mine.order_by("team__name")]
        return Response(found)


class TeamInTask(Endpoint):
    scopes = {"POST": Scope.SUBMIT}
    signed_in = True

    @extend_schema(responses={200: shapes.Standing, **shapes.refusals()})
    def get(self, request: Request, slug: str) -> Response:
        """With which team the reader takes part."""
        return Response(_standing(request, task_or_404(slug, request.user)))

    @extend_schema(
        parameters=[KEY],
        request=JOINING,
        responses={201: shapes.Standing, **shapes.refusals(400, 409, 422)},
    )
    @once
    def post(self, request: Request, slug: str) -> Response:
        """Enter the task with one of one's teams, or found one."""
        task = task_or_404(slug, request.user)
        data = request.data if isinstance(request.data, dict) else {}
        form = JoinForm(request.user, data)
        if not form.is_valid():
            return problems.invalid(form.errors.get_json_data())
        try:
            with transaction.atomic():
                join(task, form.chosen_team())
        except CannotJoin as reason:
            return problems.problem(409, "cannot_join", str(reason))
        except ValidationError as error:
            return problems.problem(422, "invalid", " ".join(error.messages))
        return Response(_standing(request, task), 201)


def _standing(request: Request, task: Task) -> dict[str, Any]:
    found = standing_of(request.user, task)
    entry = found.entry
    role = ""
    if entry is not None:
        mine = Membership.objects.filter(team=entry.team_id, user=request.user)
        role = mine.values_list("role", flat=True).first() or ""
    return {
        "team": team_json(entry.team, role) if entry else None,
        "status": entry.status if entry else None,
        "text": found.text,
        "may_join": found.may_join,
    }
