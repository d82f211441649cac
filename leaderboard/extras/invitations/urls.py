"""Pages of organizers who invite people to take part."""

from django.urls import path

from leaderboard.extras.invitations import pages

ORGANIZE = "tasks/<slug:slug>/organize/invitations"
urlpatterns = [
    path(f"{ORGANIZE}/", pages.InvitationsPage.as_view(), name="organize-invitations"),
    path(f"{ORGANIZE}/change/", pages.change, name="organize-invitations-change"),
]
