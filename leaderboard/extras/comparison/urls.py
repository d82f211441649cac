"""Addresses of comparisons."""

from django.urls import path

from leaderboard.extension.api import PHASE
from leaderboard.extras.comparison import endpoints, views

urlpatterns = [
    path(
        "tasks/<slug:slug>/<slug:phase>/compare/",
        views.compare,
        name="compare",
    ),
    path(f"api/{PHASE}/compare/", endpoints.CompareView.as_view(), name="api-compare"),
]
