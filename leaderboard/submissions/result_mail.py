"""Mail to whoever sent a file when it was scored, or could not be.

The final event of an evaluation is the order: it is written with the result, and
every round makes a row for each event that has none yet, which `tasks.outbox` sends.
A mail says no more than the page of the submission does to that reader.
"""

from collections.abc import Iterator
from datetime import timedelta

from django.core.mail import EmailMessage
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from leaderboard.submissions.models import REPORTED, Event, ResultMail
from leaderboard.submissions.scores import Score
from leaderboard.submissions.status import SubmissionStatus, evaluation_of, status_of
from leaderboard.tasks import outbox, policy
from leaderboard.teams.views import results_off_address
from leaderboard.web.languages import of_reader

# What ended longer ago, while no mail went out at all, is news to nobody.
RECENT = timedelta(days=3)
RELATED = "event__evaluation__submission__"


def order() -> int:
    """Make a row for each final event that has none; how many.

    Neither for baselines, nor for what was brought along from another site, nor for
    what is scored anew under corrected gold.
    """
    # Of each event by index: a join would read all mail there ever was.
    mail = ResultMail.objects.filter(event=OuterRef("pk")).values("pk")[:1]
    unannounced = Event.objects.annotate(mailed=Subquery(mail)).filter(
        mailed=None,
        new__in=REPORTED,
        at__gte=Now() - RECENT,
        evaluation__background=False,
        evaluation__submission__baseline=False,
        evaluation__submission__brought_at=None,
    )
    rows = [ResultMail(event_id=pk) for pk in unannounced.values_list("pk", flat=True)]
    ResultMail.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


def post() -> int:
    """Order what is new and send what is due; how many were sent."""
    return outbox.post(RESULTS)


def rows() -> QuerySet[ResultMail]:
    related = (
        f"{RELATED}sender",
        f"{RELATED}phase__task",
        f"{RELATED}participation__team",
    )
    return ResultMail.objects.select_related(*related)


def written(row: ResultMail) -> EmailMessage:
    """Raises outbox.NotWanted where the reader has no use for it any more."""
    evaluation = row.event.evaluation
    submission = evaluation.submission
    reader, task = submission.sender, submission.phase.task
    if not (reader.is_active and reader.wants_results):
        raise outbox.NotWanted("has switched mail about results off")
    if not policy.sees_entry(reader, submission.participation):
        raise outbox.NotWanted("is not in the team any more")
    if evaluation.state != row.event.new or evaluation_of(submission) != evaluation:
        raise outbox.NotWanted("something newer happened to it")
    off = outbox.site(results_off_address(reader))
    with of_reader(reader):
        status = status_of(submission, reader)
        return EmailMessage(
            subject=outbox.subject_of(task, f"{submission.system}: {status.title}"),
            body="\n".join(_lines(status, off)),
            to=[reader.email],
            headers=outbox.headers(task, f"result-{row.event_id}", off),
        )


RESULTS = outbox.MailKind(rows, written, order)


def _headlines(status: SubmissionStatus) -> Iterator[tuple[str, Score]]:
    """The headline, or that of each test set where they are entered one by one."""
    if status.headline is None:
        return
    yield status.scores_of, status.headline
    for part in status.entered[1:]:
        yield part.title, part.scores[0]


def _lines(status: SubmissionStatus, off: str) -> Iterator[str]:
    submission = status.submission
    phase = submission.phase
    names = {"system": submission.system, "phase": phase.title, "task": phase.task}
    yield _("%(system)s, sent to %(phase)s of %(task)s") % names
    yield ""
    yield f"{status.title}. {status.text}".strip()
    for of, score in _headlines(status):
        title = f"{score.measure.title}, {of}" if of else score.measure.title
        yield f"{title}: {score.printed} {score.interval}".strip()
    yield from status.shown.lines
    yield ""
    address = outbox.site(submission.get_absolute_url())
    yield _("All about it: %(address)s") % {"address": address}
    yield ""
    yield "-- "
    yield _("You receive this because you made the submission.")
    yield _("No more mail about results: %(address)s") % {"address": off}
