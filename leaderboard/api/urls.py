"""Every address below /api/ but those of extras."""

from django.urls import URLPattern, path, re_path

from leaderboard.api import schema
from leaderboard.api.views import base, boards, organize, submissions, tasks

TASK = "v1/tasks/<slug:slug>"
PHASE = f"{TASK}/<slug:phase>"
ONE = "v1/submissions/<uuid:pk>"
VIEWS = [
    ("v1/schema/", schema.SchemaView, "api-schema"),
    ("v1/me/", tasks.MeView, "api-me"),
    ("v1/teams/", tasks.TeamsView, "api-teams"),
    ("v1/teams/results/", tasks.TeamResultsView, "api-team-results"),
    ("v1/scorers/", tasks.ScorersView, "api-scorers"),
    ("v1/tasks/", tasks.TasksView, "api-tasks"),
    (f"{TASK}/", tasks.OneTaskView, "api-task"),
    (f"{TASK}/log/", tasks.LogView, "api-log"),
    (f"{TASK}/team/", tasks.TeamInTaskView, "api-team"),
    (f"{TASK}/submissions/", submissions.MySubmissionsView, "api-my-submissions"),
    (f"{TASK}/bundle/", organize.BundleView, "api-bundle"),
    (f"{TASK}/publication/", organize.PublicationView, "api-publication"),
    (f"{TASK}/gold-revisions/", organize.GoldRevisionsView, "api-gold-revisions"),
    (
        f"{TASK}/gold-revisions/<int:number>/",
        organize.OneGoldRevisionView,
        "api-gold-revision",
    ),
    (f"{TASK}/options/<str:name>", tasks.OptionFileView, "api-option-file"),
    (f"{TASK}/phases/", tasks.PhasesView, "api-phases"),
    (f"{TASK}/phases/<slug:phase>/", tasks.OnePhaseView, "api-phase"),
    (f"{PHASE}/deadline/", organize.DeadlineView, "api-deadline"),
    (f"{PHASE}/extensions/", organize.ExtensionsView, "api-extensions"),
    (f"{PHASE}/test-sets/", tasks.TestSetsView, "api-test-sets"),
    (
        f"{PHASE}/test-sets/<slug:name>/blind/",
        tasks.BlindFileView,
        "api-blind-file",
    ),
    (f"{PHASE}/snapshots/", tasks.SnapshotsView, "api-snapshots"),
    (f"{PHASE}/snapshots/<slug:start>/", tasks.OneSnapshotView, "api-snapshot"),
    (f"{PHASE}/board/", boards.BoardView, "api-board"),
    (f"{PHASE}/exports/", boards.ExportsView, "api-exports"),
    (f"{PHASE}/exports/<str:form>/", boards.ExportView, "api-export"),
    (f"{PHASE}/uncertainty/", boards.UncertaintyView, "api-uncertainty"),
    (f"{PHASE}/check/", submissions.CheckView, "api-check"),
    (f"{PHASE}/submissions/", submissions.SubmissionsView, "api-submissions"),
    (f"{ONE}/", submissions.OneSubmissionView, "api-submission"),
    (f"{ONE}/evaluations/", submissions.EvaluationsView, "api-evaluations"),
    (f"{ONE}/withdraw/", submissions.WithdrawView, "api-withdraw"),
    (f"{ONE}/pick/", submissions.PickView, "api-pick"),
]
urlpatterns: list[URLPattern] = [
    path("", tasks.RootView.as_view(), name="api"),
    path("docs/", schema.page, name="api-docs"),
    *(path(route, view.as_view(), name=name) for route, view, name in VIEWS),
    re_path(r"^(?P<rest>.*)$", base.NotFoundView.as_view(), name="api-nothing"),
]
