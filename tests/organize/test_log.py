"""The public log of changes: everything announced, newest first, for good."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from leaderboard.mail import outbox
from leaderboard.tasks.models import Notice, Participation, Phase, Task
from leaderboard.tasks.models.records import announce
from leaderboard.teams.models import User
from tests.organize.crowd import person

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
LOG = "/tasks/otters/log/"
NEWS = "/tasks/otters/organize/news/"


def noted(task: Task, kind: str, text: str, days: int = 0) -> Notice:
    at = timezone.now() - timedelta(days=days)
    return Notice.objects.create(task=task, kind=kind, text=text, at=at)


def test_every_kind_stands_there_newest_first(task: Task) -> None:
    for days, (kind, _label) in enumerate(Notice.Kind.choices):
        noted(task, kind, f"about {kind}", days)
    page = Client().get(LOG).content.decode()
    places = [page.index(f"about {kind}") for kind, _label in Notice.Kind.choices]
    assert places == sorted(places)
    told = Client().get("/api/v1/tasks/otters/log/").json()
    assert [one["kind"] for one in told] == [kind for kind, _ in Notice.Kind.choices]
    assert f'href="{LOG}"' in Client().get("/tasks/otters/").content.decode()


def test_an_organizer_announces(
    task: Task, phase: Phase, ada: User, as_user: Login
) -> None:
    fields = {"kind": "rules", "text": "One GPU.", "phase": phase.pk}
    answer = as_user(ada).post(NEWS, fields)
    assert (answer.status_code, answer["Location"]) == (302, LOG)
    notice = Notice.objects.get()
    assert (notice.kind, notice.text, notice.phase) == ("rules", "One GPU.", phase)
    assert notice.by == ada
    page = Client().get(LOG).content.decode()
    assert "One GPU." in page and "ada" not in page


def test_an_announcement_is_mailed_to_those_who_take_part_or_follow(
    task: Task, entry: Participation, ada: User, cy: User, as_user: Login
) -> None:
    watcher = as_user(cy)
    follow = "/tasks/otters/follow/"
    assert watcher.post(follow, {"to": "on"})["Location"] == LOG
    assert watcher.post(follow, {"to": "on"}).status_code == 302
    off = person("off@example.org")
    off.wants_messages = False
    off.save()
    task.followers.create(user=off)
    fields = {"kind": "news", "text": "More data.\nIn the kit.", "mail": "on"}
    organizer = as_user(ada)
    for _click in range(2):
        assert organizer.post(NEWS, fields).status_code == 302
    assert Notice.objects.count() == 1
    outbox.send("message")
    assert sorted(letter.to[0] for letter in mail.outbox) == [
        "ben@example.org",
        cy.email,
    ]
    assert mail.outbox[0].subject == "[Otter Parsing] News: More data."
    assert "follow it" in mail.outbox[0].body
    assert mail.outbox[0].extra_headers["List-Unsubscribe-Post"]
    watcher.post(follow, {"to": "off"})
    organizer.post(NEWS, fields | {"text": "Less data."})
    outbox.send("message")
    assert [letter.to[0] for letter in mail.outbox[2:]] == ["ben@example.org"]


@pytest.mark.parametrize("kind", ["gold", "ranking", "deadline", "gossip"])
def test_what_comes_of_deeds_is_not_written_by_hand(
    kind: str, task: Task, ada: User, as_user: Login
) -> None:
    answer = as_user(ada).post(NEWS, {"kind": kind, "text": "x"})
    assert answer.status_code == 422
    with pytest.raises(ValueError, match="not written by hand"):
        announce(task, kind, "x", ada, None)
    assert not Notice.objects.exists()


def test_an_empty_text_says_so(task: Task, ada: User, as_user: Login) -> None:
    answer = as_user(ada).post(NEWS, {"kind": "news", "text": " "})
    assert answer.status_code == 422
    assert "This field is required" in answer.content.decode()


def test_text_is_text_and_links_are_safe(task: Task) -> None:
    noted(task, "news", "<b>See</b> https://example.org/x and javascript:alert(1)")
    page = Client().get(LOG).content.decode()
    assert "<b>" not in page
    assert '<a href="https://example.org/x" rel="nofollow">' in page
    assert 'href="javascript' not in page


def test_the_log_of_a_draft_is_its_organizers(
    task: Task, ada: User, as_user: Login
) -> None:
    task.draft = True
    task.save()
    for address in (LOG, "/api/v1/tasks/otters/log/"):
        assert Client().get(address).status_code == 404
        assert as_user(ada).get(address).status_code == 200


def test_an_empty_log_says_what_will_stand_there(task: Task) -> None:
    assert "No changes yet" in Client().get(LOG).content.decode()


def test_the_log_asks_as_often_however_long(
    task: Task, phase: Phase, django_assert_num_queries: Any
) -> None:
    Notice.objects.create(task=task, kind="news", text="x", phase=phase)
    with django_assert_num_queries(2):
        Client().get(LOG)
    for _ in range(5):
        Notice.objects.create(task=task, kind="news", text="x", phase=phase)
    with django_assert_num_queries(2):
        Client().get(LOG)
