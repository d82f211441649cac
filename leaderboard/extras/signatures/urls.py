"""Addresses of keys, records and signed files."""

from django.urls import path

from leaderboard.extras.signatures import views

RECORD = "tasks/<slug:slug>/record"
urlpatterns = [
    path(
        ".well-known/plumbline-keys.json", views.published_keys, name="published-keys"
    ),
    path(f"{RECORD}/head.json", views.record_head, name="record-head"),
    path(f"{RECORD}/entries.jsonl", views.record_entries, name="record-entries"),
    path(f"{RECORD}/proof.json", views.record_proof, name="record-proof"),
    path(
        "submissions/<uuid:pk>/receipts.zip", views.receipts, name="submission-receipts"
    ),
    path(
        "tasks/<slug:slug>/<slug:phase>/snapshots/<str:start>/signed.zip",
        views.snapshot,
        name="signed-snapshot",
    ),
]
