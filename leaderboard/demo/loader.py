"""The demo story told to the database, through the same doors as everybody's."""

import os
from collections.abc import Sequence
from datetime import datetime
from multiprocessing import get_context

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections, transaction

from leaderboard.boards.computation import compute_due
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
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Organizer, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Membership, Team, User, name_key
from leaderboard.web.extras import DemoPart, joined

ORGANIZER = next(email for role, email, _ in LOGINS if role == "organizer")
ADMINISTRATOR = next(email for role, email, _ in LOGINS if role == "administrator")
ORGANIZING_TEAM = "organizers"
MOST_SCORERS = 4  # processes; SQLite lets one of them write at a time


def load(now: datetime) -> bool:
    """Create accounts, teams, tasks and scored submissions, dated relative to `now`.

    All or nothing, but for scores: workers make those that a process which is stopped
    leaves out. False when the demo is there already.
    """
    if is_loaded():
        return False
    with transaction.atomic():
        _create_people()
        tasks = {task.slug: _create_task(task, now) for task in TASKS}
        submissions = [
            _send(tasks[entry.task.slug], entry, now) for entry in SUBMISSIONS
        ]
    waiting = Evaluation.objects.filter(submission__in=submissions).order_by("pk")
    _score(list(waiting.values_list("pk", flat=True)))
    teams = teams_by_slug()
    for part in joined(DemoPart):
        part.make(now, User.objects.get(email=ORGANIZER), teams)
    while compute_due():
        pass  # so that the first reader finds boards
    return True


def teams_by_slug() -> dict[str, tuple[Team, User]]:
    """The teams, each with the first of its people."""
    return {
        team.slug: (
            Team.objects.get(name=team.name),
            User.objects.get(email=team.members[0][0]),
        )
        for team in TEAMS
    }


def _score(waiting: Sequence[int]) -> None:
    """Score evaluations side by side, in no more processes than there are cores."""
    connections.close_all()  # none may be used on both sides of a fork
    most = min(os.cpu_count() or 1, MOST_SCORERS)
    scorers = [
        get_context("fork").Process(target=_run, args=(waiting[first::most],))
        for first in range(most)
    ]
    for scorer in scorers:
        scorer.start()
    for scorer in scorers:
        scorer.join()


def _run(waiting: Sequence[int]) -> None:
    for pk in waiting:
        evaluation.run(pk)


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
        state = {"verified": True, "primary": True}
        EmailAddress.objects.get_or_create(user=user, email=email, defaults=state)
    for team in TEAMS:
        created = Team.objects.create(name=team.name, key=name_key(team.name))
        for email, _ in team.members if team.slug != ORGANIZING_TEAM else ():
            Membership.objects.create(team=created, user=User.objects.get(email=email))


def _create_task(task: DemoTask, now: datetime) -> Task:
    """Create a task that the organizer's account owns, whatever quota the site has."""
    organizer = User.objects.get(email=ORGANIZER)
    created = create_task(task.bundle(now), None)
    Organizer.objects.create(task=created, user=organizer)
    created.gold_revisions.update(created_by=organizer)
    return created


def _send(task: Task, entry: DemoSubmission, now: datetime) -> Submission:
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
        facts=entry.facts,
        arrived_at=arrived,
        runs=[
            {
                test_sets[name]: SimpleUploadedFile(f"{name}.conllu", text.encode())
                for name, text in entry.files().items()
            }
        ],
        baseline=entry.team == ORGANIZING_TEAM,
    )
    return accept.submit(upload)
