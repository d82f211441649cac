"""The page on which organizers merge two teams."""

from django.urls import path

from leaderboard.extras.mergers.pages import MergePage

urlpatterns = [
    path(
        "tasks/<slug:slug>/organize/people/merge/",
        MergePage.as_view(),
        name="organize-merge",
    ),
]
