from django.urls import path

from dates import pages

urlpatterns = [
    path("tasks/<slug:slug>/organize/dates/", pages.overview, name="organize-dates"),
    path("tasks/<slug:slug>/dates.csv", pages.ends, name="dates-csv"),
]
