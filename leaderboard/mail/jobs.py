"""Celery's job for mail."""

from celery import shared_task

from leaderboard.mail import outbox
from leaderboard.mail.sender import Round, sender


@shared_task(name="mail.send")
def send() -> None:
    """Send what is due, beside what scores."""
    sender.start(send_due)


def send_due(limit: Round) -> None:
    outbox.send(limit=limit)
