"""The same upload sent again, by form and API: after another, and at the same time."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from leaderboard.sandbox import jobs
from leaderboard.sandbox.queue import Priority
from leaderboard.submissions.accept import Upload
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.channels import CHANNELS, ByPage, Channel, Told
from tests.leaderboard.small import both, one_wrong

Race = Callable[[list[str]], list[Told]]


def zipped(**files: bytes) -> bytes:
    """A zip with a file for each test set."""
    made = BytesIO()
    with ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.conllu", data)
    return made.getvalue()


@pytest.mark.databases("locks")
@pytest.mark.django_db
def test_the_same_key_gives_the_same_submission_and_is_charged_once(
    channel: Channel, entry: Participation, ben: User
) -> None:
    first, again = (channel.send(ben, key="once") for _ in range(2))
    assert first.sent == again.sent is not None
    assert Submission.objects.count() == Evaluation.objects.count() == 1
    assert again.charged == {"scored": 1, "total": 1}
    assert channel.send(ben, key="twice").stored == 2


@pytest.mark.databases("locks")
@pytest.mark.django_db
def test_a_key_is_that_of_a_team_and_no_stranger_gets_its_submission(
    channel: Channel, phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    mine = channel.send(ben, key="once").sent
    join(phase.task, Team.found("Cys", cy))
    theirs = channel.send(cy, {"north": one_wrong()}, key="once").sent
    assert theirs not in (None, mine)


@pytest.mark.django_db
def test_a_key_is_the_same_on_both_channels(entry: Participation, ben: User) -> None:
    page, api = (kind() for kind in CHANNELS.values())
    assert page.send(ben, key="once").sent == api.send(ben, key="once").sent
    assert Submission.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    "other",
    [
        {"files": {"north": one_wrong()}},
        {"system": "otter-2"},
        {"description": "retrained"},
        {"archive": zipped(north=one_wrong())},
        {"archive": b"no zip"},
    ],
    ids=["bytes", "name", "description", "zip", "broken zip"],
)
def test_another_upload_under_a_used_key_is_refused_not_swallowed(
    channel: Channel, entry: Participation, ben: User, other: dict[str, Any]
) -> None:
    channel.send(ben, key="once")
    if "archive" in other:
        archive = SimpleUploadedFile("a.zip", other["archive"])
        other = {"files": {}, "archive": archive}
    told = channel.send(ben, key="once", **other)
    assert (told.status, told.code, told.stored) == (422, "key_reused", 1)
    assert told.charged == {"scored": 1, "total": 1}


@pytest.mark.django_db
def test_a_zip_sent_again_is_the_submission_of_its_files(
    channel: Channel, entry: Participation, ben: User
) -> None:
    first, again = (
        channel.send(ben, {}, key="once", archive=SimpleUploadedFile("a.zip", data))
        for data in [zipped(**both())] * 2
    )
    assert first.sent == again.sent is not None


@pytest.mark.django_db
def test_a_form_that_was_used_comes_back_ready_for_another_submission(
    entry: Participation, ben: User
) -> None:
    page = ByPage()
    page.send(ben, key="once")
    told = page.send(ben, key="once", system="otter-2")
    assert "otter-1" in told.text and 'value="once"' not in told.text


@pytest.fixture
def race(
    channel: Channel,
    transactional_db: None,
    entry: Participation,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> Race:
    """Uploads with these keys at once, each on a connection of its own.

    All of them may wait to be checked: a site would turn the seventh away for now.
    """
    monkeypatch.setitem(jobs.PRIORITIES, "uploads.check", Priority(0, waiting=100))

    def send(key: str) -> Told:
        try:
            return channel.send(ben, key=key)
        finally:
            connection.close()

    def send_all(keys: list[str]) -> list[Told]:
        channel.client(ben)  # one for all of them
        with ThreadPoolExecutor(len(keys)) as threads:
            return list(threads.map(send, keys))

    return send_all


@pytest.mark.databases("locks")
def test_a_double_click_in_two_tabs_is_one_submission(race: Race) -> None:
    told = race(["same"] * 8)
    assert {one.sent for one in told} == {Submission.objects.get()}


@pytest.mark.databases("locks")
def test_exactly_the_limit_is_accepted(race: Race, phase: Phase) -> None:
    phase.daily_limit = 3
    phase.save()
    told = race([f"key {i}" for i in range(12)])
    assert Counter(one.code for one in told) == {"": 3, "quota_used": 9}
    assert Submission.objects.count() == 3


@pytest.mark.databases("locks")
@pytest.mark.django_db
def test_a_twin_that_used_the_last_attempt_is_the_answer(
    channel: Channel,
    phase: Phase,
    entry: Participation,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second request with a key has looked for the first, and found none yet."""
    phase.daily_limit = 1
    phase.save()
    require = Upload.require_eligible

    def after_the_twin(asked: Upload) -> None:
        monkeypatch.setattr(Upload, "require_eligible", require)
        channel.send(ben, key="twin")

    monkeypatch.setattr(Upload, "require_eligible", after_the_twin)
    assert channel.send(ben, key="twin").sent == Submission.objects.get()


@pytest.mark.django_db
def test_the_page_asks_before_the_same_files_use_another_attempt(
    phase: Phase, entry: Participation, ben: User, as_user: Callable[[User], Any]
) -> None:
    page = ByPage()
    assert page.send(ben, again="").accepted
    asked = page.send(ben, again="")
    assert (asked.status, asked.accepted, asked.charged) == (
        422,
        False,
        {"scored": 1, "total": 1},
    )
    assert "Your team sent exactly these files before, as “otter-1”" in asked.text
    files = {f"file_{name}": SimpleUploadedFile(name, d) for name, d in both().items()}
    form = {"system": "x", "key": "k", **files}
    html = as_user(ben).post("/tasks/otters/test/submit/", form).content.decode()
    assert 'name="again"' in html
    assert page.send(ben, {"north": one_wrong()}, again="").accepted, "other files"
    assert page.send(ben, again="on").accepted, "who insists"
    Submission.objects.update(withdrawn_at=phase.opens)
    assert page.send(ben, again="").accepted, "what was taken back"


@pytest.mark.django_db
def test_programs_and_other_teams_are_asked_nothing(
    phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    api = CHANNELS["api"]()
    assert api.send(ben).accepted and api.send(ben).accepted
    join(phase.task, Team.found("Cys", cy))
    assert ByPage().send(cy, again="").accepted
