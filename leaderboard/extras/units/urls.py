"""The address of the page about units."""

from django.urls import path

from leaderboard.extras.units import views

urlpatterns = [
    path(
        "tasks/<slug:slug>/<slug:phase>/separation/",
        views.separation,
        name="separation",
    ),
    path("tasks/<slug:slug>/organize/units/", views.page, name="organize-items"),
]
