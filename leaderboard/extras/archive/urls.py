"""Addresses of the archive of a task."""

from django.urls import path

from leaderboard.extras.archive import download

urlpatterns = [
    path(
        "tasks/<slug:slug>/organize/archive/",
        download.archive,
        name="organize-archive",
    ),
    path(
        "tasks/<slug:slug>/archive.zip", download.published_archive, name="task-archive"
    ),
]
