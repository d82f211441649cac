"""Addresses at which boards are taken away."""

from django.urls import URLPattern, path

from leaderboard.boards.exports import feeds, views

PHASE = "tasks/<slug:slug>/<slug:phase>"

urlpatterns: list[URLPattern] = [
    path("feed/", feeds.site_feed, name="site-feed"),
    path("tasks/<slug:slug>/feed/", feeds.task_feed, name="task-feed"),
    path("tasks/<slug:slug>/task.bib", views.task_cite, name="task-cite"),
    path(f"{PHASE}/board.<str:format>", views.board_export, name="board-export"),
    path(f"{PHASE}/badge.svg", views.board_badge, name="board-badge"),
    path(f"{PHASE}/embed/", views.board_embed, name="board-embed"),
    path(
        f"{PHASE}/snapshots/<slug:start>/board.<str:format>",
        views.snapshot_export,
        name="snapshot-export",
    ),
]
