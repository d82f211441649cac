"""People who may create tasks: everybody, those of some mail domains, or those who
asked and were let, which is Django's permission to add a task.

A request and its answer are a row, and mail tells of both (`teams.mail`).
"""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.mail import outbox
from leaderboard.mail.models import Mail
from leaderboard.teams.models import CreationRequest, User
from leaderboard.teams.refusal import Refusal

PERMISSION = "tasks.add_task"
EVERYBODY = "everybody"
ASKED_FOR, ANSWERED = "creation", "creation answer"  # kinds of mail
RequestAnswer = CreationRequest.RequestAnswer
MOST = 3  # requests of one person
PERIOD = timedelta(days=1)


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
    domains = {address.email.rpartition("@")[2].lower() for address in addresses}
    return bool(domains & set(settings.TASK_CREATOR_DOMAINS))


def require_creator(user: Any) -> None:
    """Raises MayNotCreate."""
    if not may_create_tasks(user):
        words = _("You may not create tasks here yet: ask the operators on %(page)s.")
        raise MayNotCreate(words % {"page": settings.SITE_URL + reverse("new-task")})


def may_answer(user: Any) -> bool:
    """Whether the person may change accounts in the administration."""
    return bool(user.is_active and user.is_staff and user.has_perm("teams.change_user"))


def operators() -> list[str]:
    """Addresses of those who run the site."""
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    return settings.OPERATORS or list(administrators.values_list("email", flat=True))


def open_requests() -> QuerySet[CreationRequest]:
    """Requests that nobody answered, oldest first."""
    waiting = CreationRequest.objects.filter(answer="", user__is_active=True)
    return waiting.select_related("user").order_by("at", "pk")


def ask(user: User, about: str) -> CreationRequest:
    """Keep a request; the one that is open stays as it is. Raises Refusal."""
    lately = user.creation_requests.filter(at__gt=timezone.now() - PERIOD)
    if lately.exclude(answer="").count() >= MOST:
        raise Refusal(_("You asked three times within a day: ask again tomorrow."))
    with transaction.atomic():
        creation_request, created = CreationRequest.objects.get_or_create(
            user=user, answer="", defaults={"about": about}
        )
        if created:
            outbox.order(Mail(kind=ASKED_FOR, about=creation_request.pk))
    return creation_request


def answer(
    creation_request: CreationRequest, word: str, by: User, reason: str = ""
) -> bool:
    """Answer a request, for good; False where it was answered before."""
    with transaction.atomic():
        waiting = CreationRequest.objects.filter(pk=creation_request.pk, answer="")
        values = {"answered_at": timezone.now(), "answered_by": by}
        if not waiting.update(answer=word, reason=reason, **values):
            return False
        person = creation_request.user
        if word == RequestAnswer.GRANTED:
            person.user_permissions.add(_permission())
            message = "May create tasks."
        else:
            message = "The request to create tasks was declined."
        outbox.order(Mail(kind=ANSWERED, about=creation_request.pk, user=person))
        _log(person, by, message)
    return True


def grant(user: User, by: User) -> bool:
    """Let a person create tasks, asked or not; False for one who may already."""
    waiting = user.creation_requests.filter(answer="")
    if user.has_perm(PERMISSION) and not waiting.exists():
        return False
    creation_request, _created = CreationRequest.objects.get_or_create(
        user=user, answer=""
    )
    return answer(creation_request, RequestAnswer.GRANTED, by)


def withdraw(user: User, by: User) -> bool:
    """Take back what `grant` gave; False for one who may create tasks all the same."""
    with transaction.atomic():
        if user.user_permissions.filter(pk=_permission().pk).exists():
            user.user_permissions.remove(_permission())
            _log(user, by, "May not create tasks any more.")
    return not may_create_tasks(User.objects.get(pk=user.pk))


def _permission() -> Permission:
    app, name = PERMISSION.split(".")
    return Permission.objects.get(content_type__app_label=app, codename=name)


def _log(person: User, by: User, message: str) -> None:
    LogEntry.objects.log_actions(by.pk, [person], CHANGE, message, single_object=True)
