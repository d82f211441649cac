"""Operators and organizers are told by mail of what fails: once, and when it ends."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from leaderboard.celery import BOARDS, UPKEEP
from leaderboard.mail.models import Mail
from leaderboard.operations import incidents, retention
from leaderboard.operations.models import BackupRun, Incident
from leaderboard.submissions import accept, leases, runners
from leaderboard.submissions.models import Evaluation, LaneRun, Submission
from leaderboard.tasks.models import Organizer, Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import both, upload

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def operators(settings: Any) -> None:
    settings.OPERATORS = ["night@example.org"]


def later(**span: float) -> None:
    """Makes the rows of incidents so much older."""
    for model, names in (
        (Incident, ("began_at", "seen_at", "told_at")),
        (Mail, ("not_before",)),
    ):
        for row in model.objects.all():
            for name in names:
                setattr(row, name, getattr(row, name) - timedelta(**span))
            row.save()


def told() -> list[tuple[list[str], str]]:
    """To whom mail went since it was last asked, and about what."""
    incidents.look()
    found = [(one.to, one.subject.partition("] ")[2]) for one in mail.outbox]
    mail.outbox.clear()
    return found


def sent(phase: Phase, entry: Participation) -> Submission:
    return accept.submit(upload(phase, entry, both()))


def test_a_failed_backup_is_told_of_once_a_day_and_when_it_is_over(
    admin_client: Client,
) -> None:
    night = ["night@example.org"]
    BackupRun.objects.create(problem="none was made: No space left on device")
    incidents.look()
    (letter,) = mail.outbox
    assert "No space left on device" in letter.body
    assert (
        "No space left on device" in admin_client.get("/admin/queue/").content.decode()
    )
    assert told() == [(night, "The backup failed")]
    assert told() == []
    later(days=1, minutes=1)
    since = f"{timezone.now() - timedelta(days=1, minutes=1):%Y-%m-%d}"
    ((_, subject),) = told()
    assert subject.startswith(f"The backup failed (since {since}")
    BackupRun.objects.create()
    assert told() == []  # it may come back at once
    later(minutes=16)
    assert told() == [(night, "Over: The backup failed")]
    BackupRun.objects.create(problem="none was made: again")
    assert told() == []  # within the pause
    later(hours=1)
    assert told() == [(night, "The backup failed")]
    Incident.objects.update(ended_at=timezone.now() - timedelta(days=91))
    Mail.objects.update(at=timezone.now() - timedelta(days=91))
    assert retention.clear()["incidents"] == 2 and not Mail.objects.exists()


def test_backups_that_stopped_are_told_of_where_they_were_regular() -> None:
    BackupRun.objects.create(at=timezone.now() - timedelta(hours=40))
    assert told() == []  # one alone was made by hand
    for _ in range(2):
        BackupRun.objects.create(at=timezone.now() - timedelta(hours=37))
    assert [subject for _, subject in told()] == ["The backup failed"]


def test_the_scheduler_tells_of_a_dead_process_for_it_cannot(
    phase: Phase, entry: Participation
) -> None:
    dead = "No process sends mail and keeps the site"
    LaneRun.note(UPKEEP)
    incidents.look_without_workers()
    assert mail.outbox == []
    leases.reap()  # a worker's own sweep, which is no upkeep
    LaneRun.objects.update(at=timezone.now() - timedelta(minutes=6))
    incidents.look_without_workers()
    assert [one.subject for one in mail.outbox] == [f"[Plumbline] {dead}"]
    mail.outbox.clear()
    later(minutes=16)
    assert [subject for _, subject in told()] == [f"Over: {dead}"]


def test_boards_that_nobody_computes_are_told_of() -> None:
    LaneRun.note(BOARDS)
    assert told() == []
    LaneRun.objects.update(at=timezone.now() - timedelta(minutes=6))
    assert [subject for _, subject in told()] == ["No process computes boards"]


def test_a_queue_that_no_worker_takes_is_told_of(
    phase: Phase, entry: Participation
) -> None:
    waiting = sent(phase, entry).evaluations
    waiting.update(state_since=timezone.now() - timedelta(minutes=11), heavy=True)
    light = sent(phase, entry).evaluations.get()
    leases.claim(light.pk)
    assert [subject for _, subject in told()] == ["Heavy work is not scored"]


def test_what_failed_because_of_the_site_is_told_without_a_name(
    phase: Phase, entry: Participation, admin_user: User, settings: Any
) -> None:
    settings.OPERATORS = []
    failing = sent(phase, entry).evaluations.get()
    leases.claim(failing.pk)
    Evaluation.objects.update(attempt=3)
    leases.release(Evaluation.objects.filter(pk=failing.pk), "Bens: north.conllu")
    incidents.look()
    (letter,) = mail.outbox
    assert letter.to == [admin_user.email]
    assert f"1 in an hour: {failing.pk}" in letter.body
    for secret in ("Bens", "north", "Otter", "ben@"):
        assert secret not in letter.body + letter.subject


def test_a_hundred_failures_of_a_program_are_one_mail_to_each_organizer(
    phase: Phase, entry: Participation, ada: User, cy: User
) -> None:
    Organizer.objects.create(task=phase.task, user=cy, role=Organizer.Role.REVIEWER)
    runner = runners.runner()
    assert runner is not None
    for _ in range(3):
        one = sent(phase, entry).evaluations.get()
        lease = leases.claim(one.pk)
        assert lease is not None and runner.finish_failed(one, lease)
        incidents.look()
        assert mail.outbox == []  # they are gathered
    later(minutes=5)
    incidents.look()
    (letter,) = mail.outbox
    assert letter.to == [ada.email]
    assert "gave no result for 3 submissions" in letter.body
    assert "/tasks/otters/organize/program/" in letter.body
    mail.outbox.clear()
    assert told() == []
    later(days=1, minutes=1)
    assert [to for to, _ in told()] == [[ada.email]]
