"""Limits of a day: counted for each subject, and never given back."""

import functools
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client
from django.utils import timezone

from leaderboard.extras.invitations import pages
from leaderboard.extras.invitations.models import EntryInvitation
from leaderboard.mail import outbox
from leaderboard.operations.retention import clear
from leaderboard.organize import messages
from leaderboard.organize.task import delete_draft
from leaderboard.tasks import organizers
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Invitation, Message, Organizer, Task
from leaderboard.tasks.organizer_quota import OverQuota
from leaderboard.teams import limits
from leaderboard.teams.models import DailyCount, User
from leaderboard.teams.refusal import Refusal
from tests.leaderboard.small import bundle

pytestmark = [pytest.mark.django_db, pytest.mark.databases("sql")]


def counts() -> dict[str, int]:
    return dict(DailyCount.objects.values_list("what", "number"))


def test_each_subject_is_counted_and_the_fullest_decides() -> None:
    assert limits.take("letter", 3, "task 1", "person 1", number=2)
    assert not limits.take("letter", 3, "task 2", "person 1", number=2)
    # What was refused has counted nowhere.
    assert counts() == {"letter: task 1": 2, "letter: person 1": 2}
    assert limits.take("letter", 3, "task 2", "person 1")
    assert limits.take("note", 3, "task 1", "person 1", number=3)
    assert not limits.take("note", 3, "task 3", number=4)


def test_a_new_day_begins_empty_and_old_ones_are_cleared() -> None:
    assert limits.take("letter", 1, "task 1")
    DailyCount.objects.update(day=timezone.now().date() - timedelta(days=1))
    assert limits.take("letter", 1, "task 1")
    assert clear()["counts"] == 1
    assert not limits.take("letter", 1, "task 1")


def test_what_is_not_done_is_not_counted() -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        limits.take("letter", 1, "task 1")
        1 / 0  # noqa: B018
    assert limits.take("letter", 1, "task 1")


def test_no_address_stands_in_a_count() -> None:
    one, other = limits.hidden("192.0.2.7"), limits.hidden("192.0.2.8")
    assert one != other and "192" not in one and one == limits.hidden("192.0.2.7")


def owned_by(user: User, slug: str) -> Task:
    task = create_task(bundle(slug=slug), user)
    Task.objects.filter(pk=task.pk).update(draft=False)
    return Task.objects.get(pk=task.pk)


def by_list(task: Task, client: Client, number: int, start: int) -> str:
    lines = "\n".join(f"p{i}@example.org" for i in range(start, start + number))
    place = f"/tasks/{task.slug}/organize/invitations/"
    return client.post(place, {"addresses": lines}, follow=True).text


def test_invitations_that_are_taken_back_have_been_sent(
    task: Task, ada: User, as_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MOST_A_DAY", 5)
    client = as_user(ada)
    by_list(task, client, 4, 0)
    outbox.send()
    rows = list(EntryInvitation.objects.values_list("pk", flat=True))
    place = f"/tasks/{task.slug}/organize/invitations/change/"
    client.post(place, {"act": "back", "row": rows})
    assert not EntryInvitation.objects.exists()
    assert "5 invitations a day" in by_list(task, client, 4, 10)
    outbox.send()
    assert len(mail.outbox) == 4
    # A second task of the same person is no way round it, the person's day is full.
    assert "5 invitations a day" in by_list(owned_by(ada, "seals"), client, 4, 20)
    assert "on its way" in by_list(task, client, 1, 30)


def test_invitations_to_organize_that_are_taken_back_have_been_sent(
    task: Task, ada: User, cy: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(organizers, "MOST_A_DAY", 3)
    for i in range(3):
        made = organizers.invite(task, f"o{i}@example.org", "reviewer", ada)
        organizers.revoke(made)
    Invitation.objects.all().delete()
    Organizer.objects.create(task=task, user=cy, role="owner")
    for by in (ada, cy):
        with pytest.raises(Refusal, match="3 invitations to organize a day"):
            organizers.invite(task, "o9@example.org", "reviewer", by)
    with pytest.raises(Refusal, match="3 invitations to organize a day"):
        organizers.invite(owned_by(ada, "seals"), "o9@example.org", "reviewer", ada)


def test_messages_of_a_day_end_somewhere(
    entry: Any, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "MOST_A_DAY", 3)
    monkeypatch.setattr(messages, "TIMES_A_DAY", 3)

    def write(number: int) -> int:
        text = f"Number {number}."
        about = Message(
            task=entry.task, subject=text, text=text, audience="all", by=ada
        )
        return messages.write_message(about)

    assert [write(number) for number in range(3)] == [1, 1, 1]
    Message.objects.all().delete()
    with pytest.raises(Refusal, match="3 mails with messages a day"):
        write(4)
    assert not Message.objects.exists()


def test_deleting_drafts_makes_no_room_for_more_in_a_day(
    ada: User, settings: Any
) -> None:
    settings.TASKS_PER_ORGANIZER = 1
    made = functools.partial(bundle, draft=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaderboard.tasks.organizer_quota.LEAST_A_DAY", 2)
        for slug in ("seals", "walrus"):
            delete_draft(create_task(made(slug=slug), ada))
        with pytest.raises(OverQuota, match="You began as many tasks today"):
            create_task(bundle(slug="whales"), ada)
    assert create_task(bundle(slug="whales"), ada).slug == "whales"
