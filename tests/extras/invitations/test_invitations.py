"""Invitations by list: lines are read, mail is sent once, and can be taken back."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.extras.invitations import jobs, pages
from leaderboard.extras.invitations.models import EntryInvitation
from leaderboard.extras.invitations.pages import addresses_in
from leaderboard.mail import outbox
from leaderboard.mail.models import MOST_TRIES, Mail
from leaderboard.tasks.models import Participation, Task
from leaderboard.teams.models import User

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("constraints"),
]
Login = Callable[[User], Client]
PAGE = "/tasks/otters/organize/invitations/"


@pytest.fixture
def reader(task: Task, as_user: Login, ada: User) -> Client:
    return as_user(ada)


def invited(reader: Client, text: str) -> str:
    answer = reader.post(PAGE, {"addresses": text}, follow=True)
    assert answer.status_code == 200
    return str(answer.content.decode())


def ticked(reader: Client, act: str, *emails: str) -> None:
    rows = EntryInvitation.objects.filter(email__in=emails)
    data = {"act": act, "row": list(rows.values_list("pk", flat=True))}
    assert reader.post(f"{PAGE}change/", data).status_code == 302


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a@x.org\nb@x.org", {"a@x.org": 1, "b@x.org": 2}),
        ("a@x.org, b@x.org; c@x.org", {"a@x.org": 1, "b@x.org": 1, "c@x.org": 1}),
        ("Ann Lee <A@X.org>\r\n\r\n# nobody\r\nb@x.org", {"a@x.org": 1, "b@x.org": 4}),
        ('name,e-mail\n"Lee, Ann",a@x.org\n', {"a@x.org": 2}),
        ("Name\tEmail address\nAnn\ta@x.org", {"a@x.org": 2}),
    ],
)
def test_addresses_are_found_in_lists_and_tables(
    text: str, lines: dict[str, int]
) -> None:
    found = addresses_in(text)
    assert (found.lines, found.bad, found.repeated) == (lines, [], [])


def test_lines_without_a_right_address_and_repeated_ones_are_named() -> None:
    found = addresses_in("a@x.org\nnobody\nb@@x\nA@x.org\n")
    assert found.bad == [
        "Line 2: there is no address in “nobody”.",
        "Line 3: “b@@x” is no mail address.",
    ]
    assert found.repeated == ["Line 4: a@x.org stands in line 1 already."]


def test_everybody_on_the_list_gets_one_mail_with_the_address_of_the_task(
    reader: Client, task: Task, ada: User
) -> None:
    Task.objects.update(unlisted=True)
    page = invited(reader, "Dee <dee@x.org>\neve@x.org\ndee@x.org")
    assert "2 invitations are on their way" in page
    assert "Line 3: dee@x.org stands in line 1 already." in page
    outbox.send()
    assert sorted(one.to[0] for one in mail.outbox) == ["dee@x.org", "eve@x.org"]
    first = mail.outbox[0]
    assert "/tasks/otters/" in first.body and task.title in first.subject
    assert first.reply_to == [ada.email]


def test_a_mail_is_in_the_language_of_whoever_has_the_address(
    reader: Client, ada: User, ben: User
) -> None:
    User.objects.filter(pk=ada.pk).update(language="de")
    User.objects.filter(pk=ben.pk).update(language="ru")
    invited(reader, f"dee@x.org\n{ben.email}")
    outbox.send()
    subjects = {one.to[0]: one.subject for one in mail.outbox}
    assert "Einladung" in subjects["dee@x.org"]
    assert "Приглашение" in subjects[ben.email]


def test_a_bad_line_stops_all_and_what_was_pasted_stays(reader: Client) -> None:
    answer = reader.post(PAGE, {"addresses": "dee@x.org\nnobody"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Line 2: there is no address in “nobody”." in page
    assert "dee@x.org\nnobody</textarea>" in page
    assert not EntryInvitation.objects.exists() and not Mail.objects.exists()


def test_a_file_is_read_like_what_is_pasted(reader: Client) -> None:
    def sent(data: bytes, **more: str) -> int:
        file = SimpleUploadedFile("people.csv", data)
        return int(reader.post(PAGE, {"file": file, **more}).status_code)

    assert sent("\ufeffemail;name\ndee@x.org;Dée\n".encode()) == 302
    assert EntryInvitation.objects.get().email == "dee@x.org"
    assert sent("name\ndée@x".encode("latin-1")) == 422
    assert sent(b"eve@x.org", addresses="fay@x.org") == 422
    assert sent(b"") == 422
    assert sent(b"x" * (pages.MOST_BYTES + 1)) == 422
    assert EntryInvitation.objects.count() == 1


def test_who_is_invited_or_takes_part_already_is_passed_over_with_the_line(
    reader: Client, entry: Participation
) -> None:
    invited(reader, "dee@x.org")
    page = invited(reader, "eve@x.org\nben@example.org\ndee@x.org")
    assert "1 invitation is on its way" in page
    assert "Line 2: ben@example.org takes part already." in page
    assert "Line 3: dee@x.org is invited already." in page
    assert Mail.objects.filter(kind="entry invitation").count() == 2


def test_an_address_outside_the_mail_domains_is_not_invited(reader: Client) -> None:
    Task.objects.update(mail_domains=["example.org"])
    answer = reader.post(PAGE, {"addresses": "dee@cs.example.org\neve@x.org"})
    assert answer.status_code == 422
    assert "Line 2: eve@x.org may not enter." in answer.content.decode()


def test_a_mail_is_sent_again_but_not_at_once(reader: Client) -> None:
    invited(reader, "dee@x.org")
    outbox.send()
    ticked(reader, "again", "dee@x.org")
    outbox.send()
    assert len(mail.outbox) == 1
    EntryInvitation.objects.update(mailed_at=timezone.now() - timedelta(hours=2))
    ticked(reader, "again", "dee@x.org")
    outbox.send()
    assert len(mail.outbox) == 2


def test_what_is_taken_back_is_not_sent_and_its_address_is_forgotten(
    reader: Client,
) -> None:
    invited(reader, "dee@x.org\neve@x.org")
    ticked(reader, "withdraw", "dee@x.org")
    outbox.send()
    assert [one.to for one in mail.outbox] == [["eve@x.org"]]
    assert "dee@x.org" not in reader.get(PAGE).content.decode()


def test_the_list_says_what_became_of_each(
    reader: Client, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    invited(reader, "dee@x.org\neve@x.org")
    assert "Mail waits to be sent" in reader.get(PAGE).content.decode()
    outbox.send()
    EntryInvitation.objects.filter(email="eve@x.org").update(email="ben@example.org")
    page = reader.get(PAGE).content.decode()
    assert "Mail sent" in page and "Takes part" in page
    Mail.objects.update(sent_at=None, tried=MOST_TRIES)
    assert "Mail was refused" in reader.get(PAGE).content.decode()


def test_a_draft_invites_nobody(reader: Client) -> None:
    Task.objects.update(draft=True)
    assert reader.post(PAGE, {"addresses": "dee@x.org"}).status_code == 422
    assert not EntryInvitation.objects.exists()


def test_the_site_does_not_write_to_any_number_of_strangers(
    reader: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MOST_A_DAY", 2)
    invited(reader, "dee@x.org\neve@x.org")
    answer = reader.post(PAGE, {"addresses": "fay@x.org"})
    assert answer.status_code == 422
    assert "2 invitations a day" in answer.content.decode()
    monkeypatch.setattr(pages, "MOST_A_DAY", 9)
    monkeypatch.setattr(pages, "MOST", 2)
    assert reader.post(PAGE, {"addresses": "fay@x.org"}).status_code == 422


def test_invitations_of_another_task_are_not_reached(reader: Client, ada: User) -> None:
    other = Task.objects.get()
    other.pk, other.slug = None, "voles"
    other.save()
    row = EntryInvitation.objects.create(task=other, email="dee@x.org", by=ada)
    reader.post(f"{PAGE}change/", {"act": "withdraw", "row": [row.pk, "x", "9" * 30]})
    assert EntryInvitation.objects.filter(pk=row.pk).exists()


def test_all_invitations_of_a_page_can_be_ticked_at_once(
    reader: Client, task: Task, ada: User
) -> None:
    rows = [
        EntryInvitation(task=task, email=f"p{n}@x.org", by=ada)
        for n in range(pages.PER_PAGE)
    ]
    EntryInvitation.objects.bulk_create(rows)
    ticked(reader, "withdraw", *(row.email for row in rows))
    assert not EntryInvitation.objects.filter(task=task).exists()


def test_the_page_asks_as_often_for_many_as_for_few(reader: Client) -> None:
    invited(reader, "dee@x.org")
    reader.get(PAGE)
    with CaptureQueriesContext(connection) as few:
        reader.get(PAGE)
    invited(reader, "\n".join(f"p{n}@x.org" for n in range(9)))
    reader.get(PAGE)
    with CaptureQueriesContext(connection) as many:
        reader.get(PAGE)
    assert len(many) == len(few)


def test_old_addresses_are_forgotten(reader: Client) -> None:
    invited(reader, "dee@x.org\neve@x.org")
    old = timezone.now() - timedelta(days=181)
    EntryInvitation.objects.filter(email="dee@x.org").update(mailed_at=old)
    assert jobs.clear() == 1
    assert EntryInvitation.objects.get().email == "eve@x.org"
    assert not Mail.objects.filter(address="dee@x.org").exists()
