"""Addresses of accounts and teams, beside those of the account library."""

from django.urls import path

from leaderboard.teams import profile_views, team_views

urlpatterns = [
    path("accounts/", profile_views.profile, name="profile"),
    path("accounts/name/", profile_views.name, name="profile-name"),
    path("teams/", team_views.teams, name="teams"),
    path("teams/<int:number>/", team_views.team, name="team"),
    path(
        "teams/invitations/<str:token>/",
        team_views.invitation,
        name="team-invitation",
    ),
]
