"""Celery's job for webhooks: look for events, and send them beside the scoring."""

from celery import shared_task

from leaderboard.extras.webhooks import delivery, events
from leaderboard.extras.webhooks.models import WebhookMessage
from leaderboard.submissions.broker import ask
from leaderboard.tasks import outbox
from leaderboard.tasks.sender import sender


@shared_task(name="api.webhooks")
def webhooks() -> None:
    """Make what is to be delivered; it is sent beside what scores."""
    events.collect()
    if delivery.next_rows():
        sender.start(delivery.send)
    if outbox.due(WebhookMessage.objects.all()).exists():
        sender.start(delivery.post_mail)


def enqueue() -> None:
    """Hint that there is something to deliver."""
    ask(webhooks)
