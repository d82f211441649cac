"""Files that are hardly meant are asked about before they use an attempt."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import HEADS, RELATIONS, conllu, one_wrong, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
PAGE, API = "/tasks/otters/test/submit/", "/api/v1/tasks/otters/test/"
ROOTS = conllu((0,) * 8).encode()
OTHER_LABELS = conllu(HEADS["north"], tuple(x.upper() for x in RELATIONS)).encode()


def sent(client: Client, data: bytes, **fields: str) -> tuple[int, str]:
    form = {"system": "s", "key": uuid4().hex, **fields}
    form["file_north"] = SimpleUploadedFile("n.conllu", data)  # type: ignore[assignment]
    answer = client.post(PAGE, form)
    return answer.status_code, answer.content.decode().replace("&#x27;", "'")


def test_the_page_asks_before_answers_that_are_all_equal_use_an_attempt(
    entry: Participation, ben: User, as_user: Login
) -> None:
    client = as_user(ben)
    status, page = sent(client, ROOTS)
    assert status == 422
    assert "Is this the file that you meant?" in page
    assert "every answer is the same (8): 'HEAD 0'." in page
    assert 'name="again"' in page
    assert not Submission.objects.exists() and not QuotaCounter.objects.exists()
    status, _page = sent(client, ROOTS, again="on")
    assert status == 302 and Submission.objects.count() == 1


def test_the_page_asks_nothing_about_other_files(
    entry: Participation, ben: User, as_user: Login
) -> None:
    assert sent(as_user(ben), one_wrong())[0] == 302


def test_check_only_says_that_the_page_will_ask(
    entry: Participation, ben: User, as_user: Login
) -> None:
    status, page = sent(as_user(ben), ROOTS, only="check")
    assert status == 200
    assert "you are asked whether you mean it" in page
    status, page = sent(as_user(ben), one_wrong(), only="check")
    assert status == 200
    assert "you are asked" not in page


def test_programs_read_the_question_in_the_check_and_are_asked_nothing(
    entry: Participation, ben: User, as_user: Login
) -> None:
    client = as_user(ben)
    file = {"file_north": SimpleUploadedFile("n.conllu", ROOTS)}
    (remark,) = client.post(f"{API}check/", file).json()["remarks"]
    assert remark["code"] == "all_equal"
    assert remark["hint"].endswith("that you meant?")
    file = {"file_north": SimpleUploadedFile("n.conllu", ROOTS)}
    answer = client.post(f"{API}submissions/", {"system": "s", **file})
    assert answer.status_code == 201


def test_a_result_says_that_no_label_is_in_the_key_and_names_none(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    submission = scored(phase, entry, {"north": OTHER_LABELS})
    page = as_user(ben).get(submission.get_absolute_url())
    text = page.content.decode()
    told = "No label of the file occurs in the answer key"
    assert told in text.partition("Scoring details")[0]  # in sight, not in the fold
    assert not [name for name in RELATIONS if f"'{name}'" in text]


def sent_parts(client: Client, parts: dict[str, bytes], **fields: str) -> str:
    form: dict[str, object] = {"system": "s", "key": uuid4().hex, **fields}
    for name, data in parts.items():
        form[f"file_{name}"] = SimpleUploadedFile(f"{name}.conllu", data)
    answer = client.post(PAGE, form)
    return "sent" if answer.status_code == 302 else answer.content.decode()


def test_the_page_asks_about_two_runs_of_the_same_files(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    Phase.objects.filter(pk=phase.pk).update(most_runs=3)
    client, south = as_user(ben), conllu(HEADS["south"]).encode()
    parts = {"north": one_wrong(), "south": south, "north.2": one_wrong()}
    page = sent_parts(client, {**parts, "south.2": south})
    assert "Runs 1 and 2 have the same files." in page
    assert not Submission.objects.exists()
    other = conllu((4, *HEADS["south"][1:])).encode()
    assert sent_parts(client, {**parts, "south.2": other}) == "sent"
    again = sent_parts(client, {**parts, "south.2": south}, again="on")
    assert again == "sent" and Submission.objects.count() == 2


def test_the_page_asks_about_one_file_for_two_test_sets(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    client, parts = as_user(ben), {"north": one_wrong(), "south": one_wrong()}
    page = sent_parts(client, parts)
    assert "North and South have the same file." in page
    assert not Submission.objects.exists()
    assert sent_parts(client, parts, again="on") == "sent"
