"""Judgements by page and by the API: lists, files, tables, and who is kept out."""

import io
import zipfile
from time import monotonic
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.extras.judgements.models import JudgementTable
from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply, export_bundle
from leaderboard.organize.final_results import matters
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from tests.extras.judgements.judged import judge, long_table, table
from tests.leaderboard.judged import (
    JUDGEMENTS,
    LABELS,
    entry_of,
    judged_task,
    run_all,
    sent,
    task_beside,
)
from tests.leaderboard.small import inline

pytestmark = pytest.mark.django_db
PAGE = "/tasks/judged/organize/judgements/test/"
API = "/api/v1/tasks/judged/test/judgements/"


@pytest.fixture
def task(ada: User) -> Task:
    return judged_task(ada)


def posted(client: Client, address: str, text: str, **fields: str) -> Any:
    file = SimpleUploadedFile("judged.csv", text.encode())
    with inline:
        return client.post(address, {"table": file, **fields})


def text_of(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def test_the_page_counts_what_waits_and_takes_a_table(
    task: Task, ada: User, ben: User, as_user: Any
) -> None:
    client = as_user(ada)
    assert "Nothing was sent yet" in text_of(client.get(PAGE))
    one = sent(task, entry_of(task, ben))
    page = text_of(client.get(PAGE))
    assert "1 submission waits for your judgements." in page
    assert "submission,id,adequacy,errors" in page
    answer = posted(client, PAGE, table(), submission=str(one.pk))
    assert answer.status_code == 302
    run_all()
    page = text_of(client.get(PAGE))
    assert "every submission was judged" in page
    assert "adequacy 4, errors 4" in page


def test_a_wrong_table_is_shown_with_its_lines(
    task: Task, ada: User, ben: User, as_user: Any
) -> None:
    one = sent(task, entry_of(task, ben))
    text = table({"u1": "good"})
    answer = posted(as_user(ada), PAGE, text, submission=str(one.pk))
    assert answer.status_code == 422
    page = text_of(answer)
    assert "Nothing was changed" in page
    assert "expected a number, found &#x27;good&#x27;" in page
    assert not JudgementTable.objects.exists()


def test_what_is_wrong_in_every_line_of_a_table_is_shown_once(
    task: Task, ada: User, ben: User, as_user: Any
) -> None:
    one = sent(task, entry_of(task, ben))
    text = table({f"u{n}": "good" for n in range(1, 5)})
    page = text_of(posted(as_user(ada), PAGE, text, submission=str(one.pk)))
    assert page.count("expected a number, found &#x27;good&#x27;") == 1
    assert "4 times" in page


def test_the_menu_and_the_start_page_lead_to_what_waits(
    task: Task, ada: User, ben: User, as_user: Any
) -> None:
    sent(task, entry_of(task, ben))
    page = text_of(as_user(ada).get("/tasks/judged/organize/"))
    assert "Judge submissions" in page and "Waiting for judgements" in page
    assert page.count("/tasks/judged/organize/judgements/") == 2


def test_a_program_lists_fetches_and_puts(
    task: Task, ada: User, ben: User, cy: User, as_user: Any
) -> None:
    client = as_user(ada)
    first = sent(task, entry_of(task, ben), system="first")
    second = sent(task, entry_of(task, cy, "Cys"), system="second")
    found = client.get(API).json()
    assert found["waiting"] == 2
    assert found["columns"] == ["adequacy", "errors"]
    assert found["measures"] == JUDGEMENTS
    assert [one["team"] for one in found["submissions"]] == ["Bens", "Cys"]
    whole = b"".join(client.get(f"{API}files/").streaming_content)
    members = zipfile.ZipFile(io.BytesIO(whole)).namelist()
    assert f"files/{first.pk}/only.csv" in members
    answer = posted(client, API, long_table({first: 0.5, second: 1}))
    assert answer.status_code == 200, answer.content
    assert sorted(answer.json()["submissions"]) == sorted(
        map(str, (first.pk, second.pk))
    )
    run_all()
    found = client.get(API).json()
    assert found["waiting"] == 0
    (kept,) = found["submissions"][0]["tables"]
    assert kept["judged"] == {"adequacy": 4, "errors": 4}
    assert kept["agreement"] == {"adequacy": None, "errors": None}


def test_a_program_is_told_everything_that_is_wrong(
    task: Task, ada: User, ben: User, as_user: Any
) -> None:
    sent(task, entry_of(task, ben))
    answer = posted(as_user(ada), API, "id,adequacy\nu1,x\n")
    assert answer.status_code == 422
    body = answer.json()
    assert (body["code"], body["problems"][0]["line"]) == ("unfit_table", 1)
    assert posted(as_user(ada), API, "").status_code == 422


def test_judgements_are_only_added_once_some_were_given(ada: User, ben: User) -> None:
    task = task_beside(ada)
    submission = sent(task, entry_of(task, ben), LABELS)
    judge(task.phases.get(), ada, table(), submission)
    task = Task.objects.get()
    plan = whole_plan(task)
    more = plan.scoring.with_values(judgements=(*JUDGEMENTS, "ease = mean(ease)"))
    apply(task, plan.with_values(scoring=more), ada, plan)
    task = Task.objects.get()
    assert task.judgements == [*JUDGEMENTS, "ease = mean(ease)"]
    plan = whole_plan(task)
    fewer = plan.scoring.with_values(judgements=tuple(JUDGEMENTS[1:]))
    with pytest.raises(SetupError, match="can only be added to"):
        apply(task, plan.with_values(scoring=fewer), ada, plan)


def test_a_new_measure_has_no_value_until_it_is_judged(
    ada: User, ben: User, as_user: Any
) -> None:
    task = task_beside(ada)
    submission = sent(task, entry_of(task, ben), LABELS)
    judge(task.phases.get(), ada, table(), submission)
    Task.objects.update(judgements=[*JUDGEMENTS, "ease = mean(ease); title Ease"])
    task.named_boards.update(headline="ease", measures=["ease", "adequacy"])
    client = as_user(ben)
    for address in (
        "/tasks/beside/test/board/?board=human",
        "/tasks/beside/test/board/",
        submission.get_absolute_url(),
    ):
        assert client.get(address).status_code == 200


def test_the_kit_has_a_valid_file_and_no_scores(
    task: Task, ben: User, as_user: Any
) -> None:
    with inline:
        answer = as_user(ben).get("/tasks/judged/test/kit/")
    assert answer.status_code == 200
    data = b"".join(answer.streaming_content) if answer.streaming else answer.content
    kit = zipfile.ZipFile(io.BytesIO(data))
    assert kit.read("judged-test-kit/example/only.csv").startswith(b"id,text")
    assert b"the organizers judge what you send" in kit.read(
        "judged-test-kit/README.md"
    )
    form = kit.read("judged-test-kit/FORMAT.md").decode()
    assert "would score" not in form and "0.75" not in form


def test_what_waits_is_an_open_matter_of_the_final_ranking(
    task: Task, ada: User, ben: User
) -> None:
    submission = sent(task, entry_of(task, ben))
    phase = task.phases.get()
    (matter,) = matters(phase)
    assert matter.text == "1 submission waits for judgements."
    judge(phase, ada, table(), submission)
    assert matters(phase) == []


def test_a_program_that_waits_is_answered_at_once(
    task: Task, ben: User, as_user: Any
) -> None:
    submission = sent(task, entry_of(task, ben))
    began = monotonic()
    found = as_user(ben).get(f"/api/v1/submissions/{submission.pk}/?wait=15").json()
    assert (found["state"], found["scores"]) == ("awaiting", {})
    assert monotonic() - began < 5


def test_a_task_of_judgements_passes_its_check(
    task: Task, ada: User, as_user: Any
) -> None:
    with inline:
        page = text_of(as_user(ada).post("/tasks/judged/organize/check/"))
    assert "The check passed" in page


def test_a_bundle_says_the_judgements_again(ada: User) -> None:
    task = task_beside(ada)
    bundle = export_bundle(task)
    again = load(unzip(bundle.name, io.BytesIO(bundle.single())))
    assert list(again.scoring.judgements) == JUDGEMENTS
    assert again.boards[0].headline == "adequacy"


def test_the_form_of_the_scorer_takes_judgements(ada: User, as_user: Any) -> None:
    task_beside(ada)
    client, address = as_user(ada), "/tasks/beside/organize/scoring/"
    fields = {
        **client.get(address).context["form"].initial,
        "option_groups": "",
        "measures": "",
        "judgements": "quality = median(x)",
    }
    fields = {name: value for name, value in fields.items() if value is not None}
    answer = client.post(address, fields)
    assert answer.status_code == 422
    assert "there is no &#x27;median&#x27;" in text_of(answer)
    ranked = {**fields, "judgements": "ease = mean(ease)", "headline": "ease"}
    assert "make a board of judgements" in text_of(client.post(address, ranked))
