"""The address to which a list of past submissions is sent."""

from django.urls import path

from leaderboard.extras.moving import views

urlpatterns = [
    path(
        "tasks/<slug:slug>/organize/past-submissions/",
        views.past_submissions,
        name="organize-past-submissions",
    ),
]
