"""The reader's teams, and the one in a task."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from rest_framework.request import Request

from leaderboard.api import problems
from leaderboard.api.idempotency import once
from leaderboard.api.models import Scope
from leaderboard.api.problems import ApiError
from leaderboard.api.serializers import StandingSerializer, TeamSerializer
from leaderboard.api.views.base import IDEMPOTENCY_KEY, Endpoint, answers, form
from leaderboard.tasks.access import task_or_404
from leaderboard.tasks.forms import JoinForm
from leaderboard.tasks.models import Task
from leaderboard.tasks.participation import join, standing_of
from leaderboard.teams.models import Membership
from leaderboard.teams.refusal import Refusal

JOINING = form(
    {
        "team": {"type": "integer", "description": "id of one of your teams"},
        "name": {"type": "string", "description": "name of a new team"},
    },
    "application/json",
)


class TeamsView(Endpoint):
    signed_in = True

    @answers(TeamSerializer, many=True)
    def get(self, request: Request) -> QuerySet[Membership]:
        """The teams the reader is a member of."""
        memberships = Membership.objects.filter(user=request.user)
        return memberships.select_related("team").order_by("team__name")


class TeamInTaskView(Endpoint):
    scopes = {"POST": Scope.SUBMIT}
    signed_in = True

    @answers(StandingSerializer)
    def get(self, request: Request, slug: str) -> dict[str, Any]:
        """With which team the reader takes part."""
        return _standing(request, task_or_404(slug, request.user))

    @once
    @answers(
        StandingSerializer,
        201,
        *(400, 409, 422),
        parameters=[IDEMPOTENCY_KEY],
        request=JOINING,
    )
    def post(self, request: Request, slug: str) -> dict[str, Any]:
        """Enter the task with one of one's teams, or found one."""
        task = task_or_404(slug, request.user)
        data = request.data if isinstance(request.data, dict) else {}
        fields = JoinForm(request.user, data)
        if not fields.is_valid():
            raise problems.invalid(fields)
        try:
            with transaction.atomic():
                join(task, fields.chosen_team())
        except Refusal as reason:
            raise ApiError(409, "cannot_join", str(reason)) from None
        except ValidationError as error:
            raise ApiError(422, "invalid", " ".join(error.messages)) from None
        return _standing(request, task)


def _standing(request: Request, task: Task) -> dict[str, Any]:
    standing = standing_of(request.user, task)
    entry = standing.entry
    team = None
    if entry is not None:
        # No longer a member: the role is empty.
        team = Membership.objects.filter(team=entry.team_id, user=request.user).first()
        team = team or Membership(team=entry.team, role="")
    return {
        "team": team,
        "status": entry and entry.status,
        "text": standing.text,
        "may_join": standing.may_join,
    }
