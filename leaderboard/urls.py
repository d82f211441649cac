"""Every address of the site."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from leaderboard.api import tokens
from leaderboard.boards import front_page, task_page, team_results
from leaderboard.boards import views as boards
from leaderboard.boards.charts import page as charts
from leaderboard.boards.exports import views as exports
from leaderboard.handbook import scorers
from leaderboard.handbook import views as handbook
from leaderboard.operations import creation_requests
from leaderboard.operations import views as operations
from leaderboard.operations.admin_site import with_keys_checked
from leaderboard.organize import organizers
from leaderboard.organize import task as creating
from leaderboard.results import views as results
from leaderboard.submissions import views as submissions
from leaderboard.tasks import views as tasks
from leaderboard.teams import views as teams
from leaderboard.web import extras, languages, pages
from leaderboard.web.addresses import ROUTES

# One door, with its limits on guessing, for the admin site too.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
setattr(admin.site, "admin_view", with_keys_checked(admin.site.admin_view))  # noqa: B010
handler400 = "leaderboard.operations.error_pages.not_understood"
handler500 = "leaderboard.operations.error_pages.broken"

urlpatterns = [
    path("", front_page.home, name="home"),
    path("accounts/messages/", teams.mail_choice, name="mail-choice"),
    path("accounts/tokens/", tokens.page, name="tokens"),
    path(
        "accounts/tokens/<int:key>/revoke/", tokens.revoke_on_page, name="token-revoke"
    ),
    # Before pages of extras about a phase: "submissions" is none.
    path(
        "tasks/<slug:slug>/submissions/compare/",
        boards.compare_own,
        name="compare-own",
    ),
    *extras.urls(),
    path("accounts/", teams.profile, name="profile"),
    path("accounts/name/", teams.name, name="profile-name"),
    path("teams/", teams.teams, name="teams"),
    path("teams/results/", team_results.team_results, name="team-results"),
    path("teams/<int:number>/", teams.team, name="team"),
    path("teams/invitations/<str:token>/", teams.invitation, name="team-invitation"),
    path("accounts/", include("allauth.urls")),
    path(ROUTES["messages-off"], teams.messages_by_link, name="messages-off"),
    path(ROUTES["results-off"], teams.results_by_link, name="results-off"),
    path("invitations/<str:token>/", organizers.invitation, name="invitation"),
    path("tasks/new/", creating.new_task, name="new-task"),
    path("tasks/new/form/", creating.new_by_form, name="new-task-form"),
    path("tasks/<slug:slug>/", task_page.task, name="task"),
    path(
        "tasks/<slug:slug>/organize/",
        include("leaderboard.organize.urls"),
    ),
    path("tasks/<slug:slug>/join/", tasks.join_task, name="join"),
    path("tasks/<slug:slug>/team/", tasks.team, name="my-team"),
    path(
        "tasks/<slug:slug>/options/<str:name>",
        tasks.option_file,
        name="option-file",
    ),
    path("tasks/<slug:slug>/data/", tasks.data, name="task-data"),
    path("tasks/<slug:slug>/rules/", tasks.rules, name="task-rules"),
    path("tasks/<slug:slug>/results/", boards.results, name="task-results"),
    path("tasks/<slug:slug>/log/", tasks.log, name="task-log"),
    path("tasks/<slug:slug>/follow/", tasks.follow, name="follow"),
    path("tasks/<slug:slug>/board/", boards.task_board, name="task-board"),
    path("tasks/<slug:slug>/submissions/", results.mine, name="my-submissions"),
    path("tasks/<slug:slug>/<slug:phase>/board/", boards.phase_board, name="board"),
    path("tasks/<slug:slug>/<slug:phase>/charts/", charts.charts, name="charts"),
    path(
        "tasks/<slug:slug>/<slug:phase>/chart.svg",
        charts.chart_file,
        name="chart-file",
    ),
    path(
        "tasks/<slug:slug>/<slug:phase>/snapshots/",
        boards.snapshot_list,
        name="snapshots",
    ),
    path(
        "tasks/<slug:slug>/<slug:phase>/snapshots/<slug:start>/",
        boards.snapshot,
        name="snapshot",
    ),
    path(
        "tasks/<slug:slug>/<slug:phase>/snapshots/<slug:start>/rows.json",
        boards.snapshot_rows,
        name="snapshot-rows",
    ),
    path("tasks/<slug:slug>/<slug:phase>/submit/", submissions.new, name="submit"),
    path("tasks/<slug:slug>/<slug:phase>/kit/", boards.kit, name="kit"),
    path(
        "tasks/<slug:slug>/<slug:phase>/blind/<slug:name>/",
        tasks.blind_file,
        name="blind-file",
    ),
    path(ROUTES["submission"], boards.submission, name="submission"),
    path(
        "submissions/<uuid:pk>/receipt/<slug:name>/",
        results.receipt,
        name="receipt",
    ),
    path(
        "submissions/<uuid:pk>/files/<slug:name>/",
        submissions.sent_file,
        name="sent-file",
    ),
    path("submissions/<uuid:pk>/note/", submissions.note, name="note"),
    path("submissions/<uuid:pk>/pick/", submissions.pick, name="pick"),
    path("submissions/<uuid:pk>/withdraw/", submissions.withdraw, name="withdraw"),
    path("submissions/<uuid:pk>/system/", boards.system, name="system"),
    path("submissions/<uuid:pk>/paper/", submissions.paper, name="system-paper"),
    path("submissions/<uuid:pk>/describe/", submissions.describe, name="describe"),
    path("submissions/<uuid:pk>/facts/", submissions.correct_facts, name="facts"),
    path("scorers/", scorers.scorer_list, name="scorers"),
    path("scorers/<slug:name>/", scorers.scorer, name="scorer"),
    path("api/", include("leaderboard.api.urls")),
    path("language/", languages.choose, name="set-language"),
    path(
        "tasks/<slug:slug>/<slug:phase>/board/exports/",
        exports.board_exports,
        name="board-exports",
    ),
    path(
        "tasks/<slug:slug>/<slug:phase>/board.<str:format>",
        exports.board_export,
        name="board-export",
    ),
    path(
        "tasks/<slug:slug>/<slug:phase>/snapshots/<slug:start>/board.<str:format>",
        exports.snapshot_export,
        name="snapshot-export",
    ),
    path("about/", pages.about, name="about"),
    path("privacy/", pages.privacy, name="privacy"),
    path("accessibility/", pages.accessibility, name="accessibility"),
    path("docs/", handbook.page, name="handbook"),
    path("docs/search/", handbook.find, name="handbook-search"),
    path("docs/files/<path:name>", handbook.file, name="handbook-file"),
    path("docs/<path:name>/", handbook.page, name="handbook-page"),
    path("healthz", operations.healthz, name="healthz"),
    path("readyz", operations.readyz, name="readyz"),
    path("metrics", operations.metrics, name="metrics"),
    # Before the admin's own addresses, among which it is found.
    path("admin/queue/", operations.queue, name="queue"),
    path(
        "admin/requests/",
        creation_requests.creation_requests,
        name="creation-requests",
    ),
    path("admin/", admin.site.urls),
]
