"""Celery jobs of operators: clearing out."""

from celery import shared_task

from leaderboard.operations import retention


@shared_task(name="operations.clear")
def clear() -> None:
    """Remove what was kept long enough."""
    retention.clear()
