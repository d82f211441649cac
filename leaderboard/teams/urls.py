"""Addresses of accounts and teams, beside those of the account library."""

from django.urls import path

from leaderboard.teams import views

urlpatterns = [
    path("accounts/", views.profile, name="profile"),
    path("accounts/name/", views.name, name="profile-name"),
    path("teams/", views.teams, name="teams"),
    path("teams/<int:number>/", views.team, name="team"),
    path(
        "teams/invitations/<str:token>/",
        views.invitation,
        name="team-invitation",
    ),
]
