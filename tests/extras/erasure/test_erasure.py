"""Who asks to be forgotten is in no column of no table; what they sent still counts."""

from io import StringIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.api import tokens
from leaderboard.extras.erasure.erasure import OnlyOwner, forget, frozen_with
from leaderboard.mail.models import Mail
from leaderboard.operations.redaction import NOT_LOOKED_AT, Redaction
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
    TeamNote,
)
from leaderboard.tasks.models import (
    Change,
    Invitation,
    Message,
    Notice,
    Organizer,
    Participation,
    Phase,
    Task,
)
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Membership, Team, User
from tests.leaderboard.small import both, scored
from tests.loops import loop_over
from tests.operations.cells import cells_with, dump

pytestmark = pytest.mark.django_db
MAIL, OTHER_MAIL = "mira.tollen@example.org", "gull77@example.net"
NAME, TEAM = "Mira Tollen", "Port Anser Gulls"
CANARIES = (MAIL, OTHER_MAIL, NAME, TEAM, "mira_tollen", "Mira TOLLEN", "mira.tollen")


@pytest.fixture
def mira(db: None) -> User:
    user = User.objects.create_user(MAIL, "x", name=NAME)
    EmailAddress.objects.create(user=user, email=MAIL, verified=True, primary=True)
    EmailAddress.objects.create(user=user, email=OTHER_MAIL, verified=False)
    return user


@pytest.fixture
def entry(phase: Phase, mira: User, ada: User) -> Participation:
    """A person who left traces everywhere."""
    task = phase.task
    browser = Client(REMOTE_ADDR="192.0.2.77")
    browser.force_login(mira)
    entry = join(task, Team.found(TEAM, mira))
    both_of_them = Team.found("Bay Rowers", mira)
    Membership.objects.create(team=both_of_them, user=ada)
    sent = scored(phase, entry, both())
    sent.description = f"Written by {NAME}."
    sent.facts = {"contact": f"{NAME} <{MAIL}>", "people": [NAME, {NAME: 1}]}
    sent.save()
    sent.files.update(name="mira_tollen-final.conllu")
    TeamNote.objects.create(submission=sent, text=f"ask {NAME}")
    Notice.objects.create(task=task, text=f"Thanks to {NAME} ({MAIL}).", by=ada)
    letter = Message.objects.create(task=task, subject="Rain", text=f"Dear {NAME}")
    said = f"550 {MAIL} unknown"
    Mail.objects.create(kind="message", about=letter.pk, user=mira, error=said)
    Invitation.objects.create(task=task, email=MAIL, role="reviewer", by=ada)
    Organizer.objects.create(task=task, user=mira, role="reviewer")
    tokens.make(mira, "Mira TOLLEN's laptop", ("read",))
    LogEntry.objects.log_actions(ada.pk, [mira], CHANGE, f"mail was {OTHER_MAIL}")
    last = Change.objects.first()
    Change._base_manager.filter(pk=last.pk).update(
        actor=mira, actor_email=MAIL, remote_addr="192.0.2.77"
    )
    browser.get("/accounts/")
    return entry


@pytest.mark.databases("constraints")
def test_neither_mail_nor_name_is_left_in_any_cell(
    entry: Participation, mira: User
) -> None:
    assert len(cells_with(*CANARIES)) > 12, "there was something to find"
    assert cells_with("192.0.2.77")
    report = forget(mira)
    assert cells_with(*CANARIES, "192.0.2.77") == set()
    assert (TEAM, f"Former participant {mira.pk}") in report.renamed
    assert not Session.objects.exists()


@pytest.mark.databases("constraints")
def test_what_was_sent_still_counts_under_the_number(
    entry: Participation, mira: User, phase: Phase
) -> None:
    forget(mira)
    sent = Submission.objects.get()
    assert (sent.sender_id, sent.participation_id) == (mira.pk, entry.pk)
    assert Evaluation.objects.get().state == EvaluationState.SCORED
    board = Client().get("/tasks/otters/test/board/").content.decode()
    assert f"Former participant {mira.pk}" in board and TEAM not in board
    mira.refresh_from_db()
    assert not mira.is_active and not mira.has_usable_password()
    assert Team.objects.get(name="Bay Rowers").memberships.get().role == "leader"


