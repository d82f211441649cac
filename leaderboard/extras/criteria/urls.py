"""The address of combined ranks."""

from django.urls import path

from leaderboard.extras.criteria import views

urlpatterns = [
    path("tasks/<slug:slug>/<slug:phase>/combined/", views.page, name="combined"),
]
