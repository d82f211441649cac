"""What Celery runs for organizers: the post."""

import logging

from celery import shared_task
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from leaderboard.organizing import letters
from leaderboard.submissions import telling
from leaderboard.submissions.jobs import queue

log = logging.getLogger(__name__)


@shared_task(name="organizing.post")
def post() -> None:
    """Send the letters and the mail about results that are due."""
    letters.post()
    telling.post()


def tell() -> None:
    """Hint that there is post; without a queue the clock finds it a little later."""
    if not queue.answers():
        return
    try:
        post.apply_async(retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("queue not reached: %s", error)
        queue.rest()
