"""Files are checked without being sent: by the page and by the API."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.leaderboard.small import both, bundle, manifest, perfect

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
PAGE, API = "/tasks/otters/test/submit/", "/api/v1/tasks/otters/test/check/"
LOST = perfect().split(b"\n\n")[1].lstrip() + b"\n\n"


def parts(**files: bytes) -> dict[str, object]:
    return {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in files.items()
    }


def asked(client: Client, address: str, **files: bytes) -> Any:
    only = {"only": "check"} if address == PAGE else {}
    return client.post(address, {**only, **parts(**files)})


@pytest.mark.parametrize("address", [PAGE, API])
def test_a_check_of_a_right_file_stores_nothing_and_charges_nothing(
    address: str, entry: Participation, ben: User, as_user: Login
) -> None:
    answer = asked(as_user(ben), address, **both())
    assert answer.status_code == 200
    assert not Submission.objects.exists() and not QuotaCounter.objects.exists()
    if address == API:
        assert answer.json() == {"fits": True, "remarks": []}
    else:
        assert "It was checked and not sent" in answer.content.decode()


@pytest.mark.parametrize("address", [PAGE, API])
def test_a_check_says_first_what_is_wrong_with_the_whole(
    address: str, entry: Participation, ben: User, as_user: Login
) -> None:
    answer = asked(as_user(ben), address, north=LOST)
    assert answer.status_code == 422
    said = "sentence s1 is missing; 1 of 2 found."
    if address == API:
        document = answer.json()
        assert document["detail"] == said
        assert [one["message"] for one in document["diagnoses"]] == [said]
        assert [one["line"] for one in document["problems"]] == [2]
    else:
        page = answer.content.decode()
        assert page.index(said) < page.index("Nothing was stored")
        assert page.count(said) == 1
    assert not Submission.objects.exists()


def test_an_unreadable_zip_gets_its_sentence_first_and_once(
    entry: Participation, ben: User, as_user: Login
) -> None:
    file = SimpleUploadedFile("mine.zip", b"PK\x03\x04 cut off")
    answer = as_user(ben).post(PAGE, {"only": "check", "archive": file})
    page = answer.content.decode()
    notice = page[page.index("notice-error") :]
    assert answer.status_code == 422
    assert notice.count("the zip was cut off: it has no end record") == 1
    assert notice.index("the zip was cut off") < notice.index("Nothing was stored")
    assert "Make a plain zip of the files." in notice
    assert "<code>mine.zip</code>" in notice
    assert '<table class="problems">' not in notice


@pytest.mark.parametrize("address", [PAGE, API])
def test_remarks_are_told_of_a_file_that_fits(
    address: str, entry: Participation, ben: User, as_user: Login
) -> None:
    odd = perfect().replace(b"the\t_\t_\t_\t_\t2", b"the\t_\t_\t_\t_\t1", 1)
    answer = asked(as_user(ben), address, north=odd)
    assert answer.status_code == 200
    assert "own ID: it counts as a wrong head" in answer.content.decode().replace(
        "&#x27;", "'"
    )


def test_refused_files_count_as_refused_ones_that_were_sent(
    phase: Phase, entry: Participation, ben: User, as_user: Login, settings: Any
) -> None:
    settings.REFUSED_PER_DAY = 2
    client = as_user(ben)
    codes = [asked(client, API, north=LOST).status_code for _ in range(3)]
    assert codes == [422, 422, 429]


@pytest.mark.parametrize("address", [PAGE, API])
def test_a_check_needs_a_file(
    address: str, entry: Participation, ben: User, as_user: Login
) -> None:
    answer = asked(as_user(ben), address)
    assert answer.status_code == 422
    assert "Choose a file" in answer.content.decode()


def test_before_the_phase_opens_nothing_is_said_of_its_files(
    upcoming: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    answer = asked(as_user(ben), API, north=LOST)
    assert answer.status_code in (403, 409, 422)
    assert answer.json()["code"] == "not_open"


def test_what_was_typed_stays_in_the_form(
    entry: Participation, ben: User, as_user: Login
) -> None:
    fields = {"only": "check", "system": "otter-9", **parts(**both())}
    page = as_user(ben).post(PAGE, fields).content.decode()
    assert 'value="otter-9"' in page


def stopped_ways() -> dict[str, tuple[dict[str, Any], dict[str, Any], str]]:
    """What is changed of phase and entry, and the beginning of what is said."""
    ended = timezone.now() - timedelta(hours=1)
    return {
        "day": ({"daily_limit": 0}, {}, "All 0 attempts of today are used."),
        "total": ({"total_limit": 0}, {}, "All 0 attempts of this phase are used."),
        "paused": ({"paused": True}, {}, "Test is paused"),
        "chosen": ({"who": Phase.Who.CHOSEN}, {}, "Test is for teams chosen by"),
        "over": ({"closes": ended}, {}, "0 uploads after the end were kept today"),
        "pending": (
            {},
            {"status": Participation.Status.PENDING},
            "Team Otters waits for admission.",
        ),
        "gone": (
            {},
            {"status": Participation.Status.WITHDRAWN},
            "Team Otters withdrew",
        ),
    }


@pytest.mark.parametrize("way", stopped_ways())
def test_where_nothing_can_be_sent_that_is_said_first_and_files_are_checked(
    way: str,
    phase: Phase,
    entry: Participation,
    ben: User,
    as_user: Login,
    settings: Any,
) -> None:
    settings.LATE_PER_DAY = 0
    of_phase, of_entry, said = stopped_ways()[way]
    Phase.objects.filter(pk=phase.pk).update(**of_phase)
    Participation.objects.filter(pk=entry.pk).update(**of_entry)
    said = said.replace("Otters", str(entry.team))
    client = as_user(ben)
    for answer in (client.get(PAGE), asked(client, PAGE, **both())):
        page = answer.content.decode()
        assert answer.status_code == 200
        assert page.index(said) < page.index('name="file_north"')
        assert "Check only" in page and "Check and submit" not in page
        assert 'name="system"' not in page
        assert "You can still check files; nothing is sent then." in page
    assert "It was checked and not sent" in page
    # A form that was opened before is refused, and what was typed is kept.
    fields = {"key": "k", "system": "otter-9", **parts(**both())}
    answer = client.post(PAGE, fields)
    assert answer.status_code in (409, 422, 429)
    assert 'value="otter-9"' in answer.content.decode()
    assert not Submission.objects.exists()


def test_nothing_can_be_chosen_where_files_cannot_be_checked_either(
    phase: Phase, entry: Participation, ben: User, as_user: Login, settings: Any
) -> None:
    settings.REFUSED_PER_DAY = 0
    page = as_user(ben).get(PAGE).content.decode()
    assert "0 uploads of today were refused for their format, the limit." in page
    assert "Check only" not in page and "file_north" not in page


OTHER = perfect().replace(b"otter", b"heron").replace(b"moss", b"reed")


def two_phases(ada: User) -> Any:
    """A task with a phase for each of two test sets, whose words differ."""
    table = manifest()
    (one,) = table["phases"]
    phases = [
        {**one, "name": "dev", "title": "Development", "test_sets": ["north"]},
        {**one, "test_sets": ["south"]},
    ]
    source = bundle(slug="herons", phases=phases)
    files = {**source.files, "gold/south.conllu": OTHER}
    return create_task(Source("herons", files), ada)


def test_the_file_of_another_phase_is_recognised(ada: User, ben: User) -> None:
    from leaderboard.submissions.accept import find_problems

    task = two_phases(ada)
    join(task, Team.found("Herons", ben))
    dev, test = task.phases.get(name="dev"), task.phases.get(name="test")
    sent = {dev.test_sets.get(): SimpleUploadedFile("mine.conllu", OTHER)}
    first = find_problems(dev, sent)[0]
    assert first.message == (
        "This is the file of Test: 2 of its 2 sentences are in it, and 0 of the "
        "2 of this test set."
    )
    test.opens = test.closes
    test.save()
    assert "Test" not in find_problems(dev, sent)[0].message
