"""Every address of the site."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from leaderboard.api import views as api
from leaderboard.boards import scorers
from leaderboard.boards import views as boards
from leaderboard.operations import views as operations
from leaderboard.submissions import views as submissions
from leaderboard.tasks import views as tasks

# One door, with its limits on guessing, for the admin site too.
admin.site.login = secure_admin_login(admin.site.login)

urlpatterns = [
    path("", tasks.home, name="home"),
    path("accounts/", include("allauth.urls")),
    path("tasks/new/", tasks.new_task, name="new-task"),
    path("tasks/<slug:slug>/", tasks.task, name="task"),
    path(
        "tasks/<slug:slug>/organize/",
        include("leaderboard.organizing.urls"),
    ),
    path("tasks/<slug:slug>/join/", tasks.join_task, name="join"),
    path(
        "tasks/<slug:slug>/options/<str:name>",
        tasks.option_file,
        name="option-file",
    ),
    path("tasks/<slug:slug>/board/", boards.task_board, name="task-board"),
    path("tasks/<slug:slug>/submissions/", submissions.mine, name="my-submissions"),
    path("tasks/<slug:slug>/<slug:phase>/board/", boards.phase_board, name="board"),
    path("tasks/<slug:slug>/<slug:phase>/compare/", boards.compare, name="compare"),
    path(
        "tasks/<slug:slug>/<slug:phase>/across/",
        boards.over_test_sets,
        name="across",
    ),
    path(
        "tasks/<slug:slug>/<slug:phase>/separation/",
        boards.separation,
        name="separation",
    ),
    path("tasks/<slug:slug>/<slug:phase>/submit/", submissions.new, name="submit"),
    path(
        "tasks/<slug:slug>/<slug:phase>/blind/<slug:name>/",
        tasks.blind_file,
        name="blind-file",
    ),
    path("submissions/<uuid:pk>/", submissions.submission, name="submission"),
    path(
        "submissions/<uuid:pk>/receipt/<slug:name>/",
        submissions.receipt,
        name="receipt",
    ),
    path("scorers/", scorers.listing, name="scorers"),
    path("scorers/<slug:name>/", scorers.one, name="scorer"),
    path("api/", api.root, name="api"),
    path("api/v1/scorers/", api.scorers, name="api-scorers"),
    path("api/v1/tasks/", api.tasks, name="api-tasks"),
    path("api/v1/tasks/<slug:slug>/", api.task, name="api-task"),
    path("api/v1/tasks/<slug:slug>/<slug:phase>/board/", api.board, name="api-board"),
    path(
        "api/v1/tasks/<slug:slug>/<slug:phase>/compare/",
        api.compare,
        name="api-compare",
    ),
    path(
        "api/v1/tasks/<slug:slug>/<slug:phase>/across/",
        api.across,
        name="api-across",
    ),
    path(
        "api/v1/tasks/<slug:slug>/<slug:phase>/submissions/",
        api.submissions,
        name="api-submissions",
    ),
    path("api/v1/submissions/<uuid:pk>/", api.submission, name="api-submission"),
    path("healthz", operations.healthz, name="healthz"),
    path("readyz", operations.readyz, name="readyz"),
    # Before the admin's own addresses, among which it is found.
    path("admin/queue/", operations.queue, name="queue"),
    path("admin/", admin.site.urls),
]
