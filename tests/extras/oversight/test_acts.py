"""The list of submissions, and acts on many at once: asked first, all or nothing."""

import re
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.extras.oversight.acts import MOST
from leaderboard.mail import outbox
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    QuotaEntry,
    Submission,
)
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import (
    Change,
    Message,
    Notice,
    Organizer,
    Participation,
    Phase,
    Task,
)
from leaderboard.teams.models import User
from tests.leaderboard.small import both, bundle, scored
from tests.organize.crowd import entered, organizing, person

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
LIST = "/tasks/otters/organize/submissions/"
ACTS = f"{LIST}acts/"
TEAMS = "/tasks/otters/organize/decisions/"


@pytest.fixture
def three(
    phase: Phase, entry: Participation, other: Participation
) -> tuple[Submission, ...]:
    """Two of ben's team, one of cy's."""
    names = (("mole", entry), ("vole", entry), ("shrew", other))
    return tuple(scored(phase, of, both(), system=name) for name, of in names)


@pytest.fixture
def late(phase: Phase, entry: Participation) -> list[Submission]:
    """Two that came after the end, one of them withdrawn since."""
    now = timezone.now()
    Phase.objects.update(opens=now - timedelta(days=9), closes=now - timedelta(days=1))
    phase.refresh_from_db()
    sent = [scored(phase, entry, both(), system=name) for name in ("mole", "vole")]
    Submission.objects.filter(pk=sent[1].pk).update(withdrawn_at=now)
    return sent


def asked(client: Client, act: str, *rows: object, to: str = ACTS, **more: str) -> str:
    answer = client.post(to, {"act": act, "row": [str(r) for r in rows], **more})
    assert answer.status_code == 200
    return str(answer.content.decode())


def done(client: Client, page: str, to: str = ACTS, **fields: str) -> int:
    """The status of the answer when the question is confirmed as it stands there."""
    hidden = re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', page)
    data: dict[str, list[str]] = {}
    for name, value in hidden:
        data.setdefault(name, []).append(value)
    return int(client.post(to, {**data, **fields}).status_code)


