"""Pages on which teams agree to become one, and organizers merge them."""

from django.urls import path

from leaderboard.extras.mergers import pages

urlpatterns = [
    path("tasks/<slug:slug>/team/merge/", pages.merge_with, name="team-merge"),
    path(
        "tasks/<slug:slug>/organize/people/merge/",
        pages.MergePage.as_view(),
        name="organize-merge",
    ),
]
