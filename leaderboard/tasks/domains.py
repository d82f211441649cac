"""Allow-lists of mail domains: who may enter a task that has one."""

from collections.abc import Iterable

from allauth.account.models import EmailAddress
from django.utils.translation import gettext as _

from leaderboard.tasks.models import Task
from leaderboard.teams.models import User


def within_domains(address: str, domains: Iterable[str]) -> bool:
    """Whether an address is in one of the domains or below one."""
    host = address.rpartition("@")[2].lower().rstrip(".")
    known = [domain.lower().strip(" .@") for domain in domains]
    return any(host == domain or host.endswith(f".{domain}") for domain in known)


def outside_domains(task: Task, people: Iterable[User]) -> list[User]:
    """Those without a confirmed address in the task's domains; one query.

    Nobody where the task has no list.
    """
    people = list(people)
    if not task.mail_domains:
        return []
    confirmed = EmailAddress.objects.filter(user__in=people, verified=True)
    inside = {
        owner
        for owner, address in confirmed.values_list("user", "email")
        if within_domains(address, task.mail_domains)
    }
    return [person for person in people if person.pk not in inside]


def domain_rule(task: Task) -> str:
    """Who may enter, as a sentence; empty where everybody may."""
    if not task.mail_domains:
        return ""
    return _(
        "Every member of a team needs a confirmed mail address in %(domains)s or "
        "below it."
    ) % {"domains": ", ".join(task.mail_domains)}
