"""The address of the probe report."""

from django.urls import path

from leaderboard.extras.similarity import views

urlpatterns = [
    path("tasks/<slug:slug>/organize/probes/", views.report, name="organize-probes"),
]