@pytest.mark.databases("sql")
def test_the_list_has_everything_that_was_sent_and_can_be_narrowed(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    Submission.objects.filter(system="vole").update(withdrawn_at=timezone.now())
    reader = as_user(ada)

    def systems(query: str) -> set[str]:
        page = reader.get(f"{LIST}?{query}").content.decode()
        return {name for name in ("mole", "vole", "shrew") if f">{name}</a>" in page}

    assert systems("") == {"mole", "vole", "shrew"}
    assert systems("text=Cys") == systems("text=SHREW") == {"shrew"}
    assert systems("state=withdrawn") == {"vole"}
    assert systems("state=scored&text=ole") == {"mole", "vole"}
    assert systems("phase=elsewhere") == systems("cause=no_such") == set()
    assert systems("cause=%22%00&phase=%00") == set()


def test_the_list_asks_as_often_for_many_as_for_few(
    three: tuple[Submission, ...],
    phase: Phase,
    task: Task,
    as_user: Login,
    ada: User,
) -> None:
    reader = as_user(ada)
    reader.get(LIST)
    with CaptureQueriesContext(connection) as few:
        reader.get(LIST)
    for number in range(4):
        team = entered(task, f"Team {number}", person(f"p{number}@example.org"))
        scored(phase, team, both(), system=f"bat-{number}")
    with CaptureQueriesContext(connection) as many:
        reader.get(LIST)
    assert len(many) == len(few)


def test_the_question_says_what_happens_to_which_and_changes_nothing(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    mole, vole, shrew = three
    Submission.objects.filter(pk=vole.pk).update(disqualified_at=timezone.now())
    page = asked(as_user(ada), "disqualify", mole.pk, vole.pk, shrew.pk)
    assert "It happens to 2 rows" in page
    assert "1 row stays as it is" in page and "It is disqualified already." in page
    assert Submission.objects.filter(disqualified_at=None).count() == 2


def test_as_many_rows_as_the_list_allows_get_through_the_form(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    rows = [*(sent.pk for sent in three), *(uuid4() for _ in range(MOST - len(three)))]
    page = asked(as_user(ada), "disqualify", *rows)
    assert "It happens to 3 rows" in page


@pytest.mark.databases("sql")
def test_many_are_disqualified_with_one_mail_to_each_team_and_history_of_each(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    reader = as_user(ada)
    page = asked(reader, "disqualify", *(one.pk for one in three))
    assert done(reader, page, reason="Trained on the test data.") == 302
    out = Submission.objects.filter(disqualified_by=ada)
    assert {one.disqualified_why for one in out} == {"Trained on the test data."}
    assert out.count() == 3
    outbox.send("message")
    to_ben, to_cy = sorted(mail.outbox, key=lambda m: m.to)
    assert "mole" in to_ben.body and "vole" in to_ben.body
    assert "shrew" in to_cy.body and "mole" not in to_cy.body
    assert "Reason: Trained on the test data." in to_cy.body
    changes = Change.objects.filter(actor=ada, content_type__model="submission")
    assert {c.object_pk for c in changes} == {str(one.pk) for one in three}


def test_nothing_is_offered_where_nothing_would_happen(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    page = asked(as_user(ada), "retry", *(one.pk for one in three))
    assert "It happens to 0 rows" in page and "3 rows stay as they are" in page
    assert "button-primary" not in page and "Back, and do nothing" in page
    assert f"{three[0].system} · {three[0].participation.team}" in page


@pytest.mark.databases("sql")
def test_a_reason_is_needed_where_the_single_act_needs_one(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    reader = as_user(ada)
    page = asked(reader, "disqualify", three[0].pk)
    assert done(reader, page, reason="") == 422
    assert not Submission.objects.exclude(disqualified_at=None).exists()


def test_what_changed_since_the_question_is_asked_again(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    reader = as_user(ada)
    page = asked(reader, "disqualify", *(one.pk for one in three))
    Submission.objects.filter(pk=three[0].pk).update(disqualified_at=timezone.now())
    assert done(reader, page, reason="Gold.") == 422
    assert Submission.objects.filter(disqualified_at=None).count() == 2


@pytest.mark.databases("sql")
def test_disqualified_ones_are_put_back_together(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    Submission.objects.update(disqualified_at=timezone.now(), disqualified_by=ada)
    reader = as_user(ada)
    page = asked(reader, "reinstate", *(one.pk for one in three))
    assert done(reader, page) == 302
    assert Submission.objects.filter(disqualified_at=None).count() == 3


@pytest.mark.databases("sql")
def test_late_ones_are_let_in_and_the_public_log_says_how_many(
    late: list[Submission], as_user: Login, ada: User
) -> None:
    reader = as_user(ada)
    page = asked(reader, "admit", *(one.pk for one in late))
    assert "It is withdrawn or disqualified." in page
    assert done(reader, page) == 302
    assert set(Submission.objects.filter(late=False)) == {late[0]}
    assert Evaluation.objects.get().submission == late[0]
    assert "1 submission that came late was let in" in Notice.objects.get().text


def test_late_ones_are_left_to_do_until_they_are_admitted_or_the_ranking_is_declared(
    late: list[Submission], task: Task, as_user: Login, ada: User
) -> None:
    reader, words = as_user(ada), "Admit late uploads, or leave them"
    assert words in reader.get(f"/tasks/{task.slug}/organize/").text
    Phase.objects.update(declared_at=timezone.now())
    assert words not in reader.get(f"/tasks/{task.slug}/organize/").text
    Phase.objects.update(declared_at=None)
    done(reader, asked(reader, "admit", late[0].pk))
    assert words not in reader.get(f"/tasks/{task.slug}/organize/").text


@pytest.mark.databases("sql")
def test_where_one_finds_no_attempt_left_none_is_let_in(
    late: list[Submission], phase: Phase, as_user: Login, ada: User
) -> None:
    Submission.objects.update(withdrawn_at=None)
    Phase.objects.update(daily_limit=1)
    reader = as_user(ada)
    page = asked(reader, "admit", *(one.pk for one in late))
    assert done(reader, page) == 422
    assert Submission.objects.filter(late=True).count() == 2
    assert not QuotaEntry.objects.filter(counter__kind="scored").exists()
    assert not Evaluation.objects.exists()


@pytest.mark.databases("sql")
def test_what_failed_on_our_side_is_scored_again(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    failed = Evaluation.objects.filter(submission__in=three[:2])
    failed.update(state=EvaluationState.FAILED_SYSTEM)
    reader = as_user(ada)
    page = asked(reader, "retry", *(one.pk for one in three))
    assert "Its scoring did not fail on our side." in page
    assert done(reader, page) == 302
    states = Evaluation.objects.order_by("submission__system")
    assert [one.state for one in states] == ["queued", "scored", "queued"]


@pytest.mark.databases("sql")
def test_each_team_gets_a_message_once(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    reader = as_user(ada)
    page = asked(reader, "message", *(one.pk for one in three))
    assert done(reader, page, subject="Paper", text="Send it by Monday.") == 302
    assert Message.objects.count() == 2
    outbox.send("message")
    assert sorted(m.to[0] for m in mail.outbox) == ["ben@example.org", "cy@example.org"]


def test_all_rows_of_a_narrowed_list_can_be_meant(
    three: tuple[Submission, ...], as_user: Login, ada: User
) -> None:
    page = asked(as_user(ada), "disqualify", every="1", query="text=Bens&page=2")
    assert "It happens to 2 rows" in page
    assert "shrew" not in page


def test_more_rows_than_can_be_looked_over_are_not_taken(
    three: tuple[Submission, ...],
    as_user: Login,
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("leaderboard.extras.oversight.acts.MOST", 2)
    reader = as_user(ada)
    page = asked(reader, "reinstate", every="1")
    assert "more than 2 rows" in page
    assert done(reader, page, every="1") == 422


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"act": "abolish"}, 404),
        ({"act": "disqualify"}, 302),
        ({"act": "disqualify", "row": "x"}, 302),
        ({"act": "disqualify", "row": "x", "sure": "1", "reason": "r"}, 422),
    ],
)
def test_odd_requests_change_nothing(
    three: tuple[Submission, ...],
    as_user: Login,
    ada: User,
    data: dict[str, str],
    status: int,
) -> None:
    assert as_user(ada).post(ACTS, data).status_code == status
    assert not Submission.objects.exclude(disqualified_at=None).exists()


@pytest.mark.databases("sql")
def test_submissions_of_another_task_are_not_reached(
    three: tuple[Submission, ...], as_user: Login, ada: User, task: Task
) -> None:
    Task.objects.filter(pk=task.pk).update(slug="voles")
    create_task(bundle(), ada)
    page = as_user(ada).post(ACTS, {"act": "disqualify", "row": str(three[0].pk)})
    assert page.status_code == 302


def test_a_reviewer_sees_the_list_without_boxes(
    three: tuple[Submission, ...], task: Task, as_user: Login
) -> None:
    reviewer = organizing(task, "rea@example.org", Organizer.Role.REVIEWER)
    page = as_user(reviewer).get(LIST).content.decode()
    assert "mole" in page and 'type="checkbox"' not in page
    data = {"act": "disqualify", "row": str(three[0].pk)}
    assert as_user(reviewer).post(ACTS, data).status_code == 404


@pytest.fixture
def waiting(task: Task) -> list[Participation]:
    task.entry = Task.Entry.APPROVAL
    task.save()
    return [
        entered(task, name, person(f"{name}@example.org"), status="pending")
        for name in ("lynx", "puma")
    ]


@pytest.mark.databases("sql")
def test_several_teams_are_admitted_or_refused_together(
    waiting: list[Participation], as_user: Login, ada: User
) -> None:
    reader = as_user(ada)
    listed = reader.get(TEAMS).content.decode()
    assert "lynx@example.org" in listed and "puma@example.org" in listed
    keys = [entry.pk for entry in waiting]
    page = asked(reader, "refuse", *keys, to=f"{TEAMS}acts/")
    assert "It happens to 2 rows" in page
    assert done(reader, page, to=f"{TEAMS}acts/", reason="") == 422
    assert done(reader, page, to=f"{TEAMS}acts/", reason="It is full.") == 302
    told = set(Participation.objects.values_list("status", "reason"))
    assert told == {("refused", "It is full.")}
    assert Message.objects.count() == 2
    page = asked(reader, "admit", *keys, to=f"{TEAMS}acts/")
    assert "2 rows stay as they are" in page
    assert done(reader, page, to=f"{TEAMS}acts/") == 422


@pytest.mark.databases("sql")
def test_all_teams_that_wait_are_admitted_by_one_question(
    waiting: list[Participation], entry: Participation, as_user: Login, ada: User
) -> None:
    Participation.objects.filter(pk=entry.pk).update(status="active")
    reader = as_user(ada)
    page = asked(reader, "admit", to=f"{TEAMS}acts/", every="1", query="status=pending")
    assert "It happens to 2 rows" in page and "Bens" not in page
    assert done(reader, page, to=f"{TEAMS}acts/", every="1") == 302
    assert not Participation.objects.filter(status="pending").exists()
    page = reader.get(TEAMS).content.decode()
    assert "No team waits for admission" in page and 'href="?status="' in page
    assert "Bens" in reader.get(f"{TEAMS}?status=").content.decode()
    assert "No team fits" in reader.get(f"{TEAMS}?q=otter").content.decode()
