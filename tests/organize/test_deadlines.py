"""The end of a phase moves in public, and what came late is let in by a button."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply
from leaderboard.submissions import accept, uploads
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Notice, Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, upload
from tests.organize.phase_fields import text, wall

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage, pytest.mark.databases]
Login = Callable[[User], Client]
LIST = "/tasks/otters/organize/phases/"
END = LIST + "test/deadline/"


def end_fields(phase: Phase, closes: datetime, note: str = "Floods.") -> dict[str, str]:
    return {"closes": wall(closes), "note": note, "known": phase.closes.isoformat()}


def test_a_later_end_is_public_with_its_reason(
    phase: Phase, ada: User, as_user: Login
) -> None:
    later = phase.closes + timedelta(days=2)
    assert as_user(ada).post(END, end_fields(phase, later)).status_code == 302
    phase.refresh_from_db()
    assert wall(phase.closes) == wall(later)
    notice = Notice.objects.get()
    assert notice.kind == "deadline"
    assert "instead of" in notice.text
    assert notice.text.endswith("Floods.")
    assert notice.by == ada


def test_an_end_is_not_moved_without_a_note(
    phase: Phase, ada: User, as_user: Login
) -> None:
    closes = phase.closes
    later = closes + timedelta(days=2)
    answer = as_user(ada).post(END, end_fields(phase, later, note=""))
    assert answer.status_code == 422
    phase.refresh_from_db()
    assert phase.closes == closes


def test_an_earlier_end_lies_in_the_future(
    phase: Phase, ada: User, as_user: Login
) -> None:
    past = timezone.now() - timedelta(hours=1)
    answer = as_user(ada).post(END, end_fields(phase, past))
    assert "has to lie in the future" in text(answer)
    soon = timezone.now() + timedelta(hours=5)
    assert as_user(ada).post(END, end_fields(phase, soon)).status_code == 302


def test_the_end_of_a_closed_phase_moves_to_later_only(
    over: Phase, ada: User, as_user: Login
) -> None:
    before = over.closes - timedelta(hours=1)
    answer = as_user(ada).post(END, end_fields(over, before))
    assert "only be moved to later" in text(answer)
    after = over.closes + timedelta(hours=1)
    assert as_user(ada).post(END, end_fields(over, after)).status_code == 302


def test_an_end_that_somebody_else_moved_is_looked_at_again(
    phase: Phase, ada: User, as_user: Login
) -> None:
    fields = end_fields(phase, phase.closes + timedelta(days=2))
    phase.closes += timedelta(days=1)
    phase.save()
    assert "in the meantime" in text(as_user(ada).post(END, fields))


def test_a_declared_phase_keeps_its_end(
    phase: Phase, ada: User, as_user: Login
) -> None:
    phase.declared_at = timezone.now()
    phase.save()
    fields = end_fields(phase, phase.closes + timedelta(days=2))
    assert "was declared" in text(as_user(ada).post(END, fields))


def test_an_end_after_the_reveal_is_refused(
    phase: Phase, ada: User, as_user: Login
) -> None:
    phase.policy, phase.reveal_at = "blind", phase.closes + timedelta(days=1)
    phase.save()
    fields = end_fields(phase, phase.closes + timedelta(days=2))
    assert "while teams can still submit" in text(as_user(ada).post(END, fields))
    assert not Notice.objects.exists()


def test_late_submissions_are_let_in_by_a_button_and_never_silently(
    over: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    over.daily_limit = 2
    over.save()
    hours = [over.closes + timedelta(hours=n) for n in (1, 2, 3, 30)]
    for moment in hours:
        accept.submit(upload(over, entry, both(), arrived_at=moment))
    client = as_user(ada)
    client.post(END, end_fields(over, over.closes + timedelta(hours=4)))
    assert Submission.objects.filter(late=True).count() == 4
    page = text(client.get(END))
    assert "Let 3 late submissions in" in page
    answer = client.post(LIST + "test/admit/", follow=True)
    assert Submission.objects.filter(late=True, received_at__lt=hours[3]).count() <= 1
    assert "let in and queued" in text(answer)
    assert Submission.objects.get(received_at=hours[3]).late


def test_an_extension_counts_from_when_it_was_asked_for(
    over: Phase, entry: Participation, ada: User, as_user: Login, monkeypatch: Any
) -> None:
    """Its answer takes seconds in a rush: what came in these is no longer late."""
    old = over.closes
    moments = [old + timedelta(seconds=n) for n in (1, 7)]
    sent = [accept.submit(upload(over, entry, both(), arrived_at=m)) for m in moments]
    fields = end_fields(over, old + timedelta(days=2))
    asked = old - timedelta(seconds=0.15)
    monkeypatch.setattr(uploads, "shared_moment", lambda reading: asked)
    answer = as_user(ada).post(END, fields, follow=True)
    assert "2 late submissions are let in" in text(answer)
    for one in sent:
        one.refresh_from_db()
        assert (one.late, one.admitted_by) == (False, ada)
        assert one.evaluations.count() == 1


def test_an_extension_lets_nothing_in_that_was_late_before(
    over: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    moment = over.closes + timedelta(seconds=1)
    sent = accept.submit(upload(over, entry, both(), arrived_at=moment))
    later = timezone.now() + timedelta(hours=1)
    as_user(ada).post(END, end_fields(over, later))
    over.refresh_from_db()
    as_user(ada).post(END, end_fields(over, later + timedelta(hours=1)))
    sent.refresh_from_db()
    assert sent.late


def test_what_a_team_out_of_the_task_sent_late_is_not_let_in(
    over: Phase, entry: Participation, ada: User, as_user: Login, cy: User
) -> None:
    other = join(over.task, Team.found("Cys", cy))
    moment = over.closes + timedelta(hours=1)
    for team in (entry, other):
        accept.submit(upload(over, team, both(), arrived_at=moment))
    entry.status = Participation.Status.DISQUALIFIED
    entry.save()
    client = as_user(ada)
    client.post(END, end_fields(over, over.closes + timedelta(hours=4)))
    client.post(LIST + "test/admit/")
    assert not Submission.objects.get(participation=other).late
    assert Submission.objects.get(participation=entry).late
    # How many, and not whose: who sends is not public in every phase.
    newest = Notice.objects.first()
    assert newest is not None
    assert newest.text == "Test: 1 submission that came late was let in."


def test_a_pause_and_its_end_stand_in_the_public_log_once(
    phase: Phase, ada: User, as_user: Login
) -> None:
    client = as_user(ada)
    for _again in range(2):
        client.post(LIST + "test/pause/", {"note": "A disk is full."})
    for _again in range(2):
        client.post(LIST + "test/pause/", {"go_on": "1"})
    assert [notice.text for notice in Notice.objects.order_by("pk")] == [
        "Test is paused: uploads are refused. A disk is full.",
        "Test goes on: teams can submit again.",
    ]
    log = Client().get("/tasks/otters/log/").content.decode()
    assert "A disk is full." in log


def test_a_bundle_that_pauses_says_so_too(phase: Phase, ada: User) -> None:
    before = whole_plan(phase.task)
    paused = tuple(
        one.changed(paused=True, paused_note="Gold is corrected.")
        for one in before.phases
    )
    apply(phase.task, before.changed(phases=paused), ada, before)
    assert "Gold is corrected." in Notice.objects.get().text
