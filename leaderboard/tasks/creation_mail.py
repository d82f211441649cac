"""Mail about requests to create tasks: to the operators, and the answer to the asker.

The request is the order: every round makes a row for what is not told yet, which
`tasks.outbox` sends. So a mail server that is away loses neither.
"""

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.tasks import outbox
from leaderboard.tasks.models import CreationMail
from leaderboard.teams.creators import Answer, operators
from leaderboard.teams.models import CreationRequest
from leaderboard.web.languages import in_english, of_reader


def post() -> int:
    """Order what is new and send what is due; how many were sent."""
    return outbox.post(REQUESTS)


def order() -> None:
    """Make a row for each request and each answer that has none."""
    for answer in (False, True):
        told = CreationMail.objects.filter(answer=answer).values("request")
        untold = CreationRequest.objects.exclude(pk__in=told)
        untold = untold.exclude(answer="") if answer else untold.filter(answer="")
        rows = [
            CreationMail(
                request=asked, answer=answer, not_before=asked.answered_at or asked.at
            )
            for asked in untold
        ]
        CreationMail.objects.bulk_create(rows, ignore_conflicts=True)


def rows() -> QuerySet[CreationMail]:
    return CreationMail.objects.select_related("request__user")


def written(row: CreationMail) -> EmailMessage:
    """Raises outbox.NotWanted where there is nothing to tell any more."""
    asked = row.request
    if not asked.user.is_active:
        raise outbox.NotWanted("the account is closed")
    if row.answer:
        return _answer(asked)
    if asked.answer:
        raise outbox.NotWanted("it was answered")
    return _to_operators(asked)


REQUESTS = outbox.MailKind(rows, written, order)


def _to_operators(asked: CreationRequest) -> EmailMessage:
    user = asked.user
    with in_english():
        subject = _("%(user)s asks to create tasks") % {"user": user}
        words = _(
            "%(user)s (%(email)s) would like to organize:\n\n%(about)s\n\n"
            "Grant or decline it here: %(page)s"
        )
    page = outbox.site(reverse("creation-requests"))
    values = {"user": user, "email": user.email, "about": asked.about, "page": page}
    return EmailMessage(
        subject=_prefixed(subject),
        body=words % values,
        to=operators(),
        reply_to=[user.email],
        headers={"Message-ID": outbox.message_id(f"creation-{asked.pk}")},
    )


def _answer(asked: CreationRequest) -> EmailMessage:
    page = {"page": outbox.site(reverse("new-task"))}
    with of_reader(asked.user):
        if asked.answer == Answer.GRANTED:
            subject = _("You may create tasks")
            body = _("You may create tasks now: %(page)s") % page
        else:
            subject = _("Your request to create tasks was declined")
            body = _(
                "The operators of the site declined your request to create tasks. "
                "They wrote:\n\n%(reason)s\n\nYou can ask again: %(page)s"
            ) % {"reason": asked.reason, **page}
    return EmailMessage(
        subject=_prefixed(subject),
        body=body,
        to=[asked.user.email],
        headers={"Message-ID": outbox.message_id(f"creation-answer-{asked.pk}")},
    )


def _prefixed(subject: str) -> str:
    return outbox.one_line(f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}")
