"""Mail to whoever sent a file when it was scored, or could not be.

It is ordered in the transaction that ends the evaluation. A mail says no more than the
page of the submission does to that reader.
"""

from collections.abc import Collection, Iterator, Sequence

from django.core.mail import EmailMessage
from django.db.models import BigAutoField, Prefetch, QuerySet
from django.dispatch import receiver
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.mail import outbox
from leaderboard.mail.jobs import send
from leaderboard.mail.models import Mail
from leaderboard.results.scores import Score
from leaderboard.results.status import SubmissionStatus, evaluation_of, status_of
from leaderboard.submissions.broker import ask
from leaderboard.submissions.models import Event, evaluations_ended
from leaderboard.tasks import policy
from leaderboard.tasks.mail import headers, subject_of
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.mail import results_off_address
from leaderboard.teams.models import User
from leaderboard.web.addresses import absolute
from leaderboard.web.languages import of_reader
from leaderboard.web.statements import statement

RESULT = "result"
RELATED = "evaluation__submission__"
PHASES = policy.with_neighbours(
    Phase.objects.select_related("task").prefetch_related("test_sets")
)
EVENTS = Event.objects.select_related(
    f"{RELATED}sender", f"{RELATED}participation__team"
).prefetch_related(Prefetch(f"{RELATED}phase", PHASES), f"{RELATED}evaluations")


class ResultMail(EmailMessage):
    """Mail about one result: `lines` are what it says of that alone."""

    lines: Sequence[str] = ()
    task: Task
    reader: User


@receiver(evaluations_ended)
def order(events: Sequence[Event], **_sender: object) -> None:
    """Order mail about ends that somebody waits for.

    Nobody does for baselines, what was brought along from another site, and what is
    scored anew under corrected gold.
    """
    awaited = _awaited_events(keys=[event.pk for event in events])
    # Without a hint: a thousand results are no thousand jobs.
    rows = [Mail(kind=RESULT, about=pk, user_id=user) for pk, user in awaited]
    outbox.order(*rows, hint=False)


@statement(keys=[BigAutoField()])
def _awaited_events(keys: Collection[int]) -> QuerySet:
    awaited = Event.objects.filter(
        pk__in=keys,
        evaluation__background=False,
        evaluation__submission__baseline=False,
        evaluation__submission__brought_at=None,
    )
    return awaited.values_list("pk", f"{RELATED}sender")


@receiver(outbox.ordered)
def hint(**_sender: object) -> None:
    """Hint that there is mail to send."""
    ask(send.signature())


def written(_row: Mail, event: Event) -> ResultMail:
    """Raises outbox.NotWanted where the reader has no use for it any more."""
    evaluation = event.evaluation
    submission = evaluation.submission
    reader, task = submission.sender, submission.phase.task
    if not (reader.is_active and reader.wants_results):
        raise outbox.NotWanted("has switched mail about results off")
    if not policy.sees_entry(reader, submission.participation):
        raise outbox.NotWanted("is not in the team any more")
    if evaluation.state != event.new or evaluation_of(submission) != evaluation:
        raise outbox.NotWanted("something newer happened to it")
    off = absolute(results_off_address(reader))
    with of_reader(reader):
        status = status_of(submission, reader)
        lines = [*_lines(status)]
        message = ResultMail(
            subject=subject_of(task, f"{submission.system}: {status.title}"),
            body="\n".join([*lines, *_end(off)]),
            to=[reader.email],
            headers=headers(task, off),
        )
    message.lines, message.task, message.reader = lines, task, reader
    return message


def join_mails(messages: Sequence[ResultMail]) -> EmailMessage:
    """One mail about several results of a person in a task."""
    first, number = messages[0], len(messages)
    off = absolute(results_off_address(first.reader))
    with of_reader(first.reader):
        subject = ngettext("%(number)d result", "%(number)d results", number)
        lines = [line for message in messages for line in (*message.lines, "")]
        return EmailMessage(
            subject=subject_of(first.task, subject % {"number": number}),
            body="\n".join([*lines[:-1], *_end(off)]),
            to=first.to,
            headers=headers(first.task, off),
        )


def task_of(event: Event) -> int:
    task: int = event.evaluation.submission.phase.task_id
    return task


outbox.MailKind(RESULT, written, EVENTS, topic=task_of, joined=join_mails)  # type: ignore[arg-type]


def _headlines(status: SubmissionStatus) -> Iterator[tuple[str, Score]]:
    """The headline, or that of each test set where they are entered one by one."""
    if status.headline is None:
        return
    yield status.scores_of, status.headline
    for part in status.entered[1:]:
        yield part.title, part.scores[0]


def _lines(status: SubmissionStatus) -> Iterator[str]:
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
    address = absolute(submission.get_absolute_url())
    yield _("All about it: %(address)s") % {"address": address}


def _end(off: str) -> Iterator[str]:
    yield ""
    yield "-- "
    yield _("You receive this because you made the submission.")
    yield _("No more mail about results: %(address)s") % {"address": off}
