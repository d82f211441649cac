"""The demo story told to the database, through the same doors as everybody's."""

from datetime import datetime

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from leaderboard.demo.presence import is_loaded
from leaderboard.demo.story import (
    LOGINS,
    SUBMISSIONS,
    TASKS,
    TEAMS,
    DemoSubmission,
    DemoTask,
)
from leaderboard.submissions import accept, evaluation
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Organizer, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Membership, Team, User, name_key

ORGANIZER = next(email for role, email, _ in LOGINS if role == "organizer")
ADMINISTRATOR = next(email for role, email, _ in LOGINS if role == "administrator")
ORGANIZING_TEAM = "organizers"


def load(now: datetime) -> bool:
    """Create accounts, teams, tasks and scored submissions, dated relative to `now`.

    All or nothing; False when the demo is there already.
    """
    if is_loaded():
        return False
    with transaction.atomic():
        _create_people()
        tasks = {task.slug: _create_task(task, now) for task in TASKS}
        for entry in SUBMISSIONS:
            _send(tasks[entry.task.slug], entry, now)
    return True


def _create_people() -> None:
    hashed = {email: make_password(password) for _, email, password in LOGINS}
    names = {email: name for team in TEAMS for email, name in team.members}
    for email in {**names, **hashed}:
        user, _ = User.objects.get_or_create(
            email=email, defaults={"name": names.get(email, "")}
        )
        user.password = hashed.get(email) or make_password(None)
        user.is_staff = user.is_superuser = email == ADMINISTRATOR
        user.save()
        known = {"verified": True, "primary": True}
        EmailAddress.objects.get_or_create(user=user, email=email, defaults=known)
    for team in TEAMS:
        created = Team.objects.create(name=team.name, key=name_key(team.name))
        for email, _ in team.members:
            Membership.objects.create(team=created, user=User.objects.get(email=email))


def _create_task(task: DemoTask, now: datetime) -> Task:
    """Owned by the account of the organizer, whatever quota the site has."""
    organizer = User.objects.get(email=ORGANIZER)
    created = create_task(task.bundle(now), None)
    Organizer.objects.create(task=created, user=organizer)
    created.gold_revisions.update(created_by=organizer)
    return created


def _send(task: Task, entry: DemoSubmission, now: datetime) -> None:
    team = next(team for team in TEAMS if team.slug == entry.team)
    phase = task.phases.get(name=entry.phase)
    arrived = entry.when(now)
    test_sets = {test_set.name: test_set for test_set in phase.test_sets.all()}
    upload = accept.Upload(
        phase=phase,
        participation=join(task, Team.objects.get(name=team.name)),
        sender=User.objects.get(email=team.members[0][0]),
        key=f"demo {entry.day} {entry.system.name}",
        system=entry.system.name,
        description=entry.description,
        arrived_at=arrived,
        runs=[
            {
                test_sets[name]: SimpleUploadedFile(f"{name}.conllu", text.encode())
                for name, text in entry.files().items()
            }
        ],
        baseline=entry.team == ORGANIZING_TEAM,
    )
    sent = accept.submit(upload)
    for waiting in sent.evaluations.all():
        evaluation.run(waiting.pk)
