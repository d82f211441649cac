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
