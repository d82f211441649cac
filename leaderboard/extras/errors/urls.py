"""Addresses of the error browser."""

from django.urls import path

from leaderboard.extras.errors import views

urlpatterns = [
    path("submissions/<uuid:pk>/errors/", views.errors, name="errors"),
    path("submissions/<uuid:pk>/errors/summary/", views.losses, name="losses"),
    path("submissions/<uuid:pk>/errors/<int:unit>/", views.unit, name="error-unit"),
]
