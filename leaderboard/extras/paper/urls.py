"""Addresses of the kit for the overview paper."""

from django.urls import path

from leaderboard.extras.paper import endpoints, views

PHASE = "tasks/<slug:slug>/<slug:phase>"

urlpatterns = [
    path("tasks/<slug:slug>/organize/paper/", views.listing, name="organize-paper"),
    path("tasks/<slug:slug>/organize/entries.zip", views.entries, name="paper-entries"),
    path("tasks/<slug:slug>/paper-kit.zip", views.task_kit, name="task-paper-kit"),
    path(f"{PHASE}/paper-kit.zip", views.kit, name="paper-kit"),
    path(f"{PHASE}/paper-kit/<path:name>", views.kit_file, name="paper-kit-file"),
    path(f"{PHASE}/chart.pdf", views.chart_pdf, name="chart-pdf"),
    path(f"api/v1/{PHASE}/pairs/", endpoints.PairsView.as_view(), name="api-pairs"),
]
