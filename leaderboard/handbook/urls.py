"""Addresses below /docs/."""

from django.urls import path

from leaderboard.handbook import views

urlpatterns = [
    path("", views.page, name="handbook"),
    path("files/<path:name>", views.file, name="handbook-file"),
    path("<path:name>/", views.page, name="handbook-page"),
]
