"""Celery's job for webhooks: look for events, and send them beside the scoring."""

from celery import shared_task

from leaderboard.extras.webhooks import delivery, events
from leaderboard.mail.sender import sender
from leaderboard.submissions.broker import ask


@shared_task(name="api.webhooks")
def webhooks() -> None:
    """Make what is to be delivered; it is sent beside what scores."""
    events.collect()
    if delivery.next_rows():
        sender.start(delivery.send)


def enqueue() -> None:
    """Hint that there is something to deliver."""
    ask(webhooks)
