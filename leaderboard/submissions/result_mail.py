"""Mail to whoever sent a file when it was scored, or could not be.

The final event of an evaluation is the order: it is written with the result, and
every round makes a row for each event that has none yet, which `tasks.outbox` sends.
A mail says no more than the page of the submission does to that reader.
"""

from collections.abc import Iterator
from datetime import timedelta

from django.core.mail import EmailMessage
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from leaderboard.submissions import counts_cache
from leaderboard.submissions.models import (
    REPORTED,
    Event,
    ResultMail,
    Submission,
)
from leaderboard.submissions.status import SubmissionStatus, evaluation_of, status_of
from leaderboard.tasks import outbox, policy
from leaderboard.teams.models import User
from leaderboard.teams.views import results_off_address
from leaderboard.web.languages import of_reader

# What ended longer ago, while no mail went out at all, is news to nobody.
RECENT = timedelta(days=3)
RELATED = "event__evaluation__submission__"


def order() -> int:
    """Make a row for each final event that has none; how many.

    Neither for baselines nor for what is scored anew under corrected gold.
    """
    untold = Event.objects.filter(
        mail=None,
        new__in=REPORTED,
        at__gte=Now() - RECENT,
        evaluation__background=False,
        evaluation__submission__baseline=False,
    )
    rows = [ResultMail(event_id=pk) for pk in untold.values_list("pk", flat=True)]
    ResultMail.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def post() -> int:
    """Order what is new and send what is due; how many were sent."""
    order()
    related = (
        f"{RELATED}sender",
        f"{RELATED}phase__task",
        f"{RELATED}participation__team",
    )
    try:
        return outbox.post(ResultMail.objects.select_related(*related), written)
    finally:
        counts_cache.forget()  # each result is told once


def written(row: ResultMail) -> EmailMessage:
    """Raises outbox.NotWanted where the reader has no use for it any more."""
    submission = row.event.evaluation.submission
    reader = submission.sender
    _require_wanted(row, submission, reader)
    with of_reader(reader):
        return _message(row, submission, reader)


def _message(row: ResultMail, submission: Submission, reader: User) -> EmailMessage:
    status = status_of(submission, reader)
    task = submission.phase.task
    off = outbox.site(results_off_address(reader))
    return EmailMessage(
        subject=outbox.subject_of(task, f"{submission.system}: {status.title}"),
        body="\n".join(_lines(status, off)),
        to=[reader.email],
        headers=outbox.headers(task, f"result-{row.event_id}", off),
    )


def _require_wanted(row: ResultMail, submission: Submission, reader: User) -> None:
    if not (reader.is_active and reader.wants_results):
        raise outbox.NotWanted("has switched mail about results off")
    if not policy.sees_entry(reader, submission.participation):
        raise outbox.NotWanted("is not in the team any more")
    evaluation = row.event.evaluation
    if evaluation.state != row.event.new or evaluation_of(submission) != evaluation:
        raise outbox.NotWanted("something newer happened to it")


def _lines(status: SubmissionStatus, off: str) -> Iterator[str]:
    sent = status.submission
    told = {"system": sent.system, "phase": sent.phase.title, "task": sent.phase.task}
    yield _("%(system)s, sent to %(phase)s of %(task)s") % told
    yield ""
    yield f"{status.title}. {status.text}".strip()
    if status.headline is not None:
        score = status.headline
        yield f"{score.measure.title}: {score.printed} {score.interval}".strip()
    yield from status.shown.lines
    yield ""
    address = outbox.site(sent.get_absolute_url())
    yield _("All about it: %(address)s") % {"address": address}
    yield ""
    yield "-- "
    yield _("You get this because you sent that file.")
    yield _("No more mail about results: %(address)s") % {"address": off}
