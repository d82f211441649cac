"""The page and the API of reports on overlap."""

from django.urls import path

from leaderboard.api.urls import TASK
from leaderboard.extras.contamination import endpoints, pages

ORGANIZE = "tasks/<slug:slug>/organize/overlap/"
urlpatterns = [
    path(ORGANIZE, pages.OverlapPage.as_view(), name="organize-overlap"),
    path(f"{ORGANIZE}<int:pk>/units.csv", pages.units, name="organize-overlap-units"),
    path(f"api/{TASK}/overlap/", endpoints.OverlapView.as_view(), name="api-overlap"),
]
