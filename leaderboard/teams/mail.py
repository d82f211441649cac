"""Mail about accounts and requests to create tasks, and where other mail is switched
off, without signing in."""

import json
from datetime import timedelta

from django.core.mail import EmailMessage
from django.core.signing import dumps
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.mail import seal
from leaderboard.mail.models import Mail
from leaderboard.mail.outbox import MailKind, NotWanted, prefix_subject
from leaderboard.teams.accounts import ACCOUNT
from leaderboard.teams.creators import ANSWERED, ASKED_FOR, RequestAnswer, operators
from leaderboard.teams.models import CreationRequest, User
from leaderboard.web.addresses import absolute, address
from leaderboard.web.languages import in_english, of_reader

# Whoever waits for a link has asked for another one by then.
ACCOUNT_LASTS = timedelta(days=1)
SALT = "letters of organizers"  # of links in mail that was sent long ago too
RESULTS_SALT = "mail about results"
REQUESTS = CreationRequest.objects.select_related("user")


def _account(row: Mail, _about: None) -> EmailMessage:
    """The mail as it was written when it was asked for. Raises NotWanted."""
    if row.at < timezone.now() - ACCOUNT_LASTS:
        raise NotWanted("it is too old")
    try:
        text = json.loads(seal.open_seal(row.sealed))
    except seal.WrongKey:
        raise NotWanted("the key of the site changed") from None
    return EmailMessage(text["subject"], text["body"], to=[row.address])


def _mail_of_request(_row: Mail, creation_request: CreationRequest) -> EmailMessage:
    """A mail to the operators. Raises NotWanted."""
    user = creation_request.user
    if creation_request.answer or not user.is_active:
        raise NotWanted("it was answered, or the account is closed")
    with in_english():
        subject = _("%(user)s asks to create tasks") % {"user": user}
        words = _(
            "%(user)s (%(email)s) would like to organize:\n\n%(about)s\n\n"
            "Grant or decline it here: %(page)s"
        )
    page = absolute(reverse("creation-requests"))
    values = {
        "user": user,
        "email": user.email,
        "about": creation_request.about,
        "page": page,
    }
    return EmailMessage(
        subject=prefix_subject(subject),
        body=words % values,
        to=operators(),
        reply_to=[user.email],
    )


def _mail_of_answer(_row: Mail, creation_request: CreationRequest) -> EmailMessage:
    """A mail to whoever asked. Raises NotWanted."""
    if not creation_request.user.is_active:
        raise NotWanted("the account is closed")
    page = {"page": absolute(reverse("new-task"))}
    with of_reader(creation_request.user):
        if creation_request.answer == RequestAnswer.GRANTED:
            subject = _("You may create tasks")
            body = _("You may create tasks now: %(page)s") % page
        else:
            subject = _("Your request to create tasks was declined")
            body = _(
                "The operators of the site declined your request to create tasks. "
                "They wrote:\n\n%(reason)s\n\nYou can ask again: %(page)s"
            ) % {"reason": creation_request.reason, **page}
    return EmailMessage(prefix_subject(subject), body, to=[creation_request.user.email])


MailKind(ACCOUNT, _account)
MailKind(ASKED_FOR, _mail_of_request, REQUESTS)
MailKind(ANSWERED, _mail_of_answer, REQUESTS)


def off_address(user: User) -> str:
    """The path under which messages to that person can be switched off."""
    return address("messages-off", dumps(user.pk, salt=SALT))


def results_off_address(user: User) -> str:
    """The same for mail about results."""
    return address("results-off", dumps(user.pk, salt=RESULTS_SALT))
