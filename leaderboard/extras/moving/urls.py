"""Addresses of a list of past submissions, and of the report on a bundle."""

from django.urls import path

from leaderboard.extras.moving import views

urlpatterns = [
    path(
        "tasks/<slug:slug>/organize/import-report/",
        views.report,
        name="organize-import-report",
    ),
    path(
        "tasks/<slug:slug>/organize/past-submissions/",
        views.PastSubmissionsPage.as_view(),
        name="organize-past-submissions",
    ),
]
