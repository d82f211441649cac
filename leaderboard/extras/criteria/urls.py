"""Addresses of combined ranks and of the front of score and cost."""

from django.urls import path

from leaderboard.extension.api import PHASE
from leaderboard.extras.criteria import endpoints, views
from leaderboard.extras.criteria.pages import CombinationsPage

OF_PHASE = "tasks/<slug:slug>/<slug:phase>"
API = f"api/{PHASE}"
urlpatterns = [
    *CombinationsPage.routes(),
    path(f"{OF_PHASE}/combined/", views.page, name="combined"),
    path(f"{OF_PHASE}/combined.csv", views.combined_file, name="combined-csv"),
    path(f"{OF_PHASE}/front/", views.front, name="front"),
    path(f"{OF_PHASE}/front.csv", views.front_file, name="front-csv"),
    path(f"{API}/combined/", endpoints.CombinedView.as_view(), name="api-combined"),
    path(f"{API}/front/", endpoints.FrontView.as_view(), name="api-front"),
]
