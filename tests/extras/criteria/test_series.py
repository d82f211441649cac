"""A series of phases on one scale: declared, linked, shown as far as boards are."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.submissions import accept
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.dump import bundle_of_plan, plan_of
from leaderboard.tasks.models import Participation, Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from scoring.source import Source
from tests.leaderboard.judged import inline, run_all, upload
from tests.organize.crowd import entered, person
from tests.organize.marked_items import UNITS, answers, bundle

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
MONTHS = ("may", "june", "july")
PAGE = "/tasks/marks/july/linked/"
API = "/api/v1/tasks/marks/july/linked/"
FORM = "/tasks/marks/organize/series/"
ROLLING = {"name": "rolling", "title": "All months", "phases": ["may", "june", "july"]}


def months(*series: Any, **of_july: Any) -> Source:
    """Three phases, each with a test set of its own."""
    made = bundle()
    table = yaml.safe_load(made.files["task.yaml"])
    opens = (timezone.now() - timedelta(days=3)).isoformat()
    table["test_sets"] = [{"name": f"set-{m}", "gold": "gold.csv"} for m in MONTHS]
    table["phases"] = [
        {
            "name": month,
            "title": month.title(),
            "opens": opens,
            "test_sets": [f"set-{month}"],
            **(of_july if month == "july" else {}),
        }
        for month in MONTHS
    ]
    table["series"] = list(series)
    return Source("marks", {**made.files, "task.yaml": yaml.safe_dump(table).encode()})


def send(entry: Participation, month: str, right: int) -> None:
    """An answer that is right on so many of the 80 units, but for the odd one in the
    gold, which is not among them."""
    phase = entry.task.phases.get(name=month)
    marks = np.zeros(UNITS, dtype=bool)
    marks[np.setdiff1d(np.arange(UNITS), [7])[:right]] = True
    marks[7] = False  # wrong by the truth, and so right by this gold
    text = answers(0, marks)
    file = SimpleUploadedFile("sent.csv", text.encode())
    request = upload(
        phase,
        entry,
        {},
        runs=[{phase.test_sets.get(): file}],
        system=f"system-{entry.team.name}",
    )
    with inline:
        accept.submit(request)
    run_all()


# Right answers beside the odd unit, by team and month.
SENT = {
    "A": {"may": 39, "june": 47},
    "B": {"may": 31, "june": 37},
    "C": {"may": 23, "june": 33},
    "D": {"may": 35},
    "E": {"june": 55, "july": 60},
}


def filled(task: Task) -> None:
    for number, (name, sent) in enumerate(SENT.items()):
        entry = entered(task, name, person(f"p{number}@example.org"))
        for month, right in sent.items():
            send(entry, month, right)


def test_systems_of_earlier_phases_stand_on_the_scale_of_the_newest(
    ada: User, client: Client
) -> None:
    """Accuracies are (right + 1) / 80. From May to June A, B and C gain 8, 6 and 10
    answers: .1, .075, .125, with mean .1 and standard deviation .025. D, at .45, would
    have .55 in June, give or take 4.30265 (Student, 2 degrees) times .025 times the
    root of 4/3."""
    series = {**ROLLING, "phases": ["may", "june"]}
    task = create_task(months(series), ada)
    filled(task)
    told = client.get(API.replace("july", "june")).json()
    assert (told["scale"], told["measure"]) == ("june", "accuracy")
    assert [one["name"] for one in told["phases"]] == ["may", "june"]
    may, june = told["phases"]
    assert (may["over"], may["common"], june["over"]) == (["june"], 3, [])
    assert may["shift"] == pytest.approx(0.1)
    rows = {row["system"]: row for row in told["rows"]}
    assert list(rows) == [f"system-{name}" for name in "EADBC"]
    half = 4.30265 * 0.025 * (4 / 3) ** 0.5
    linked = rows["system-D"]
    assert (linked["phase"], linked["score"]) == ("may", pytest.approx(0.45))
    assert linked["linked"] == pytest.approx(0.55)
    assert linked["low"] == pytest.approx(0.55 - half, abs=1e-5)
    assert linked["high"] == pytest.approx(0.55 + half, abs=1e-5)
    # Who is on the board of the scale stands there with that score.
    assert rows["system-A"]["linked"] == rows["system-A"]["score"] == 0.6
    assert rows["system-A"]["low"] is None
    page = client.get(PAGE.replace("july", "june")).content.decode()
    assert "+10.0" in page and "55.0" in page
    text = client.get("/tasks/marks/june/linked.csv").content.decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [line["system"] for line in lines] == list(rows)
    board = client.get("/tasks/marks/june/board/").content.decode()
    assert PAGE.replace("july", "june") in board


def test_a_phase_without_enough_common_systems_is_not_linked_and_says_why(
    ada: User, client: Client
) -> None:
    task = create_task(months(ROLLING), ada)
    filled(task)
    told = client.get(API).json()
    assert told["scale"] == "july"
    assert [row["system"] for row in told["rows"]] == ["system-E"]
    for one in told["phases"][:2]:
        assert "Fewer than 3 systems" in one["why"] and one["shift"] is None
    assert "n/a: Fewer than 3 systems" in client.get(PAGE).content.decode()


BLIND = {
    "policy": "blind",
    "closes": "2099-01-01T00:00:00Z",
    "reveal_at": "2099-01-02T00:00:00Z",
}


def test_what_a_board_hides_no_link_tells(ada: User, client: Client) -> None:
    task = create_task(months(ROLLING, **BLIND), ada)
    filled(task)
    told = client.get(API).json()
    assert told["scale"] == "june"
    *_others, july = told["phases"]
    assert "not shown yet" in july["why"]
    assert "july" not in [row["phase"] for row in told["rows"]]


def test_a_form_and_a_bundle_declare_the_same(ada: User, as_user: Login) -> None:
    task = create_task(months(), ada)
    client = as_user(ada)
    sent = {**ROLLING, "phases": ["july", "may"]}
    assert client.post(FORM, sent).status_code == 302
    (row,) = task.series.all()
    assert row.phases == ["may", "july"]
    again = yaml.safe_load(bundle_of_plan(plan_of(task)).files["task.yaml"])
    assert again["series"] == [{**ROLLING, "phases": ["may", "july"]}]
    changed = {"title": "Months", "phases": MONTHS}
    assert client.post(f"{FORM}rolling/", changed).status_code == 302
    row.refresh_from_db()
    assert (row.title, row.phases) == ("Months", list(MONTHS))
    one = client.post(FORM, {**ROLLING, "name": "one", "phases": ["may"]})
    assert one.status_code == 422 and b"two phases or more" in one.content
    client.post(f"{FORM}rolling/change/", {"to": "remove"})
    assert not task.series.exists()
    assert client.get(PAGE).status_code == 404


@pytest.mark.parametrize("phases", [["may"], ["may", "may"], ["may", "august"]])
def test_a_series_that_cannot_be_is_refused_with_its_place(
    phases: list[str], ada: User
) -> None:
    with pytest.raises(SetupError) as refused:
        create_task(months({**ROLLING, "phases": phases}), ada)
    assert any("series" in str(problem) for problem in refused.value.problems)
