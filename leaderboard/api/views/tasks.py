"""Tasks and phases to read, new tasks out of bundles, teams in a task."""

from typing import IO, Any, cast

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpResponse
from django.utils.http import urlencode
from drf_spectacular.utils import OpenApiParameter
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.reverse import reverse

from leaderboard.api import problems, serializers
from leaderboard.api.idempotency import Deferred
from leaderboard.api.models import Scope, Token
from leaderboard.api.problems import ApiError
from leaderboard.api.serializers import StandingSerializer, TeamSerializer
from leaderboard.api.views.base import Endpoint, answers, form, members, value
from leaderboard.api.views.organize import BUNDLE, bundle_of
from leaderboard.boards import snapshots
from leaderboard.boards.team_results import affiliations_of, public_results
from leaderboard.organize.bundle import import_opened, note_on_draft
from leaderboard.tasks import policy
from leaderboard.tasks.access import PHASE, TASK
from leaderboard.tasks.bundle.create import Opened, open_bundle
from leaderboard.tasks.forms import JoinForm
from leaderboard.tasks.models import Fact, Notice, Participation, Phase, Snapshot, Task
from leaderboard.tasks.models.records import notices_of
from leaderboard.tasks.participation import join, standing_of
from leaderboard.tasks.policy import listed_tasks
from leaderboard.tasks.views import blind_file_or_404, option_file_or_404
from leaderboard.teams.creators import require_creator
from leaderboard.teams.models import Membership
from leaderboard.teams.requests import SignedInCall
from leaderboard.web.access import ANYBODY, SIGNED_IN
from scoring.errors import SetupError
from scoring.report import scorer_description
from scoring.scorers import all_scorers

JOINING = form(
    {
        "team": value("integer", "id of one of your teams"),
        "name": value("string", "name of a new team"),
        "anonymous": value(
            "boolean", "hide its name until the end, where the task allows it"
        ),
        "accept_terms": value("boolean", "required where the task has terms"),
        "answer_NAME": value(
            "string",
            "answer to the registration question of that name; yes, no, "
            "true or false where it asks for yes or no",
        ),
    },
    "application/json",
    "application/x-www-form-urlencoded",
)


class RootView(Endpoint):
    access = ANYBODY

    @answers(serializers.RootSerializer)
    def get(self, request: Request) -> dict[str, str]:
        """Addresses to start from."""
        names = {"tasks": "api-tasks", "scorers": "api-scorers", "schema": "api-schema"}
        return {key: reverse(name, request=request) for key, name in names.items()}


class MeView(Endpoint):
    access = SIGNED_IN

    @answers(serializers.MeSerializer)
    def get(self, request: SignedInCall) -> dict[str, Any]:
        """The owner of the token, and its scopes."""
        token = request.auth if isinstance(request.auth, Token) else None
        return {
            "email": request.user.email,
            "name": str(request.user),
            "scopes": token.scopes if token else [],
            "task": token.task.slug if token and token.task else None,
            "expires_at": token.expires_at if token else None,
        }


class ScorersView(Endpoint):
    access = ANYBODY

    @answers(serializers.ScorerSerializer, many=True)
    def get(self, request: Request) -> list[Any]:
        """Every scorer with its options, measures and an example."""
        return [scorer_description(scorer) for scorer in all_scorers().values()]


class TasksView(Endpoint):
    access = ANYBODY
    scopes = {"POST": Scope.ORGANIZE}

    @property
    def any_task(self) -> bool:  # type: ignore[override]
        return self.request.method == "POST"

    def get_parsers(self) -> list[Any]:
        return [MultiPartParser()]

    @answers(serializers.TaskSerializer, many=True)
    def get(self, request: Request) -> QuerySet[Task]:
        """Every task that the reader may see, of unlisted ones the reader's own."""
        phases = Prefetch("phases", policy.with_neighbours(Phase.objects.all()))
        tasks = listed_tasks(request.user).prefetch_related(
            phases,
            "phases__test_sets",
            "questions",
            "registration_questions",
            "named_boards",
        )
        if isinstance(request.auth, Token) and request.auth.task_id is not None:
            tasks = tasks.filter(pk=request.auth.task_id)
        return tasks.order_by("slug")

    @answers(
        serializers.NewTaskSerializer,
        201,
        *(400, 413, 422),
        idempotent=True,
        request=BUNDLE,
    )
    def post(self, request: SignedInCall) -> Deferred:
        """Create a draft task from a bundle; the reader becomes its owner.

        Only organizers see it until it is published on the page "Check and publish",
        even if the bundle says `draft: false`; `note` says so.
        """
        require_creator(request.user)
        bundle = bundle_of(request)
        try:
            read = open_bundle(
                bundle.name or "", cast(IO[bytes], bundle.file), request.user
            )
        except SetupError as error:
            raise problems.unfit("unfit_bundle", error.problems) from None
        return Deferred(lambda: self._create(request, read))

    def _create(self, request: SignedInCall, bundle: Opened) -> dict[str, Any]:
        try:
            draft = import_opened(bundle, request.user)
        except SetupError as error:
            raise problems.unfit("unfit_bundle", error.problems) from None
        answer = self.serialize(serializers.TaskSerializer, draft.task).data
        report = [*draft.taken, *draft.left]
        return {**answer, "note": note_on_draft(bundle.plan), "report": report}


