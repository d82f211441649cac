"""Addresses to cite a task or a system, and of what stands on pages of other sites."""

from django.urls import path

from leaderboard.extras.publishing import views

urlpatterns = [
    path("tasks/<slug:slug>/task.bib", views.task_cite, name="task-cite"),
    path("submissions/<uuid:pk>/system.bib", views.system_cite, name="system-cite"),
    path(
        "tasks/<slug:slug>/croissant.json", views.task_croissant, name="task-croissant"
    ),
    path(
        "tasks/<slug:slug>/<slug:phase>/badge.svg",
        views.board_badge,
        name="board-badge",
    ),
    path(
        "tasks/<slug:slug>/<slug:phase>/embed/",
        views.board_embed,
        name="board-embed",
    ),
]
