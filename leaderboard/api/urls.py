"""Every address below /api/, and the page of a person's tokens."""

from django.urls import URLPattern, path, re_path

from leaderboard.api import (
    boards,
    bundles,
    documentation,
    following,
    organizing,
    reading,
    submitting,
    teams,
)

TASK = "v1/tasks/<slug:slug>"
PHASE = f"{TASK}/<slug:phase>"
ONE = "v1/submissions/<uuid:pk>"

urlpatterns: list[URLPattern] = [
    path("", reading.Root.as_view(), name="api"),
    path("docs/", documentation.page, name="api-docs"),
    path("v1/schema/", documentation.Schema.as_view(), name="api-schema"),
    path("v1/me/", reading.Me.as_view(), name="api-me"),
    path("v1/teams/", teams.Teams.as_view(), name="api-teams"),
    path("v1/scorers/", reading.Scorers.as_view(), name="api-scorers"),
    path("v1/tasks/", organizing.Tasks.as_view(), name="api-tasks"),
    path(f"{TASK}/", reading.OneTask.as_view(), name="api-task"),
    path(f"{TASK}/log/", reading.Log.as_view(), name="api-log"),
    path(f"{TASK}/team/", teams.TeamInTask.as_view(), name="api-team"),
    path(f"{TASK}/submissions/", following.Mine.as_view(), name="api-my-submissions"),
    path(f"{TASK}/bundle/", bundles.Bundle.as_view(), name="api-bundle"),
    path(
        f"{TASK}/gold-revisions/",
        organizing.GoldRevisions.as_view(),
        name="api-gold-revisions",
    ),
    path(
        f"{TASK}/gold-revisions/<int:number>/",
        organizing.OneGoldRevision.as_view(),
        name="api-gold-revision",
    ),
    path(
        f"{TASK}/options/<str:name>",
        reading.OptionFile.as_view(),
        name="api-option-file",
    ),
    path(f"{TASK}/phases/", reading.Phases.as_view(), name="api-phases"),
    path(f"{TASK}/phases/<slug:phase>/", reading.OnePhase.as_view(), name="api-phase"),
    path(f"{PHASE}/test-sets/", reading.TestSets.as_view(), name="api-test-sets"),
    path(
        f"{PHASE}/test-sets/<slug:name>/blind/",
        reading.BlindFile.as_view(),
        name="api-blind-file",
    ),
    path(f"{PHASE}/snapshots/", reading.Snapshots.as_view(), name="api-snapshots"),
    path(
        f"{PHASE}/snapshots/<slug:start>/",
        reading.OneSnapshot.as_view(),
        name="api-snapshot",
    ),
    path(f"{PHASE}/board/", boards.Board.as_view(), name="api-board"),
    path(f"{PHASE}/exports/", boards.Exports.as_view(), name="api-exports"),
    path(f"{PHASE}/exports/<str:form>/", boards.Export.as_view(), name="api-export"),
    path(f"{PHASE}/compare/", boards.Compare.as_view(), name="api-compare"),
    path(f"{PHASE}/across/", boards.Across.as_view(), name="api-across"),
    path(
        f"{PHASE}/submissions/",
        submitting.Submissions.as_view(),
        name="api-submissions",
    ),
    path(f"{ONE}/", following.OneSubmission.as_view(), name="api-submission"),
    path(
        f"{ONE}/evaluations/", following.Evaluations.as_view(), name="api-evaluations"
    ),
    path(f"{ONE}/withdraw/", following.Withdraw.as_view(), name="api-withdraw"),
    path(f"{ONE}/pick/", following.Pick.as_view(), name="api-pick"),
    re_path(r"^(?P<rest>.*)$", documentation.Nothing.as_view(), name="api-nothing"),
]
