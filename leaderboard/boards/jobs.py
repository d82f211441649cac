"""Celery's jobs for boards."""

from celery import shared_task

from leaderboard.boards import computation


@shared_task(name="boards.compute")
def compute() -> None:
    """Compute the boards that changed."""
    computation.compute_due()
