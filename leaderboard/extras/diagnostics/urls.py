"""Addresses of one system over several test sets."""

from django.urls import path

from leaderboard.extension.api import PHASE
from leaderboard.extras.diagnostics import endpoints, views

urlpatterns = [
    path("tasks/<slug:slug>/<slug:phase>/across/", views.over_test_sets, name="across"),
    path(f"api/{PHASE}/across/", endpoints.AcrossView.as_view(), name="api-across"),
]
