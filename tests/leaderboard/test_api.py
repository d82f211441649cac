"""The API gives the rows of the page, the intake of the form, the same numbers."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import (
    both,
    bundle,
    one_wrong,
    perfect,
    scored,
    set_questions,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
ROOT = Path(__file__).resolve().parent.parent.parent
BOARD = "/api/v1/tasks/otters/test/board/"
SUBMIT = "/api/v1/tasks/otters/test/submissions/"


def parts(**files: bytes) -> dict[str, object]:
    return {"system": "otter-api"} | {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in files.items()
    }


def test_the_root_leads_to_the_tasks(phase: Phase, client: Client) -> None:
    tasks = client.get(client.get("/api/").json()["tasks"]).json()
    assert [task["slug"] for task in tasks] == ["otters"]
    assert client.get("/api/v1/tasks/otters/").json() == tasks[0]


def test_the_tasks_ask_the_same_number_of_queries_for_many(
    task: Task, ada: User, client: Client, django_assert_num_queries: Any
) -> None:
    client.get("/api/v1/tasks/")
    with CaptureQueriesContext(connection) as one:
        client.get("/api/v1/tasks/")
    for slug in ("herons", "voles"):
        other = create_task(bundle(slug=slug), ada)
        Task.objects.filter(pk=other.pk).update(draft=False)
        set_questions(other, [{"name": "size", "title": "Size", "kind": "number"}])
    with django_assert_num_queries(len(one)):
        answer = client.get("/api/v1/tasks/").json()
    assert [len(task["fact_sheet"]) for task in answer] == [1, 0, 1]


def test_the_board_is_the_board_of_the_page(
    phase: Phase, entry: Participation, client: Client
) -> None:
    scored(phase, entry, both({"north": one_wrong()}))
    rows = client.get(BOARD).json()["rows"]
    shown = board(BoardQuery(phase)).rows
    assert rows[0]["scores"]["las"]["value"] == shown[0].scores[0].exact["value"]
    assert rows[0]["rank"] == 1


def test_the_command_line_prints_the_same_number_to_the_last_digit(
    phase: Phase, entry: Participation, ben: User, as_user: Login, tmp_path: Path
) -> None:
    sent = scored(phase, entry, both({"north": one_wrong()}))
    (tmp_path / "gold").write_bytes(perfect())
    (tmp_path / "system").write_bytes(one_wrong())
    command = ["score", "attachment", "--gold", "gold", "--system", "system"]
    plan = ["--resamples", "200", "--seed", "7", "--format", "json"]
    printed = subprocess.run(
        [sys.executable, "-m", "scoring", *command, *plan],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
    at_home = json.loads(printed.stdout)
    site = as_user(ben).get(f"/api/v1/submissions/{sent.pk}/").json()
    north = site["test_sets"]["north"]
    assert north["signature"] == at_home["signature"]
    for name, score in north["scores"].items():
        for key in ("value", "low", "high"):
            assert score[key] == at_home["measures"][name][key]


def test_strangers_can_read_the_board_but_not_send(
    phase: Phase, entry: Participation, cy: User, as_user: Login, client: Client
) -> None:
    sent = scored(phase, entry, both())
    assert client.get(BOARD).status_code == 200
    assert client.post(SUBMIT, parts(**both())).status_code == 401
    assert as_user(cy).post(SUBMIT, parts(**both())).status_code == 404
    assert as_user(cy).get(f"/api/v1/submissions/{sent.pk}/").status_code == 404


def test_the_site_compares_as_the_command_line_does(
    phase: Phase, entry: Participation, client: Client, tmp_path: Path
) -> None:
    files = {"a": perfect(), "b": one_wrong(), "gold": perfect()}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    sent = [scored(phase, entry, both({"north": files[name]})) for name in "ab"]
    command = ["compare", "attachment", "--gold", "gold", "--system", "a"]
    rest = ["--system", "b", "--measure", "las", "--resamples", "200", "--seed", "7"]
    printed = subprocess.run(
        [sys.executable, "-m", "scoring", *command, *rest, "--format", "json"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
    at_home = json.loads(printed.stdout)[0]
    asked = {"system": [str(one.pk) for one in sent], "test_set": "north"}
    site = client.get("/api/v1/tasks/otters/test/compare/", asked).json()[0]
    numbers = at_home.keys() - {"first", "second", "schema"}
    assert {key: site[key] for key in numbers} == {k: at_home[k] for k in numbers}


def test_a_system_that_is_not_on_the_board_cannot_be_compared(
    phase: Phase, entry: Participation, client: Client
) -> None:
    unknown = "00000000-0000-0000-0000-00000000000"
    asked = {"system": [f"{unknown}1", f"{unknown}2"]}
    assert client.get("/api/v1/tasks/otters/test/compare/", asked).status_code == 404


def test_a_body_that_is_no_form_is_answered_with_what_was_expected(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    body = json.dumps({"system": "x", "key": "y"})
    answer = as_user(ben).post(SUBMIT, body, content_type="application/json")
    assert answer.status_code == 415
    assert "application/json" in answer.json()["detail"]
