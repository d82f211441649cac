"""Letters: to whom, what stands in them, and that each arrives."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from email import message_from_bytes
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.core.mail.backends import locmem
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from leaderboard.mail import outbox
from leaderboard.mail.models import MOST_TRIES, Mail
from leaderboard.organize import messages
from leaderboard.organize.mail import SWITCHED_OFF, mail_of
from leaderboard.tasks.models import Message, Organizer, Participation, Task
from leaderboard.teams.models import Membership, User
from tests.organize.crowd import entered, organizing, person

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
PAGE = "/tasks/otters/organize/messages/"
NEW = f"{PAGE}new/"
FIELDS = {"audience": "all", "subject": "New data", "text": "Look here."}


@pytest.fixture
def crowd(task: Task, entry: Participation) -> list[Participation]:
    """ben's team takes part; others wait, or were disqualified."""
    pairs = [("pending", "wim@example.org"), ("disqualified", "dis@example.org")]
    others = [entered(task, s, person(mail_), status=s) for s, mail_ in pairs]
    return [entry, *others]


def letter(task: Task, **fields: object) -> int:
    by = task.organizers.get()
    values = {"subject": "News", "text": "Words.", "by": by, **fields}
    return messages.write_message(Message(task=task, **values))


def again() -> None:
    """As if the pause before the next attempt were over."""
    Mail.objects.update(not_before=timezone.now() - timedelta(seconds=1))


@pytest.mark.parametrize(
    ("audience", "to"),
    [
        ("all", {"ben", "wim", "dis"}),
        ("active", {"ben"}),
        ("pending", {"wim"}),
        ("refused", set()),
    ],
)
def test_a_letter_goes_to_the_people_of_a_status(
    task: Task, crowd: list[Participation], audience: str, to: set[str]
) -> None:
    found = messages.readers_of(task, audience)
    assert {str(reader) for reader in found} == to


def test_a_mate_who_joined_later_is_written_to_and_a_person_once(
    task: Task, crowd: list[Participation], cy: User, ben: User
) -> None:
    for entry in crowd:
        Membership.objects.get_or_create(team=entry.team, user=cy)
    Membership.objects.get_or_create(team=crowd[1].team, user=ben)
    assert [str(r) for r in messages.readers_of(task, "all")].count("cy") == 1
    assert ben not in messages.readers_of(task, "pending"), "he is in with another team"


def test_the_writer_sees_the_mail_before_it_goes(
    crowd: list[Participation], ada: User, as_user: Login
) -> None:
    User.objects.filter(name="wim").update(wants_messages=False)
    page = as_user(ada).post(NEW, FIELDS).content.decode()
    assert "[Otter Parsing] New data" in page
    assert "2 people" in page
    assert "1 more has opted out" in page
    assert not Message.objects.exists()
    assert as_user(ada).post(NEW, {**FIELDS, "send": "1"}).url == PAGE
    assert Mail.objects.count() == 2


def test_a_letter_is_one_plain_mail_for_each(task: Task, entry: Participation) -> None:
    letter(task, text="Line one.\n\nLine <b>two</b>.")
    assert outbox.send("message") == 1
    sent = message_from_bytes(mail.outbox[0].message().as_bytes())
    assert sent.get_content_type() == "text/plain"
    assert sent["To"] == "ben@example.org"
    assert sent["Cc"] is sent["Bcc"] is None
    assert sent["Reply-To"] == "ada@example.org"
    assert "Line <b>two</b>." in str(mail.outbox[0].body)


def test_the_link_in_a_letter_switches_them_off_with_one_click(
    task: Task, entry: Participation, ben: User
) -> None:
    letter(task)
    outbox.send("message")
    headers = mail.outbox[0].extra_headers
    link = urlsplit(headers["List-Unsubscribe"].strip("<>")).path
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    outside = Client(enforce_csrf_checks=True)
    assert "Switch them off" in outside.get(link).content.decode()
    ben.refresh_from_db()
    assert ben.wants_messages, "reading changes nothing"
    outside.post(link, {"List-Unsubscribe": "One-Click"})
    ben.refresh_from_db()
    assert not ben.wants_messages
    assert outside.post(link[:-3] + "x/").status_code == 404


def test_the_choice_stands_on_the_pages_of_the_account(
    ben: User, as_user: Login
) -> None:
    assert "checked" in as_user(ben).get("/accounts/messages/").content.decode()
    as_user(ben).post("/accounts/messages/", {})
    ben.refresh_from_db()
    assert not ben.wants_messages


def test_who_wants_none_gets_the_important_ones(
    task: Task, entry: Participation, ben: User
) -> None:
    letter(task)
    User.objects.filter(pk=ben.pk).update(wants_messages=False)
    assert outbox.send("message") == 0, "switched off after it was written"
    assert Mail.objects.get().error == SWITCHED_OFF
    letter(task, subject="Deadline", important=True)
    assert outbox.send("message") == 1


