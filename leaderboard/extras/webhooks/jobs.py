"""Celery's job for webhooks: look for events, and send them beside the scoring."""

from threading import Lock, Thread

from celery import shared_task
from django.db import close_old_connections

from leaderboard.extras.webhooks import delivery, events
from leaderboard.submissions.broker import ask

_sending = Lock()


@shared_task(name="api.webhooks")
def webhooks() -> None:
    """Make what is to be delivered; sending has a thread of its own.

    An endpoint that takes its time must not hold a worker that could score. A worker
    that ends meanwhile loses nothing: what was not marked is sent again.
    """
    events.collect()
    delivery.post_mail()
    if delivery.next_rows():
        send_beside()


def send_beside() -> Thread | None:
    """The thread that sends; None while another one of this process does."""
    if not _sending.acquire(blocking=False):
        return None
    thread = Thread(target=_send, daemon=True, name="webhooks")
    thread.start()
    return thread


def _send() -> None:
    try:
        delivery.send()
    finally:
        close_old_connections()
        _sending.release()


def enqueue() -> None:
    """Hint that there is something to deliver."""
    ask(webhooks)