class OneTaskView(Endpoint):
    access = TASK

    @answers(serializers.TaskSerializer)
    def get(self, request: Request, task: Task) -> Task:
        """A task with its phases, measures and fact sheet."""
        return task


class LogView(Endpoint):
    access = TASK

    @answers(serializers.NoticeSerializer, many=True)
    def get(self, request: Request, task: Task) -> QuerySet[Notice]:
        """The public log of changes of a task, newest first."""
        return notices_of(task)


class OptionFileView(Endpoint):
    access = TASK

    @answers(None, media_type="application/octet-stream")
    def get(self, request: Request, task: Task, name: str) -> HttpResponse:
        """A file named in the scorer's options."""
        return option_file_or_404(request.user, task, name)


class PhasesView(Endpoint):
    access = TASK

    @answers(serializers.PhaseSerializer, many=True)
    def get(self, request: Request, task: Task) -> QuerySet[Phase]:
        """The phases of a task in their order."""
        return task.phases.prefetch_related("test_sets")


class OnePhaseView(Endpoint):
    access = PHASE

    @answers(serializers.WholePhaseSerializer)
    def get(self, request: Request, phase: Phase) -> Phase:
        """A phase with its limits, test sets and all that a local check needs."""
        return phase


class TestSetsView(Endpoint):
    access = PHASE

    @answers(serializers.TestSetSerializer, many=True)
    def get(self, request: Request, phase: Phase) -> list[dict[str, Any]]:
        """The test sets of a phase; `blind` is null until it opens."""
        return serializers.test_sets_of(phase, request)


class BlindFileView(Endpoint):
    access = PHASE

    @answers(None, media_type="application/octet-stream")
    def get(self, request: Request, phase: Phase, name: str) -> HttpResponse:
        """The published input of a test set, byte for byte."""
        return blind_file_or_404(request.user, phase, name)


class SnapshotsView(Endpoint):
    access = PHASE

    @answers(serializers.SnapshotSerializer, many=True)
    def get(self, request: Request, phase: Phase) -> QuerySet[Snapshot]:
        """Every snapshot of a phase's board, newest first, without their rows."""
        return snapshots.of_phase(phase)


class OneSnapshotView(Endpoint):
    access = PHASE

    @answers(serializers.WholeSnapshotSerializer)
    def get(self, request: Request, phase: Phase, start: str) -> Snapshot:
        """One snapshot with its `data`, whose canonical JSON has the `sha256`."""
        return snapshots.snapshot_or_404(phase, start)


class TeamsView(Endpoint):
    access = SIGNED_IN

    @answers(TeamSerializer, many=True)
    def get(self, request: SignedInCall) -> QuerySet[Membership]:
        """Teams of which the reader is a member."""
        memberships = Membership.objects.filter(user=request.user)
        return memberships.select_related("team").order_by("team__name")


class TeamResultsView(Endpoint):
    access = ANYBODY

    @answers(
        serializers.TeamResultsSerializer,
        parameters=[
            OpenApiParameter(
                "team", str, required=True, description="the name as boards show it"
            )
        ],
    )
    def get(self, request: Request) -> dict[str, Any]:
        """All results of a team that everybody may see, the newest phase first.

        404 where no public board shows that name, whether or not there is such a team.
        """
        team, results = public_results(request.query_params)
        if not results.results:
            raise Http404
        address = f"{reverse('team-results')}?{urlencode({'team': team})}"
        page = request.build_absolute_uri(address)
        heading = {"team": team, "affiliations": affiliations_of(team), "page": page}
        return heading | results._asdict()


class TeamInTaskView(Endpoint):
    access = TASK.signed_in
    scopes = {"POST": Scope.SUBMIT}
    refused_as = "cannot_join"

    @answers(StandingSerializer)
    def get(self, request: SignedInCall, task: Task) -> dict[str, Any]:
        """The team with which the reader takes part."""
        return _standing(request, task)

    @answers(
        StandingSerializer,
        201,
        *(400, 409, 422),
        idempotent=True,
        request=JOINING,
    )
    def post(self, request: SignedInCall, task: Task) -> Deferred:
        """Join the task with one of the reader's teams or a new one."""
        return Deferred(lambda: self._join(request, task))

    def _join(self, request: SignedInCall, task: Task) -> dict[str, Any]:
        data = members(request)
        fields = JoinForm(request.user, task, data)
        if not fields.is_valid():
            raise problems.invalid(fields)
        try:
            with transaction.atomic():
                join(task, fields.chosen_team(), **fields.conditions())
        except ValidationError as error:
            raise ApiError(422, "invalid", " ".join(error.messages)) from None
        return _standing(request, task)


def _answers(task: Task, entry: Participation | None) -> dict[str, Fact]:
    if entry is None:
        return {}
    names = (question.name for question in task.registration())
    return {name: entry.answers[name] for name in names if name in entry.answers}


def _standing(request: SignedInCall, task: Task) -> dict[str, Any]:
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
        "answers": _answers(task, entry),
    }
