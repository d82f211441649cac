"""Pages of organizers about everything that was sent."""

from django.urls import path

from leaderboard.extras.oversight import (
    acts,
    failures,
    merge_page,
    submission_list,
    team_list,
)

ORGANIZE = "tasks/<slug:slug>/organize"
urlpatterns = [
    path(
        f"{ORGANIZE}/submissions/",
        submission_list.listing,
        name="organize-submissions",
    ),
    path(
        f"{ORGANIZE}/submissions/acts/",
        acts.ActsPage.as_view(),
        name="organize-submission-acts",
    ),
    path(f"{ORGANIZE}/decisions/", team_list.teams, name="organize-decisions"),
    path(
        f"{ORGANIZE}/decisions/acts/",
        team_list.DecisionsPage.as_view(),
        name="organize-team-acts",
    ),
    path(
        f"{ORGANIZE}/people/merge/",
        merge_page.MergePage.as_view(),
        name="organize-merge",
    ),
    path(f"{ORGANIZE}/failures/", failures.page, name="organize-failures"),
]
