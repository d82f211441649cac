"""What has served goes by itself; what is young, and what boards rest on, stays."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.conf import settings as site
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from leaderboard.api.models import KeptAnswer
from leaderboard.mail.models import Mail
from leaderboard.operations import jobs, retention
from leaderboard.submissions.models import Event, Submission
from leaderboard.tasks.models import (
    Change,
    Invitation,
    Message,
    Participation,
    Phase,
)
from leaderboard.teams.models import User
from tests.leaderboard.small import both, scored
from tests.operations.cells import cells_with

pytestmark = [pytest.mark.django_db, pytest.mark.databases("time")]
OLD = timezone.now() - timedelta(days=91)


def test_nothing_young_goes(phase: Phase, entry: Participation, ben: User) -> None:
    Client().force_login(ben)
    scored(phase, entry, both())
    Invitation.objects.create(task=phase.task, email="x@example.org", by=ben)
    assert not any(retention.clear().values())


def test_sign_ins_and_answers_go_when_they_end(ben: User) -> None:
    Client().force_login(ben)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    days = timezone.now() - timedelta(days=3)
    KeptAnswer.objects.create(user=ben, address="/", key="k", at=days)
    gone = retention.clear()
    assert (gone["sessions"], gone["answers"]) == (1, 1)
    assert not Session.objects.exists() and not KeptAnswer.objects.exists()


def test_mail_about_results_is_forgotten_and_not_sent_again(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    Mail.objects.update(at=OLD)
    assert retention.clear()["mail"] == 1
    assert not Mail.objects.exists()
    assert Submission.objects.count() == Event.objects.filter(new="scored").count() == 1


def test_addresses_of_computers_leave_the_history(phase: Phase, ada: User) -> None:
    row = Change.objects.latest("pk")
    for at in (timezone.now(), OLD):
        Change._base_manager.filter(pk=row.pk).update(
            actor=ada, remote_addr="192.0.2.7", timestamp=at
        )
        retention.clear()
        row.refresh_from_db()
        assert row.remote_addr == (None if at is OLD else "192.0.2.7")
    assert row.actor == ada, "who it was stays"


def test_what_mail_servers_said_of_letters_goes(phase: Phase, ben: User) -> None:
    letter = Message.objects.create(task=phase.task, subject="Rain", text="-", at=OLD)
    Mail.objects.create(
        kind="message", about=letter.pk, user=ben, at=OLD, error="550 ben@example.org"
    )
    assert retention.clear()["errors"] == 1
    assert Mail.objects.get().error == ""


def test_who_never_took_an_invitation_is_forgotten(phase: Phase, ada: User) -> None:
    for mail in ("stranger@example.org", "ada@example.org"):
        Invitation.objects.create(task=phase.task, email=mail, by=ada, at=OLD)
    assert cells_with("stranger@example.org")
    assert retention.clear()["invitations"] == 2
    assert cells_with("stranger@example.org") == set()
    assert cells_with("ada@example.org"), "she has an account"


def test_it_is_done_by_the_clock_with_and_without_a_broker(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    done: list[str] = []

    def pieces() -> Iterator[object]:
        for name in ("sessions", "answers"):
            yield done.append(name)

    work = jobs.LongWork(pieces, settings.CLEAR_SECONDS)
    monkeypatch.setattr(jobs, "_clearing", work)
    names = {entry["task"] for entry in site.CELERY_BEAT_SCHEDULE.values()}
    current_app.loader.import_default_modules()
    assert "operations.clear" in names and names <= set(current_app.tasks)
    current_app.tasks["operations.clear"]()
    assert done == ["sessions", "answers"]
    current_app.tasks["operations.clear"]()
    assert len(done) == 2, "it is not due again yet"


def test_long_work_gives_way_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mail waits for no more than the piece that is being done."""
    now, done = [0.0], []

    def pieces() -> Iterator[object]:
        for number in range(5):
            now[0] += 0.4
            yield done.append(number)
            if now[0] > 3000:
                raise OSError("a disk that is away")

    monkeypatch.setattr(jobs.time, "monotonic", lambda: now[0])
    work = jobs.LongWork(pieces, 3000)
    work.go_on()
    assert done == [0, 1, 2]
    work.go_on()
    assert done == [0, 1, 2, 3, 4]
    work.go_on()
    assert len(done) == 5
    now[0] = 3000.0
    with pytest.raises(OSError):
        work.go_on()
    work.go_on()
    assert done[5:] == [0], "what failed is begun anew when it is due"
