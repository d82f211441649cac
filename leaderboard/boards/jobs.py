"""Celery's jobs for boards."""

from celery import shared_task

from leaderboard.boards import computing


@shared_task(name="boards.compute")
def compute() -> None:
    """Compute the boards that changed."""
    computing.compute_due()
