"""The address of the history of a task."""

from django.urls import path

from leaderboard.extras.history import views

urlpatterns = [
    path(
        "tasks/<slug:slug>/organize/history/",
        views.history_page,
        name="organize-history",
    ),
]
