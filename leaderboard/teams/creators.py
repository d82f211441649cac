"""People who may create tasks: everybody, those of some mail domains, or those who
asked and were let, which is Django's permission to add a task."""

from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.languages import in_english, of_reader

PERMISSION = "tasks.add_task"
EVERYBODY, ASKED = "everybody", "asked"


class MayNotCreate(Refusal):
    code = "may_not_create_tasks"
    status = 403


def may_create_tasks(user: Any) -> bool:
    """Whether the site lets this person create tasks; administrators always may."""
    if settings.TASK_CREATORS == EVERYBODY or user.is_staff:
        return True
    if user.has_perm(PERMISSION):
        return True
    addresses = EmailAddress.objects.filter(user=user, verified=True)
    domains = {one.email.rpartition("@")[2].lower() for one in addresses}
    return bool(domains & set(settings.TASK_CREATOR_DOMAINS))


def require_creator(user: Any) -> None:
    """Raises MayNotCreate."""
    if not may_create_tasks(user):
        words = _("You may not create tasks here yet: ask the operators on %(page)s.")
        raise MayNotCreate(words % {"page": settings.SITE_URL + reverse("new-task")})


def operators() -> list[str]:
    """Addresses of those who run the site."""
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    return settings.OPERATORS or list(administrators.values_list("email", flat=True))


def ask(user: User, about: str) -> None:
    """Tell the operators who wants to organize what. Raises OSError and SMTPException
    where the mail server does not take it."""
    page = reverse("admin:teams_user_change", args=[user.pk])
    with in_english():
        subject = _("%(user)s asks to create tasks") % {"user": user}
        words = _(
            "%(user)s (%(email)s) would like to organize:\n\n%(about)s\n\n"
            "To allow it, choose “Allow to create tasks” in the list of users of the "
            "administration, or see this person: %(page)s"
        )
    values = {"user": user, "email": user.email, "about": about}
    body = words % {**values, "page": settings.SITE_URL + page}
    EmailMessage(subject, body, to=operators(), reply_to=[user.email]).send()


def grant(user: User) -> None:
    """Let the person create tasks, and tell them by mail. Raises OSError and
    SMTPException where the mail server does not take it; they may all the same."""
    app, name = PERMISSION.split(".")
    right = Permission.objects.get(content_type__app_label=app, codename=name)
    user.user_permissions.add(right)
    page = settings.SITE_URL + reverse("new-task")
    with of_reader(user):
        words = _("You may create tasks now: %(page)s") % {"page": page}
        mail = EmailMessage(_("You may create tasks"), words, to=[user.email])
    mail.send()