def test_a_letter_is_sent_once_however_often_the_post_runs(
    task: Task, crowd: list[Participation]
) -> None:
    letter(task)
    assert [outbox.send("message") for _ in range(3)] == [3, 0, 0]
    call_command("post")
    outbox.send("message")
    assert len(mail.outbox) == 3


def test_pressing_twice_sends_once(
    crowd: list[Participation], ada: User, as_user: Login
) -> None:
    for _ in range(2):
        as_user(ada).post(NEW, {**FIELDS, "send": "1"})
    assert Message.objects.count() == 1


def test_two_workers_do_not_claim_the_same_delivery(
    task: Task, entry: Participation
) -> None:
    letter(task)
    first, second = Mail.objects.get(), Mail.objects.get()
    assert outbox.claim(first, outbox.FIRST_PAUSE)
    assert not outbox.claim(second, outbox.FIRST_PAUSE)
    assert not outbox.due(Mail.objects.all()).exists()


class Trouble(locmem.EmailBackend):
    """Fails for every message while there is an error to raise."""

    error: Exception | None = None

    def send_messages(self, messages: object) -> int:
        if Trouble.error is not None:
            raise Trouble.error
        return super().send_messages(messages)


@pytest.fixture
def trouble(settings: object) -> Iterator[type[Trouble]]:
    settings.EMAIL_BACKEND = f"{__name__}.Trouble"  # type: ignore[attr-defined]
    yield Trouble
    Trouble.error = None


def test_a_crash_between_sending_and_marking_repeats_with_the_same_id(
    task: Task, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter(task)
    with monkeypatch.context() as patched:
        patched.setattr(outbox, "mark", dies)
        with pytest.raises(KeyboardInterrupt):
            outbox.send("message")
    assert outbox.send("message") == 0, "not before the pause is over"
    again()
    assert outbox.send("message") == 1
    ids = {message.extra_headers["Message-ID"] for message in mail.outbox}
    assert (len(mail.outbox), len(ids)) == (2, 1)


def dies(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_while_the_mail_server_is_away_nothing_is_given_up(
    task: Task, crowd: list[Participation], trouble: type[Trouble]
) -> None:
    letter(task)
    trouble.error = SMTPServerDisconnected("gone")
    for _ in range(30):
        assert outbox.send("message") == 0
        again()
    trouble.error = None
    assert outbox.send("message") == 3


def test_the_first_failure_of_the_server_ends_the_round(
    task: Task, crowd: list[Participation], trouble: type[Trouble]
) -> None:
    letter(task)
    trouble.error = SMTPServerDisconnected("gone")
    outbox.send("message")
    assert Mail.objects.filter(tried__gt=0).count() == 1


def test_an_address_that_is_refused_is_given_up_and_the_page_says_so(
    task: Task, entry: Participation, ada: User, as_user: Login, trouble: type[Trouble]
) -> None:
    letter(task)
    trouble.error = SMTPRecipientsRefused({"ben@example.org": (550, b"no such")})
    for _ in range(10):
        outbox.send("message")
        again()
    assert Mail.objects.get().tried == MOST_TRIES
    page = as_user(ada).get(PAGE).content.decode()
    assert "0 of 1" in page
    assert "1 not" in page


def test_pauses_grow(task: Task, entry: Participation, trouble: type[Trouble]) -> None:
    letter(task)
    trouble.error = SMTPServerDisconnected("gone")
    pauses = []
    for _ in range(4):
        outbox.send("message")
        delivery = Mail.objects.get()
        pauses.append(round((delivery.not_before - timezone.now()).total_seconds(), -1))
        again()
    assert pauses == [60, 240, 960, 3840]


@pytest.mark.parametrize("subject", ["A\r\nBcc: x@evil.net", "A\nB", "A\x1fB"])
def test_a_subject_cannot_hold_a_second_header(
    task: Task, entry: Participation, ada: User, as_user: Login, subject: str
) -> None:
    fields = {**FIELDS, "subject": subject, "send": "1"}
    assert as_user(ada).post(NEW, fields).status_code == 422
    Task.objects.update(title=subject)
    kept = Message.objects.create(task=Task.objects.get(), subject=subject, text="x")
    message = mail_of(kept, entry.team.members.get()).message()
    assert message["Bcc"] is None
    assert "\n" not in str(message["Subject"])


def test_a_letter_to_nobody_is_refused(task: Task, ada: User, as_user: Login) -> None:
    answer = as_user(ada).post(NEW, {**FIELDS, "send": "1"})
    assert answer.status_code == 422
    assert "nobody to write to" in answer.content.decode()


@pytest.mark.parametrize("role", Organizer.Role)
def test_letters_are_for_editors_and_owners(
    task: Task, as_user: Login, role: Organizer.Role
) -> None:
    someone = as_user(organizing(task, "some@example.org", role))
    expected = 404 if role == Organizer.Role.REVIEWER else 200
    assert someone.get(PAGE).status_code == someone.get(NEW).status_code == expected
