"""Celery's job for records of rows."""

from celery import shared_task

from leaderboard.extras.signatures import record


@shared_task(name="signatures.record")
def update_records() -> None:
    """Write what everybody has come to see on boards since the last time."""
    record.update_due()
