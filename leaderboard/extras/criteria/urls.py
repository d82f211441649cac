"""Addresses of combined ranks and of the front of score and cost."""

from django.urls import path

from leaderboard.extras.criteria import views

urlpatterns = [
    path("tasks/<slug:slug>/<slug:phase>/combined/", views.page, name="combined"),
    path("tasks/<slug:slug>/<slug:phase>/front/", views.front, name="front"),
]
