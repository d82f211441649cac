"""Pages and API of judgements."""

from django.urls import path

from leaderboard.extension.api import PHASE
from leaderboard.extras.judgements import endpoints, pages

ORGANIZE = "tasks/<slug:slug>/organize/judgements/"
OF_PHASE = f"{ORGANIZE}<slug:phase>/"
API = f"api/{PHASE}/judgements/"
urlpatterns = [
    path(ORGANIZE, pages.overview, name="organize-judgements"),
    path(OF_PHASE, pages.JudgementsPage.as_view(), name="organize-judgements-phase"),
    path(f"{OF_PHASE}files/", pages.files, name="organize-judgements-files"),
    path(f"{OF_PHASE}sample/", pages.sample, name="organize-judgements-sample"),
    path(API, endpoints.JudgementsView.as_view(), name="api-judgements"),
    path(
        f"{API}files/",
        endpoints.FilesToJudgeView.as_view(),
        name="api-judgement-files",
    ),
]