def test_organizers_are_shown_no_address_of_who_is_forgotten(
    entry: Participation, mira: User, ada: User
) -> None:
    forget(mira)
    browser = Client()
    browser.force_login(ada)
    for page in ("history/", f"people/{entry.pk}/", "decisions/?status=active"):
        text = browser.get(f"/tasks/otters/organize/{page}").text
        assert f"Former participant {mira.pk}" in text, page
        assert "None&gt;" not in text and ".invalid" not in text, page


def test_a_trial_says_the_same_and_changes_nothing(
    entry: Participation, mira: User
) -> None:
    before = sorted(dump())
    said = [run(MAIL.upper(), "--dry-run"), ""]
    assert sorted(dump()) == before
    said[1] = run(MAIL)
    assert said[0] == f"dry run, nothing was changed:\n{said[1]}"
    assert f"former participant {mira.pk}" in said[1] and " deleted\n" in said[1]
    with pytest.raises(CommandError, match="no account"):
        run(MAIL)


def run(*words: str) -> str:
    out = StringIO()
    call_command("forget", *words, stdout=out)
    return out.getvalue()


@pytest.mark.databases("constraints")
def test_a_namesake_and_everyday_words_keep_theirs(
    phase: Phase, entry: Participation, ada: User
) -> None:
    ben = User.objects.create_user("ben@example.org", "x", name="Ben")
    other = User.objects.create_user("ben.two@example.org", "x", name="Ben")
    bens = join(phase.task, Team.found("Otter", ben))
    sent = scored(phase, bens, both())
    sent.description = "Ben wrote it"
    sent.save()
    notice = Notice.objects.create(task=phase.task, text="Ben Nevis has an Otter")
    forget(ben)
    other.refresh_from_db()
    notice.refresh_from_db()
    sent.refresh_from_db()
    assert other.name == "Ben" and notice.text == "Ben Nevis has an Otter"
    assert sent.description == f"Former participant {ben.pk} wrote it"


@pytest.mark.databases("constraints")
def test_an_address_that_somebody_typed_and_names_of_others_stay_theirs(
    phase: Phase, ada: User, ben: User
) -> None:
    """Deleting an account would take others out of the site."""
    theirs = EmailAddress.objects.create(user=ada, email=ada.email, verified=True)
    EmailAddress.objects.create(user=ben, email=ada.email)
    Task.objects.update(contact=ada.email, description="Otter Parsing, as Rain Lovers")
    Team.found("Rain Lovers", ada)
    waiting = Mail.objects.create(kind="account", address=ada.email)
    for name in ("Otter Parsing", "rain lovers"):
        person = User.objects.create_user(f"{len(name)}@example.org", name=name)
        forget(person)
    forget(ben)
    theirs.refresh_from_db()
    assert theirs.email == Task.objects.get().contact == ada.email
    assert Task.objects.get().description == "Otter Parsing, as Rain Lovers"
    assert Mail.objects.filter(pk=waiting.pk).exists()


@pytest.mark.databases("constraints")
def test_the_only_owner_hands_over_first(phase: Phase, ada: User) -> None:
    with pytest.raises(OnlyOwner, match="otters"):
        forget(ada)
    with pytest.raises(CommandError, match="owner of otters"):
        run(ada.email)
    ada.refresh_from_db()
    assert ada.is_active


@loop_over(
    ("text", "left"),
    [
        ("Mira Tollen", "X"),
        ("mira_tollen.conllu", "X.conllu"),
        ("Admiral Tollen", "Admiral Tollen"),
        ("Mira Tollenson", "Mira Tollenson"),
        ("to <mira.tollen@example.org>;", "to <X>;"),
        ("almira.tollen@example.org", "almira.tollen@example.org"),
        ("Мира Толлен", "Мира Толлен"),
    ],
)
def test_names_are_whole_words_however_they_are_joined(text: str, left: str) -> None:
    assert Redaction(frozenset({MAIL}), frozenset({NAME}), "X").without(text) == left


