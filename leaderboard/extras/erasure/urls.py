"""Addresses of one's own data."""

from django.urls import path

from leaderboard.extras.erasure import views

urlpatterns = [
    path("accounts/data/", views.own_data, name="own-data"),
    path("accounts/data/all.json", views.own_data_file, name="own-data-file"),
]
