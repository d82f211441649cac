"""The page of the code of a task's teams."""

from django.urls import path

from leaderboard.extras.code import pages

urlpatterns = [
    path("tasks/<slug:slug>/organize/code/", pages.code, name="organize-code"),
]
