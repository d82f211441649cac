"""The page of a task's scoring program."""

from django.urls import path

from leaderboard.extras.programs import pages

urlpatterns = [
    path("tasks/<slug:slug>/organize/program/", pages.program, name="organize-program"),
]