@pytest.mark.databases("constraints")
def test_letters_other_than_english_are_found_in_json(
    phase: Phase, entry: Participation
) -> None:
    sent = Submission.objects.get()
    sent.facts = {"contact": "Мира Толлен"}
    sent.save()
    gone = User.objects.create_user("m@example.org", "x", name="Мира Толлен")
    forget(gone)
    sent.refresh_from_db()
    assert sent.facts == {"contact": f"Former participant {gone.pk}"}


def test_what_is_not_looked_at_exists_and_frozen_rankings_are_told(
    entry: Participation,
) -> None:
    for label in NOT_LOOKED_AT:
        model, _, name = label.rpartition(".")
        assert apps.get_model(model)._meta.get_field(name)
    assert list(frozen_with({"nobody at all"})) == []


@pytest.fixture
def browser(entry: Participation, mira: User) -> Client:
    client = Client()
    client.force_login(mira)
    return client


@pytest.mark.databases("constraints")
def test_a_person_gets_all_of_it_as_json(browser: Client, entry: Participation) -> None:
    Client().post("/accounts/password/reset/", {"email": MAIL})
    answer = browser.get("/accounts/data/all.json")
    assert answer["Content-Type"] == "application/json"
    assert "attachment" in answer["Content-Disposition"]
    whole = answer.json()
    assert whole["account"]["email"] == MAIL
    assert {one["email"] for one in whole["addresses"]} == {MAIL, OTHER_MAIL}
    (sent,) = whole["submissions"]
    assert sent["facts"]["contact"] == f"{NAME} <{MAIL}>" and len(sent["files"]) == 2
    assert sent["team_note__text"] == f"ask {NAME}"
    subjects = {one["kind"]: one["subject"] for one in whole["mail"]}
    assert subjects == {"message": "Rain", "result": "", "account": ""}
    assert "sealed" not in answer.content.decode()
    assert [one["remote_addr"] for one in whole["changes"]] == ["192.0.2.77"]
    assert "sha256" not in whole["tokens"][0]
    assert '"uas"' not in answer.content.decode(), "scores are where they may be seen"


@pytest.mark.databases("constraints")
def test_a_person_deletes_the_account_with_mail_and_password(
    browser: Client, mira: User
) -> None:
    wrong = {"mail": "somebody@example.org", "password": "y"}
    answer = browser.post("/accounts/data/", wrong)
    assert answer.status_code == 422
    assert {"mail", "password"} == answer.context["form"].errors.keys()
    answer = browser.post("/accounts/data/", {"mail": MAIL.upper(), "password": "x"})
    assert answer.status_code == 302
    assert browser.get("/accounts/data/").status_code == 302, "signed out"
    assert cells_with(*CANARIES) == set()
    assert not Client().login(email=MAIL, password="x")


def test_an_account_without_a_password_is_led_to_set_one_before_it_is_deleted(
    browser: Client, mira: User
) -> None:
    mira.set_unusable_password()  # as of somebody who signs in elsewhere
    mira.save()
    browser.force_login(mira)
    page = browser.get("/accounts/data/").text
    assert 'href="/accounts/password/set/"' in page
    assert 'name="password"' not in page
    assert browser.get("/accounts/password/set/").status_code == 200


def test_the_only_owner_is_told_to_hand_over(phase: Phase, ada: User) -> None:
    client = Client()
    client.force_login(ada)
    page = client.get("/accounts/data/").text
    assert "Otter Parsing" in page
    assert 'href="/tasks/otters/organize/organizers/"' in page
    Task.objects.update(draft=True)
    page = client.get("/accounts/data/").text
    assert 'href="/tasks/otters/organize/delete/"' in page
    answer = client.post("/accounts/data/", {"mail": ada.email, "password": "x"})
    assert answer.status_code == 422
    ada.refresh_from_db()
    assert ada.is_active


def test_passwords_cannot_be_tried_there_without_end(
    browser: Client, settings: Any
) -> None:
    tried = {"mail": MAIL, "password": "guess"}
    codes = [browser.post("/accounts/data/", tried).status_code for _ in range(12)]
    assert codes[0] == 422 and codes[-1] == 429
