"""Addresses below /tasks/<slug>/organize/."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
