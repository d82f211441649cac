"""Addresses of archives."""

from django.urls import URLPattern, path

from leaderboard.boards.archive import views

urlpatterns: list[URLPattern] = [
    path(
        "tasks/<slug:slug>/organize/archive/",
        views.archive,
        name="organize-archive",
    ),
    path("tasks/<slug:slug>/archive.zip", views.published, name="task-archive"),
]
