"""The end of a phase moves in public, and what came late is let in by a button."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.mail import outbox
from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply, sudden_ends
from leaderboard.submissions import accept, uploads
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.dump import pack_bundle
from leaderboard.tasks.models import Notice, Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import both, upload
from tests.organize.phase_fields import filled, text, wall

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
LIST = "/tasks/otters/organize/phases/"
END = LIST + "test/deadline/"
API_END = "/api/v1/tasks/otters/test/deadline/"
JSON = "application/json"
BUNDLE = "/tasks/otters/organize/bundle/"


def end_fields(phase: Phase, closes: datetime, note: str = "Floods.") -> dict[str, str]:
    return {"closes": wall(closes), "note": note, "known": phase.closes.isoformat()}


def confirmed(phase: Phase, closes: datetime) -> dict[str, str]:
    """The same, sent again from the page that asked about that end."""
    fields = end_fields(phase, closes)
    return fields | {"confirm": "on", "asked": fields["closes"]}


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
    assert as_user(ada).post(END, confirmed(phase, soon)).status_code == 302


NEAR, EARLIER = "in less than 24 hours", "earlier than announced"


@pytest.mark.parametrize(
    ("old", "hours", "asked"),
    [
        (72, 2, NEAR),
        (72, 48, EARLIER),
        (1, 23, NEAR),  # later, but near
        (1, 25, ""),
        (72, 73, ""),
        (-72, -2, "which is over already"),
        (-72, 25, ""),
    ],
)
def test_an_end_that_may_surprise_teams_is_confirmed_in_words(
    phase: Phase, ada: User, as_user: Login, old: int, hours: int, asked: str
) -> None:
    now = timezone.now().replace(microsecond=0)
    phase.opens = now - timedelta(days=9)
    phase.closes = before = now + timedelta(hours=old)
    phase.time_zone = "Europe/Berlin"
    phase.save()
    end = now + timedelta(hours=hours)
    local = end.astimezone(phase.zone)
    answer = as_user(ada).post(END, end_fields(phase, local))
    phase.refresh_from_db()
    if not asked:
        assert (answer.status_code, phase.closes) == (302, end)
        return
    assert (answer.status_code, phase.closes) == (422, before)
    page = text(answer)
    moment = f"{local.day} {local:%b} {local.year}, {local:%H:%M} {local:%Z}"
    assert f"The phase closes {moment} (Europe/Berlin)" in page
    assert asked in page
    assert f'name="asked" value="{wall(local)}"' in page
    # What was confirmed was that end and no other.
    other = confirmed(phase, local) | {"closes": wall(local - timedelta(minutes=1))}
    assert as_user(ada).post(END, other).status_code == 422
    assert as_user(ada).post(END, confirmed(phase, local)).status_code == 302
    phase.refresh_from_db()
    assert phase.closes == end


@pytest.mark.databases("time")
def test_teams_are_told_of_a_new_end_by_mail_unless_it_is_unticked(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    client = as_user(ada)
    field = client.get(END).context["form"]["mail"]
    assert field.value() is True
    soon = timezone.now() + timedelta(hours=5)
    answer = client.post(END, confirmed(phase, soon) | {"mail": "on"}, follow=True)
    assert "Mailed to 1 person." in text(answer)
    assert outbox.send("message") == 1
    (told,) = mail.outbox
    assert told.to == ["ben@example.org"]
    notice = Notice.objects.get()
    assert notice.text in told.body
    assert "instead of" in told.body and "Floods." in told.body
    phase.refresh_from_db()
    client.post(END, confirmed(phase, soon + timedelta(hours=1)))
    assert Notice.objects.count() == 2
    assert outbox.send("message") == 0, "unticked"


@pytest.mark.databases("time")
def test_a_phase_to_come_asks_too(
    upcoming: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    Phase.objects.filter(pk=upcoming.pk).update(
        opens=timezone.now() + timedelta(hours=1)
    )
    upcoming.refresh_from_db()
    closes = timezone.now() + timedelta(hours=20)
    page = f"{LIST}{upcoming.name}/edit/"
    fields = filled(upcoming, closes=wall(closes))
    answer = as_user(ada).post(page, fields)
    assert answer.status_code == 422
    assert NEAR in text(answer)
    fields |= {"confirm": "on", "note": "Floods.", "mail": "on"}
    assert as_user(ada).post(page, fields).status_code == 302
    notice = Notice.objects.get()
    assert notice.kind == "deadline" and notice.text.endswith("Floods.")
    assert outbox.send("message") == 1


def test_a_bundle_says_which_ends_are_near_and_teams_are_told(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    task, soon = phase.task, timezone.now() + timedelta(hours=5)
    before = whole_plan(task)
    near = before.with_values(
        phases=tuple(one.with_values(closes=soon) for one in before.phases)
    )
    (end,) = sudden_ends(task, near)
    assert end.startswith("Test: The phase closes ") and NEAR in end
    bundle = SimpleUploadedFile("b.zip", pack_bundle(near).single())
    page = as_user(ada).post(BUNDLE, {"bundle": bundle})
    assert end in text(page)
    assert 'name="mail" checked' in text(page)
    token = page.context["view"].preview.token
    as_user(ada).post(BUNDLE, {"token": token, "mail": "on"})
    phase.refresh_from_db()
    assert phase.closes < timezone.now() + timedelta(hours=6)
    assert outbox.send("message") == 1
    task.draft = True
    assert sudden_ends(task, near) == [], "nothing was promised yet"


def test_a_program_moves_an_end_and_confirms_one_that_may_surprise(
    phase: Phase, entry: Participation, ada: User
) -> None:
    client, before = bearer(ada, "organize"), phase.closes

    def sent(closes: datetime, **more: object) -> Any:
        fields = {"closes": closes.isoformat(), "note": "Floods.", **more}
        return client.post(API_END, fields, content_type="application/json")

    later, soon = before + timedelta(days=2), timezone.now() + timedelta(hours=5)
    assert sent(later, note="").status_code == 422
    answer = sent(later)
    assert answer.status_code == 200
    assert answer.json() == {
        "closes": later.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "admitted": 0,
        "mailed": 1,
    }
    assert sent(later).json()["code"] == "cannot_move_end", "it is the end by now"
    refusal = sent(soon)
    assert refusal.status_code == 422
    (words,) = refusal.json()["errors"]["closes"]
    message = words["message"]
    assert NEAR in message and "“confirm”: true" in message
    assert sent(soon, confirm=True, mail=False).json()["mailed"] == 0
    phase.refresh_from_db()
    assert phase.closes == soon
    past = timezone.now() - timedelta(hours=1)
    assert sent(past, confirm=True).json()["code"] == "cannot_move_end"
    tomorrow = {"closes": "tomorrow", "note": "Floods."}
    wrong = client.post(API_END, tomorrow, content_type="application/json")
    assert wrong.status_code == 422
    assert Notice.objects.count() == 2


@pytest.mark.databases("time")
def test_a_day_alone_ends_the_phase_with_it_in_its_zone_by_form_and_api(
    phase: Phase, ada: User, as_user: Login
) -> None:
    Phase.objects.filter(pk=phase.pk).update(time_zone="Europe/Prague")
    phase.refresh_from_db()
    fields = {"note": "Floods.", "known": phase.closes.isoformat()}
    answer = as_user(ada).post(END, fields | {"closes": "2031-06-20"})
    assert answer.status_code == 302, answer.text
    phase.refresh_from_db()
    assert phase.closes.isoformat() == "2031-06-20T22:00:00+00:00"
    by_program = {"closes": "2031-12-24", "note": "Snow."}
    client = bearer(ada, "organize")
    told = client.post(API_END, by_program, content_type="application/json")
    assert told.json()["closes"] == "2031-12-24T23:00:00Z"
    until = {"team": "nobody", "until": "2031-12-32"}
    wrong = client.post(
        "/api/v1/tasks/otters/test/extensions/", until, content_type="application/json"
    )
    assert "or a day" in wrong.json()["errors"]["until"][0]["message"]


def test_a_bundle_by_the_api_names_ends_that_may_surprise(
    phase: Phase, entry: Participation, ada: User
) -> None:
    client, address = bearer(ada, "organize"), "/api/v1/tasks/otters/bundle/"
    before = whole_plan(phase.task)
    soon = timezone.now() + timedelta(hours=5)
    near = before.with_values(
        phases=tuple(one.with_values(closes=soon) for one in before.phases)
    )
    data = pack_bundle(near).single()
    seen = client.post(address, {"bundle": SimpleUploadedFile("b.zip", data)}).json()
    assert not seen["applied"]
    assert [NEAR in end for end in seen["sudden_ends"]] == [True]
    applied = client.post(
        address,
        {"bundle": SimpleUploadedFile("b.zip", data)},
        headers={"If-Match": seen["etag"]},
    )
    assert applied.json()["applied"]
    assert outbox.send("message") == 1


def test_the_end_of_a_closed_phase_moves_to_later_only(
    over: Phase, ada: User, as_user: Login
) -> None:
    before = over.closes - timedelta(hours=1)
    answer = as_user(ada).post(END, end_fields(over, before))
    assert "only be moved to later" in text(answer)
    after = over.closes + timedelta(hours=1)
    assert as_user(ada).post(END, confirmed(over, after)).status_code == 302


@pytest.mark.parametrize(
    "kept", [{"private_share": 0.4}, {"policy": "blind"}, {"policy": "best"}, {}]
)
def test_who_opens_a_phase_again_is_told_that_teams_saw_what_was_withheld(
    over: Phase, ada: User, as_user: Login, kept: dict[str, Any]
) -> None:
    Phase.objects.filter(pk=over.pk).update(**kept)
    later = timezone.now() + timedelta(days=3)
    page = as_user(ada).post(END, end_fields(over, later))
    assert (page.status_code == 422) == bool(kept)
    if not kept:
        return
    assert "What was withheld has been shown since" in text(page)
    moved = {"closes": later.isoformat(), "note": "Floods."}
    answer = bearer(ada, "organize").post(API_END, moved, content_type=JSON)
    assert "What was withheld has been shown since" in answer.text
    assert as_user(ada).post(END, confirmed(over, later)).status_code == 302


@pytest.mark.parametrize("days", [3, None])
def test_a_bundle_that_opens_a_phase_again_asks_what_its_form_asks(
    over: Phase, entry: Participation, ada: User, as_user: Login, days: int | None
) -> None:
    later = days and timezone.now().replace(microsecond=0) + timedelta(days=days)
    plan = whole_plan(over.task)
    open_ = [one.with_values(closes=later or None) for one in plan.phases]
    after = plan.with_values(phases=tuple(open_))
    assert sudden_ends(over.task, after) == [], "everything was public all along"
    Phase.objects.filter(pk=over.pk).update(policy="blind")
    blind = [one.with_values(policy="blind") for one in after.phases]
    data = pack_bundle(plan.with_values(phases=tuple(blind))).single()
    client = as_user(ada)
    page = client.post(BUNDLE, {"bundle": SimpleUploadedFile("b.zip", data)})
    assert "What was withheld has been shown since" in text(page)
    token = page.context["view"].preview.token
    client.post(BUNDLE, {"token": token, "mail": "on"})
    over.refresh_from_db()
    assert over.closes == (later or None)
    assert outbox.send("message") == 1


def test_an_end_that_somebody_else_moved_is_looked_at_again(
    phase: Phase, ada: User, as_user: Login
) -> None:
    fields = end_fields(phase, phase.closes + timedelta(days=2))
    phase.closes += timedelta(days=1)
    phase.save()
    assert "in the meantime" in text(as_user(ada).post(END, fields))


@pytest.mark.databases("time")
def test_a_declared_phase_keeps_its_end(
    phase: Phase, ada: User, as_user: Login
) -> None:
    phase.declared_at = timezone.now()
    phase.save()
    fields = end_fields(phase, phase.closes + timedelta(days=2))
    assert "was declared" in text(as_user(ada).post(END, fields))


@pytest.mark.databases("time")
def test_an_end_after_the_reveal_is_refused(
    phase: Phase, ada: User, as_user: Login
) -> None:
    phase.policy, phase.reveal_at = "blind", phase.closes + timedelta(days=1)
    phase.save()
    fields = end_fields(phase, phase.closes + timedelta(days=2))
    assert "while teams can still submit" in text(as_user(ada).post(END, fields))
    assert not Notice.objects.exists()


@pytest.mark.databases("time")
def test_late_submissions_are_let_in_by_a_button_and_never_silently(
    over: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    over.daily_limit = 2
    over.save()
    hours = [over.closes + timedelta(hours=n) for n in (1, 2, 3, 30)]
    for moment in hours:
        accept.submit(upload(over, entry, both(), arrived_at=moment))
    client = as_user(ada)
    client.post(END, confirmed(over, over.closes + timedelta(hours=4)))
    assert Submission.objects.filter(late=True).count() == 4
    page = text(client.get(END))
    assert "Let 3 late submissions in" in page
    answer = client.post(LIST + "test/admit/", follow=True)
    assert Submission.objects.filter(late=True, received_at__lt=hours[3]).count() <= 1
    assert "let in and queued" in text(answer)
    assert Submission.objects.get(received_at=hours[3]).late


@pytest.mark.databases("time")
def test_an_extension_counts_from_when_it_was_asked_for(
    over: Phase, entry: Participation, ada: User, as_user: Login, monkeypatch: Any
) -> None:
    """Its answer takes seconds in a rush: what came in these is no longer late."""
    old = over.closes
    moments = [old + timedelta(seconds=n) for n in (1, 7)]
    sent = [accept.submit(upload(over, entry, both(), arrived_at=m)) for m in moments]
    fields = confirmed(over, old + timedelta(days=2))
    asked = old - timedelta(seconds=0.15)
    monkeypatch.setattr(uploads, "shared_moment", lambda reading: asked)
    answer = as_user(ada).post(END, fields, follow=True)
    assert "2 late submissions are let in" in text(answer)
    for one in sent:
        one.refresh_from_db()
        assert (one.late, one.admitted_by) == (False, ada)
        assert one.evaluations.count() == 1


@pytest.mark.databases("time")
def test_an_extension_lets_nothing_in_that_was_late_before(
    over: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    moment = over.closes + timedelta(seconds=1)
    sent = accept.submit(upload(over, entry, both(), arrived_at=moment))
    later = timezone.now() + timedelta(hours=1)
    as_user(ada).post(END, confirmed(over, later))
    over.refresh_from_db()
    answer = as_user(ada).post(END, confirmed(over, later + timedelta(hours=1)))
    assert answer.status_code == 302
    sent.refresh_from_db()
    assert sent.late


@pytest.mark.databases("time")
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
    client.post(END, confirmed(over, over.closes + timedelta(hours=4)))
    client.post(LIST + "test/admit/")
    assert not Submission.objects.get(participation=other).late
    assert Submission.objects.get(participation=entry).late
    # How many, and not whose: who sends is not public in every phase.
    newest = Notice.objects.first()
    assert newest is not None
    assert newest.text == "Test: 1 submission that came late was let in."


@pytest.mark.databases("time")
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
        one.with_values(paused=True, paused_note="Gold is corrected.")
        for one in before.phases
    )
    apply(phase.task, before.with_values(phases=paused), ada, before)
    assert "Gold is corrected." in Notice.objects.get().text
