"""Mail about incidents, to operators and organizers."""

from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.db.models import Max, Min
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.mail import outbox
from leaderboard.mail.models import Mail
from leaderboard.operations.incidents import (
    INCIDENT,
    RECENT_PROGRAM,
    IncidentStage,
    addresses,
    failure_events,
    moment,
)
from leaderboard.operations.models import Incident, IncidentKind
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.mail import subject_of
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from leaderboard.web.addresses import absolute
from leaderboard.web.extras import ProgramRunner, joined
from leaderboard.web.languages import of_reader


def written(row: Mail, incident: Incident) -> EmailMessage:
    """Raises outbox.NotWanted where there is nothing to tell any more."""
    if row.detail == IncidentStage.ENDED:
        mail = Mail.objects.filter(kind=INCIDENT, about=incident.pk)
        beginning = mail.filter(address=row.address, sent_at__isnull=False)
        if not beginning.exists():
            raise outbox.NotWanted("nobody was told that it began")
    elif incident.ended_at is not None:
        raise outbox.NotWanted("it is over")
    if incident.task is not None:
        if row.address not in addresses(incident.task):
            raise outbox.NotWanted("does not organize the task any more")
        return _to_organizer(row, incident, incident.task)
    subject, lines = _for_operators(row, incident)
    return _message(row, outbox.prefix_subject(subject), lines)


outbox.MailKind(INCIDENT, written, Incident.objects.select_related("task"))


def _message(row: Mail, subject: str, lines: Sequence[str]) -> EmailMessage:
    return EmailMessage(
        subject=subject,
        body="\n".join(lines),
        to=[row.address],
        headers={"Auto-Submitted": "auto-generated"},
    )


# What to do about each kind, for operators
ADVICE = {
    IncidentKind.BACKUP: "See journalctl -u plumbline-backup, and make one: "
    "plumbline-site backup /var/backups/plumbline",
    IncidentKind.WORKERS: "No other mail is sent, and what is stuck is not freed. "
    "Submissions are accepted. See journalctl -u plumbline-sweeper, and restart it.",
    IncidentKind.BOARDS: "What is scored appears on boards only when a reader asks. "
    "See journalctl -u plumbline-sweeper, and restart it.",
    IncidentKind.LIGHT: "No worker takes the queue light. See systemctl status "
    "plumbline-worker, and PLUMBLINE_QUEUES.",
    IncidentKind.HEAVY: "No worker takes the queue heavy. See systemctl status "
    "plumbline-heavy, and PLUMBLINE_QUEUES.",
    IncidentKind.FAILED: "Their attempts were given back. Read the last error of each, "
    "remove the cause, then let them be tried again.",
}


def _for_operators(row: Mail, incident: Incident) -> tuple[str, list[str]]:
    title = incident.get_kind_display()
    heads = {
        IncidentStage.BEGAN: title,
        IncidentStage.LASTS: f"{title} (since {moment(incident.began_at)})",
        IncidentStage.ENDED: f"Over: {title}",
    }
    head = heads[IncidentStage(row.detail)]
    lines = [f"{head}."]
    if incident.details:
        lines.append(f"Last seen at {moment(incident.seen_at)}: {incident.details}")
    if row.detail == IncidentStage.ENDED:
        lines.append(
            f"It began at {moment(incident.began_at)} and was not seen again since "
            f"{moment(incident.seen_at)}."
        )
    else:
        lines += ["", ADVICE[IncidentKind(incident.kind)]]
    return head, [*lines, "", absolute(reverse("queue"))]


def _to_organizer(row: Mail, incident: Incident, task: Task) -> EmailMessage:
    since = incident.began_at - RECENT_PROGRAM
    of_task = {"evaluation__submission__phase__task": task}
    failed = failure_events(since).filter(
        why=Evaluation.PROGRAM_GAVE_NOTHING, **of_task
    )
    number = failed.values("evaluation").distinct().count()
    span = failed.aggregate(first=Min("at"), last=Max("at"))
    user = User.objects.get(email=row.address)
    route = next((runner.route for runner in joined(ProgramRunner)), "organize")
    with of_reader(user):
        lines = [
            ngettext(
                "The scoring program of %(task)s gave no result for %(n)s submission.",
                "The scoring program of %(task)s gave no result for %(n)s submissions.",
                number,
            )
            % {"task": task, "n": number},
            _("The first failed at %(first)s, the last at %(last)s.")
            % {name: moment(at) if at else "" for name, at in span.items()},
            "",
            _("See what it said, replace it, and have the runs repeated: %(address)s")
            % {"address": absolute(reverse(route, args=[task.slug]))},
            "",
            "-- ",
            _("You receive this because you organize the task, once a day at most."),
        ]
        subject = subject_of(task, _("The scoring program fails"))
        return _message(row, subject, lines)
