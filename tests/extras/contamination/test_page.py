"""The page and the API on overlap, and the canary string in what is published."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.extras.archive import contents
from leaderboard.extras.contamination.canary import canary_of
from leaderboard.extras.contamination.models import OverlapReport
from leaderboard.extras.publishing import croissant
from leaderboard.submissions.kit import kit_of
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from scoring.source import Source
from tests.organize.marked_items import bundle

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
PAGE = "/tasks/rhymes/organize/overlap/"
API = "/api/v1/tasks/rhymes/overlap/"
TEXTS = {
    "u1": "The quick brown fox jumps over the lazy dog at noon in the warm sun",
    "u2": "One grey hen sat on a fence and sang a long song to the moon",
    "u3": "Five small boats lay at the quay when the tide came in at dawn",
    "u4": "The QUICK brown fox jumps over the lazy dog, at noon in the warm sun!",
}


def rhymes(ada: User, **phase: Any) -> Task:
    """Sentences with a class: the published file has the sentences."""
    opens = timezone.now() - timedelta(days=2)
    table = {
        "plumbline": 1,
        "draft": False,
        "slug": "rhymes",
        "title": "Rhymes",
        "scorer": {"name": "classes", "headline": "accuracy"},
        "test_sets": [{"name": "only", "gold": "gold.jsonl"}],
        "phases": [
            {"name": "test", "title": "Test", "opens": opens.isoformat(), **phase}
        ],
    }
    table["scorer"]["options"] = {"inputs": "text"}
    rows = [
        json.dumps({"id": unit, "text": text, "label": "secretclass"})
        for unit, text in TEXTS.items()
    ]
    files = {
        "task.yaml": yaml.safe_dump(table).encode(),
        "gold.jsonl": "\n".join(rows).encode(),
    }
    return create_task(Source("rhymes", files), ada)


def named(name: str, text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


def posted(task: Task, **more: Any) -> dict[str, Any]:
    return {"test_set": task.test_sets.get().pk, "order": "8", **more}


def test_organizers_read_which_units_are_in_the_texts_that_they_named(
    ada: User, as_user: Login
) -> None:
    task = rhymes(ada)
    books = f"{TEXTS['u1']}\nnothing of it\n{TEXTS['u2'].replace('One', 'A')}"
    ada_s = as_user(ada)
    answer = ada_s.post(PAGE, posted(task, texts=named("books.txt", books)))
    assert answer.status_code == 302
    text = ada_s.get(PAGE).content.decode()
    # Of u2 the first of 15 words is another: of 11 runs of five words 10 are left.
    for words in ("books.txt:1", "books.txt:3", "90.9%", canary_of(task)):
        assert words in text
    assert "books.txt:2" not in text
    # What the gold says, and the text of a unit, stand nowhere.
    assert "secretclass" not in text and "grey hen" not in text
    report = OverlapReport.objects.get()
    assert report.counted["found"] == 2 and report.counted["near"] == 3
    assert report.counted["twins"] == 2 and report.counted["units"] == 4
    rows = ada_s.get(f"{PAGE}{report.pk}/units.csv").content.decode()
    listed = {row["unit"]: row for row in csv.DictReader(io.StringIO(rows))}
    assert {u: r["found"] for u, r in listed.items()} == {
        "u1": "books.txt:1",
        "u4": "books.txt:1",
        "u2": "",
    }
    assert (listed["u1"]["twin"], listed["u4"]["twin"]) == ("u4", "u1")


def test_without_texts_the_test_set_is_compared_with_itself(
    ada: User, as_user: Login
) -> None:
    task = rhymes(ada)
    as_user(ada).post(PAGE, posted(task))
    report = OverlapReport.objects.get()
    assert [line["unit"] for line in report.lines] == ["u1", "u4"]
    assert report.texts == ""


def test_texts_with_the_canary_string_are_told(ada: User, as_user: Login) -> None:
    task = rhymes(ada)
    text = f"one\ntwo {canary_of(task)} three"
    ada_s = as_user(ada)
    ada_s.post(PAGE, posted(task, texts=named("web.txt", text)))
    assert "The canary string of this task stands in web.txt:2" in (
        ada_s.get(PAGE).content.decode()
    )


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (b"one \xe4", "UTF-8"),
        (b"PK\x03\x04 no zip", "zip"),
    ],
)
def test_what_is_no_text_is_refused_and_nothing_is_kept(
    texts: bytes, said: str, ada: User, as_user: Login
) -> None:
    task = rhymes(ada)
    file = SimpleUploadedFile("books.txt", texts)
    answer = as_user(ada).post(PAGE, posted(task, texts=file))
    assert answer.status_code == 422 and said in answer.content.decode()
    assert not OverlapReport.objects.exists()


def test_gold_without_a_text_is_refused_with_what_is_needed(
    ada: User, as_user: Login
) -> None:
    plain = create_task(bundle(), ada)
    answer = as_user(ada).post(
        "/tasks/marks/organize/overlap/",
        {"test_set": plain.test_sets.get().pk, "order": "8"},
    )
    assert answer.status_code == 422
    assert "no text of five words or more" in answer.content.decode()
    assert not OverlapReport.objects.exists()


def test_programs_compare_and_read_reports(ada: User, as_user: Login) -> None:
    rhymes(ada)
    ada_s = as_user(ada)
    books = named("books.jsonl", json.dumps({"a": [TEXTS["u3"]]}))
    answer = ada_s.post(API, {"test_set": "only", "order": 8, "texts": books})
    assert answer.status_code == 200, answer.content
    assert answer.json()["lines"][0] | {"near_share": 1.0} == {
        "unit": "u3",
        "found": "books.jsonl:1",
        "near": "books.jsonl:1",
        "near_share": 1.0,
        "share": 1.0,
        "twin": "",
        "twin_share": pytest.approx(0.0),
    }
    assert [one["texts"] for one in ada_s.get(API).json()] == ["books.jsonl"]
    assert ada_s.post(API, {"test_set": "none"}).status_code == 422


def test_the_oldest_reports_of_a_task_go(
    ada: User, as_user: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = rhymes(ada)
    monkeypatch.setattr(OverlapReport, "KEPT", 2)
    for name in ("a.txt", "b.txt", "c.txt"):
        as_user(ada).post(PAGE, posted(task, texts=named(name, "one two")))
    assert [one.texts for one in OverlapReport.objects.all()] == ["c.txt", "b.txt"]


def test_the_canary_string_stands_in_what_is_published_and_stays_the_same(
    ada: User,
) -> None:
    closes = (timezone.now() - timedelta(days=1)).isoformat()
    task = rhymes(ada, closes=closes)
    canary = canary_of(task)
    assert canary_of(Task.objects.get()) == canary
    phase = Phase.objects.select_related("task").get()
    kit = kit_of(phase, "https://example.org", [])
    with zipfile.ZipFile(io.BytesIO(kit.data)) as archive:
        assert canary in archive.read("rhymes-test-kit/README.md").decode()
    assert canary in croissant.describe(task)["description"]
    file = io.BytesIO()
    contents.write(task, contents.ArchiveOptions(), file)
    with zipfile.ZipFile(file) as archive:
        for name in ("index.html", "task.json"):
            assert canary in archive.read(name).decode()
