"""The address of the style page."""

from django.urls import path

from leaderboard.extras.style import views

urlpatterns = [path("style/", views.page, name="style")]
