"""The data of a person are deleted; what rankings rest on stays, under a number."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import models, transaction
from django.db.models import Q

from leaderboard.extension.models import (
    Change,
    Organizer,
    Participation,
    Snapshot,
    Submission,
    Task,
    Team,
    TeamNote,
    User,
    name_key,
)
from leaderboard.extension.participation import let_go
from leaderboard.extension.upkeep import (
    Redaction,
    personal_rows,
    scrub,
    unmistakable,
)

NOWHERE = "forgotten.invalid"  # a name that no mail can reach, by RFC 2606


class OnlyOwner(Exception):
    """Tasks that would be left without an owner, in words."""


@dataclass
class Report:
    """Numbers of deleted rows, by kind; `frozen_pages` show a name."""

    number: int
    removed: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    frozen_pages: list[str] = field(default_factory=list)


def forget(user: User, also: Sequence[str] = ()) -> Report:
    """Delete what is known of a person, in one transaction.

    `also` are further names, to be found everywhere. Raises OnlyOwner.
    """
    report = Report(number=user.pk)
    with transaction.atomic():
        if owned := tasks_owned_alone(user):
            raise OnlyOwner(", ".join(task.slug for task in owned))
        mails = {user.email, *_addresses(user, confirmed=True)}
        # Anybody may type the address of somebody else.
        typed = {*_addresses(user, confirmed=False)} - mails
        names = {user.name, user.email.partition("@")[0]}
        alone = [team for team in user.teams.all() if team.members.count() == 1]
        near = _near(user, alone)
        names |= {team.name for team in alone}
        report.frozen_pages = [str(snapshot) for snapshot in frozen_with(names)]
        _rename(user, alone, report)
        _remove(user, mails, report)
        _close_history(user, report)
        place = former(user)
        own = (name for name in unmistakable(names) if not _borne_by_others(name))
        every = Redaction(frozenset(mails), frozenset({*own, *also}), place)
        report.changed += scrub(every)
        single = frozenset(filter(None, names))
        report.changed += scrub(Redaction(frozenset(typed), single, place), near)
    return report


def former(user: User) -> str:
    return f"Former participant {user.pk}"


def tasks_owned_alone(user: User) -> list[Task]:
    owned = Task.objects.filter(
        organizer__user=user, organizer__role=Organizer.Role.OWNER
    )
    others = Organizer.objects.filter(role=Organizer.Role.OWNER).exclude(user=user)
    return list(owned.exclude(pk__in=others.values("task")))


def frozen_with(names: set[str]) -> Iterator[Snapshot]:
    """Frozen rankings in which one of the names stands."""
    words = Redaction(frozenset(), frozenset(filter(None, names)), "")
    for snapshot in Snapshot.objects.all().iterator(chunk_size=20):
        if words.without(snapshot.data) != snapshot.data:
            yield snapshot


def _addresses(user: User, confirmed: bool) -> Iterator[str]:
    rows = EmailAddress.objects.filter(user=user, verified=confirmed)
    yield from rows.values_list("email", flat=True)


def _borne_by_others(name: str) -> bool:
    """Whether an account, a team or a task has the name that a person gave up."""
    return (
        User.objects.filter(name__iexact=name).exists()
        or Team.objects.filter(name__iexact=name).exists()
        or Task.objects.filter(title__iexact=name).exists()
    )


def _rename(user: User, alone: Sequence[Team], report: Report) -> None:
    user.name, user.email = former(user), f"former-{user.pk}@{NOWHERE}"
    user.is_active = user.is_staff = user.is_superuser = False
    user.wants_messages = user.wants_results = False
    user.language, user.last_login = "", None
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    for number, team in enumerate(alone, 1):
        name = former(user) + (f", team {number}" if len(alone) > 1 else "")
        report.renamed.append((team.name, name))
        entries = Participation.objects.filter(team=team).exclude(answers={})
        report.changed["tasks.Participation.answers"] += entries.update(answers={})
        # What a team writes to itself is nobody's any more.
        _count(report, TeamNote.objects.filter(submission__participation__team=team))
        Team.objects.filter(pk=team.pk).update(name=name, key=name_key(name))


def _remove(user: User, mails: set[str], report: Report) -> None:
    for personal in personal_rows():
        _count(report, personal.rows_of(user, mails))
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()
            report.removed["sessions.Session"] += 1
    report.removed["teams.Membership"] += let_go(user)


def _count(report: Report, rows: Any) -> None:
    removed = rows.delete()[1]
    report.removed.update(removed)


def _close_history(user: User, report: Report) -> None:
    """Changes keep the number of the person and lose the address they came from."""
    mine = Change._base_manager.filter(actor=user)
    report.changed["tasks.Change.remote_addr"] += mine.exclude(remote_addr=None).count()
    mine.update(actor_email=None, remote_addr=None, remote_port=None)


def _near(user: User, alone: Sequence[Team]) -> dict[type[models.Model], Q]:
    """Rows where one word can mean nobody else: the person's own, and their history.

    Found before anything is removed.
    """
    near: dict[type[models.Model], Q] = {}
    about: dict[type[models.Model], list[Any]] = {User: [user.pk]}
    for model in apps.get_models():
        links = [f for f in model._meta.concrete_fields if f.related_model is User]
        if model in (User, Team) or not links:
            continue
        mine = Q()
        for link in links:
            mine |= Q(**{link.name: user})
        near[model] = mine
        about[model] = _keys(model._base_manager.filter(mine))
    entries = Participation.objects.filter(team__in=alone)
    about[Participation] += _keys(entries)
    about[Submission] += _keys(Submission.objects.filter(participation__in=entries))
    near[Change] = near.get(Change, Q()) | _history(about, "object_pk")
    near[LogEntry] = near.get(LogEntry, Q()) | _history(about, "object_id")
    return near


def _keys(rows: Any) -> list[Any]:
    return list(rows.values_list("pk", flat=True))


def _history(about: dict[type[models.Model], list[Any]], key: str) -> Q:
    either = Q(pk=None)
    for model, keys in about.items():
        if keys:
            kind = ContentType.objects.get_for_model(model)
            either |= Q(content_type=kind, **{f"{key}__in": list(map(str, keys))})
    return either
