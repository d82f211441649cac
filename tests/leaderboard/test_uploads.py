"""Uploads: what is accepted, what is refused, and that nothing is lost or doubled."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from leaderboard.sandbox.jobs import ELSEWHERE
from leaderboard.submissions import accept
from leaderboard.submissions.models import EvaluationState, Submission
from leaderboard.submissions.uploads import file_name
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.channels import PAGE as URL
from tests.leaderboard.channels import Channel
from tests.leaderboard.small import CANARY, both, inline, perfect, scored, upload

pytestmark = pytest.mark.one_stage

Login = Callable[[User], Client]
BAD = "tests.leaderboard.bad_work"


def form(**files: bytes) -> dict[str, object]:
    fields: dict[str, object] = {"system": "otter-1", "key": uuid4().hex}
    return fields | {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in files.items()
    }


@pytest.mark.databases("locks")
@pytest.mark.django_db
def test_an_accepted_upload_is_a_row_with_its_file_and_a_queued_evaluation(
    channel: Channel, entry: Participation, ben: User
) -> None:
    sent = channel.send(ben).sent
    assert sent is not None and (sent.sender, sent.participation) == (ben, entry)
    assert sent.evaluations.get().state == EvaluationState.QUEUED
    file = sent.files.get(test_set__name="north")
    assert blobs.read(file.sha256) == perfect("north")
    event = sent.evaluations.get().events.get()
    assert (event.old, event.new) == ("", EvaluationState.QUEUED)


@pytest.mark.django_db
def test_a_wrong_line_is_named_and_nothing_is_stored(
    phase: Phase, entry: Participation
) -> None:
    broken = perfect().replace(b"1\tthe\t_", b"1\tthe _", 1)
    with pytest.raises(accept.Unfit) as caught:
        accept.submit(upload(phase, entry, both({"north": broken})))
    assert [(p.file, p.line) for p in caught.value.problems] == [("north.conllu", 2)]
    assert not Submission.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\n\n \n", "empty"),
        ("naïve\n".encode("latin-1"), "UTF-8"),
        (perfect().decode().encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04\xff\xfe", "zip"),
        (b"just some words\n", "ten columns"),
        (perfect().replace(b"otter", b"Otter"), "expected 'otter'"),
        (perfect().replace(b"\t0\troot", b"\t_\troot"), "HEAD"),
        (perfect().replace(b"\t0\troot", b"\t77\troot"), "from 0 to 4"),
        (perfect()[: perfect().index(b"# sent_id = s2")], "1 of 2 found"),
    ],
)
def test_every_mistake_gets_an_answer_that_says_what_is_wrong(
    phase: Phase, entry: Participation, data: bytes, said: str
) -> None:
    with inline, pytest.raises(accept.Unfit) as caught:
        accept.submit(upload(phase, entry, {"north": data}))
    told = " ".join(str(problem) for problem in caught.value.problems)
    assert said in told
    assert CANARY not in told


@pytest.mark.databases("locks")
@pytest.mark.django_db
def test_a_file_with_a_mistake_is_answered_and_charged_as_refused(
    channel: Channel, entry: Participation, ben: User
) -> None:
    broken = perfect().replace(b"otter", b"Otter").replace(b"\t0\troot", b"\t77\troot")
    told = channel.send(ben, {"north": broken})
    assert (told.status, told.code) == (422, "unfit")
    assert "expected 'otter'" in told.text and "from 0 to 4" in told.text
    assert CANARY not in told.text
    assert (told.stored, told.charged) == (0, {"refused": 1})


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"files": {}}, "Choose a file"),
        ({"system": ""}, "This field is required"),
        ({"system": "x" * 81}, "at most 80 characters"),
        ({"system": "\u202eretto"}, "cannot be seen"),
        ({"description": "x" * 2001}, "at most 2000 characters"),
        ({"key": "k" * 65}, "at most 64 characters"),
    ],
)
def test_a_form_that_is_not_filled_in_right_says_so_and_costs_nothing(
    channel: Channel,
    entry: Participation,
    ben: User,
    changes: dict[str, Any],
    said: str,
) -> None:
    told = channel.send(ben, **changes)
    assert (told.status, told.code) == (422, "invalid")
    assert said in told.text
    assert (told.stored, told.charged) == (0, {})


@pytest.mark.django_db
@override_settings(UPLOAD_BYTES=1000)
def test_a_file_over_the_cap_is_cut_off_and_named(
    channel: Channel, entry: Participation, ben: User
) -> None:
    told = channel.send(ben, {"north": b"x" * 5000})
    assert (told.status, told.code) == (413, "too_large")
    assert "larger than the limit" in told.text
    assert (told.stored, told.charged) == (0, {})


@pytest.mark.django_db
def test_a_file_as_large_as_the_cap_is_taken_and_one_byte_more_is_not(
    channel: Channel, entry: Participation, ben: User
) -> None:
    size = max(map(len, (perfect(), perfect("south"))))
    with override_settings(UPLOAD_BYTES=size - 1):
        assert channel.send(ben, both()).code == "too_large"
    with override_settings(UPLOAD_BYTES=size):
        assert channel.send(ben, both()).accepted


@pytest.mark.databases("locks")
@pytest.mark.django_db
def test_a_good_upload_leads_to_its_page(
    entry: Participation, ben: User, as_user: Login
) -> None:
    answer = as_user(ben).post(URL, form(**both()), follow=True)
    assert answer.status_code == 200
    assert "Queued" in answer.content.decode()


@pytest.mark.databases("locks")
@pytest.mark.django_db
def test_after_the_end_an_upload_is_kept_but_not_scored(
    channel: Channel, over: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    told = channel.send(ben)
    sent = told.sent
    assert sent is not None and sent.late
    assert sent.files.count() == 2
    assert not sent.evaluations.exists()
    assert told.charged == {"late": 1}
    page = as_user(ben).get(sent.get_absolute_url())
    assert "Late" in page.content.decode()


@pytest.mark.databases("locks")
@pytest.mark.django_db
def test_what_arrived_before_the_end_counts_though_it_was_read_after(
    channel: Channel, over: Phase, entry: Participation, ben: User
) -> None:
    in_time = over.closes - timedelta(seconds=1)
    for moment, late in ((in_time, False), (over.closes, True)):
        sent = channel.send(ben, at=moment).sent
        assert sent is not None and sent.late == late


@pytest.mark.django_db
def test_before_the_opening_an_upload_is_refused(
    channel: Channel, upcoming: Phase, entry: Participation, ben: User
) -> None:
    told = channel.send(ben, at=upcoming.opens - timedelta(seconds=1))
    assert (told.code, told.stored, told.charged) == ("not_open", 0, {})
    assert "has not opened" in told.text
    assert channel.send(ben, at=upcoming.opens).accepted


@pytest.mark.django_db
def test_without_a_team_nothing_is_taken(
    channel: Channel, entry: Participation, cy: User
) -> None:
    told = channel.send(cy)
    assert (told.code, told.stored, told.charged) == ("not_found", 0, {})


@pytest.mark.django_db
def test_without_a_team_a_browser_is_led_to_where_one_joins(
    phase: Phase, cy: User, as_user: Login
) -> None:
    answer = as_user(cy).post(URL, form(**both()))
    assert answer.url == "/tasks/otters/join/"


@pytest.mark.django_db
def test_a_file_that_needs_too_much_memory_is_refused_with_the_limit(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ELSEWHERE, "uploads.check", f"{BAD}:takes_memory")
    with override_settings(SCORE_MEMORY_MB=8), pytest.raises(accept.Unfit) as caught:
        accept.submit(upload(phase, entry, both()))
    (problem,) = caught.value.problems
    assert problem.code == "memory"
    assert "8 MiB" in problem.message


@pytest.mark.django_db
def test_a_check_that_breaks_is_our_fault_and_costs_nothing(
    channel: Channel,
    entry: Participation,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ELSEWHERE, "uploads.check", f"{BAD}:divides_by_zero")
    told = channel.send(ben)
    assert (told.code, told.stored, told.charged) == ("check_failed", 0, {})
    assert "failed on our side" in told.text


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("otters.conllu", "otters.conllu"),
        ("a\0b.conllu", "ab.conllu"),
        ("\u202egpj.conllu", "gpj.conllu"),
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\y.txt", "y.txt"),
        ("\ud800.txt", "?.txt"),
        ("\u200b", "file"),
        ("", "file"),
        ("n" * 300 + ".conllu", "n" * 193 + ".conllu"),
        ("n" * 300, "n" * 200),
        ("cafe\u0301.txt", "caf\u00e9.txt"),
    ],
)
def test_names_of_files_are_stored_as_they_can_be_read(given: str, kept: str) -> None:
    assert file_name(given) == kept


@pytest.mark.databases("constraints")
@pytest.mark.django_db
def test_a_name_longer_than_the_column_is_cut(
    phase: Phase, entry: Participation
) -> None:
    sets = {t.name: t for t in phase.test_sets.all()}
    long = SimpleUploadedFile("n" * 240 + ".conllu", perfect("north"))
    request = replace(upload(phase, entry, {}), runs=[{sets["north"]: long}])
    sent = accept.submit(request)
    assert len(sent.files.get().name) == 200


@pytest.mark.databases("locks")
@pytest.mark.django_db
def test_organizers_may_send_pilots_before_the_opening(
    channel: Channel, upcoming: Phase, ada: User
) -> None:
    join(upcoming.task, Team.found("House", ada))
    sent = channel.send(ada).sent
    assert sent is not None and not sent.late


@pytest.mark.django_db
def test_a_form_sent_after_the_session_ended_is_not_lost_in_silence(
    entry: Participation, client: Client
) -> None:
    assert "so nothing was sent" not in client.get(URL, follow=True).text
    page = client.post(URL, {"system": "otter-2"}, follow=True)
    assert "so nothing was sent" in page.text
    assert "so nothing was sent" not in client.get(URL, follow=True).text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("form", "back"),
    [
        ("http://testserver/tasks/otters/log/?page=2", "/tasks/otters/log/?page=2"),
        ("http://elsewhere.org/tasks/otters/log/", "/tasks/otters/follow/"),
        ("", "/tasks/otters/follow/"),
    ],
)
def test_who_signs_in_after_sending_a_form_comes_back_to_its_page(
    entry: Participation, client: Client, form: str, back: str
) -> None:
    """The address that takes the form is no page."""
    answer = client.post("/tasks/otters/follow/", headers={"Referer": form})
    assert answer["Location"] == f"/accounts/login/?next={quote(back)}"


@pytest.mark.django_db
def test_a_page_that_watches_a_submission_leads_to_signing_in(
    phase: Phase, entry: Participation, client: Client
) -> None:
    """The page for signing in would stand inside the one that asks for its part."""
    address = scored(phase, entry, both()).get_absolute_url()
    asks = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{address}?a=1"}
    answer = client.get(f"{address}?part=status", headers=asks)
    assert answer["HX-Redirect"] == f"/accounts/login/?next={quote(address + '?a=1')}"
    assert answer.status_code == 200 and not answer.content
    whole = client.get(address, headers={**asks, "HX-Boosted": "true"})
    assert whole["Location"] == f"/accounts/login/?next={quote(address)}"


@pytest.mark.django_db
def test_a_page_that_is_not_open_to_strangers_leads_to_signing_in(
    entry: Participation, client: Client
) -> None:
    address = "/tasks/otters/organize/phases/?page=2"
    page = client.get(address)
    assert page.status_code == 404 and "so nothing was sent" not in page.text
    assert f'href="/accounts/login/?next={quote(address)}"' in page.text
    form = {"Referer": f"http://testserver{address}"}
    sent = client.post("/tasks/otters/organize/phases/test/pause/", headers=form)
    assert sent.status_code == 404 and "so nothing was sent" in sent.text
    assert f'href="/accounts/login/?next={quote(address)}"' in sent.text
