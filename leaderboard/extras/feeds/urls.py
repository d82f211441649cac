"""Addresses of feeds."""

from django.urls import path

from leaderboard.extras.feeds import views

urlpatterns = [
    path("feed/", views.site_feed, name="site-feed"),
    path("tasks/<slug:slug>/feed/", views.task_feed, name="task-feed"),
]
