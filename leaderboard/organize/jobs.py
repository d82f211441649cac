"""What Celery runs for organizers: the post."""

from celery import shared_task

from leaderboard.organize import letters
from leaderboard.submissions import result_mail
from leaderboard.submissions.jobs import ask


@shared_task(name="organize.post")
def post() -> None:
    """Send the letters and the mail about results that are due."""
    letters.post()
    result_mail.post()


def tell() -> None:
    """Hint that there is post."""
    ask(post)
