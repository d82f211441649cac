"""Named boards: other measures, another headline, some of the test sets."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions.admin_actions import disqualify
from leaderboard.submissions.models import (
    Evaluation,
    StoredBoard,
    StoredStatistics,
    Submission,
)
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.leaderboard.small import (
    bundle,
    conllu,
    manifest,
    perfect,
    scored,
    set_boards,
)
from tests.organize.disclosing import under, unrevealed

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
ORGANIZE = "/tasks/otters/organize/boards/"
API = "/api/v1/tasks/otters/test/board/"
PAGE = "/tasks/otters/test/board/"
WET = {
    "name": "wet",
    "title": "Wet",
    "measures": [],
    "headline": "las",
    "test_sets": ["north", "east"],
}
LABELS = {
    "name": "labels",
    "title": "Labels",
    "measures": ["uas"],
    "headline": "label",
    "test_sets": [],
}
EAST = (2, 3, 0, 3, 2, 0, 2, 3)


@pytest.fixture
def task(ada: User) -> Task:
    """Three test sets: north, south and east."""
    three = manifest()
    three["test_sets"].append(
        {"name": "east", "title": "East", "gold": "gold/east.conllu"}
    )
    plain = bundle(test_sets=three["test_sets"])
    files = {**plain.files, "gold/east.conllu": conllu(EAST).encode()}
    task = create_task(Source(plain.name, files), ada)
    label = next(
        m.name for m in task.scorer.measures(()) if m.name not in ("las", "uas")
    )
    set_boards(task, [WET, LABELS | {"headline": label}])
    return task


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> list[Submission]:
    """Bens: 7 of 8, 8 of 8, 8 of 8. Dans, without south: 8, none, 6 of 8."""
    dan = User.objects.create_user("dan@example.org", "x", name="dan")
    other = join(phase.task, Team.found("Dans", dan))
    north = conllu((4, 3, 0, 3, 2, 0, 2, 3)).encode()
    east = conllu((4, 4, 0, 3, 2, 0, 2, 3)).encode()
    first = {"north": north, "south": perfect("south"), "east": conllu(EAST).encode()}
    return [
        scored(phase, entry, first, system="whole"),
        scored(phase, other, {"north": perfect(), "east": east}, system="part"),
    ]


def rows(**choices: str) -> list[dict[str, Any]]:
    return Client().get(API, choices).json()["rows"]


def test_a_subset_of_test_sets_has_its_own_mean(sent: list[Submission]) -> None:
    whole, part = rows(board="wet")
    # (7/8 + 8/8) / 2 and (8/8 + 6/8) / 2, where the main board has thirds.
    assert whole["scores"]["las"]["value"] == pytest.approx(0.9375)
    assert part["scores"]["las"]["value"] == pytest.approx(0.875)
    main = rows()
    assert main[0]["scores"]["las"]["value"] == pytest.approx(23 / 24)
    assert main[1]["scores"]["las"]["value"] == pytest.approx(1.75 / 3)


def test_a_subset_has_intervals_and_standings(sent: list[Submission]) -> None:
    whole, part = rows(board="wet")
    for row in (whole, part):
        score = row["scores"]["las"]
        assert score["low"] <= score["value"] <= score["high"]
        assert score["low"] < score["high"]
    assert (whole["rank"], part["rank"]) == (1, 2)
    assert whole["rank_range"] == [1, 2]


def test_complete_is_what_sent_a_file_for_each_test_set_shown(
    sent: list[Submission],
) -> None:
    assert [row["complete"] for row in rows()] == [True, False]
    assert [row["complete"] for row in rows(board="wet")] == [True, True]


def test_the_headline_of_a_board_ranks_it(task: Task, sent: list[Submission]) -> None:
    told = Client().get(API, {"board": "labels"}).json()
    headline = task.boards()[1].headline
    assert told["ranked_by"] == headline
    assert [one["name"] for one in told["measures"]] == [headline, "uas"]
    values = [row["scores"][headline]["value"] for row in told["rows"]]
    assert values == sorted(values, reverse=True)
    assert None not in values


def test_a_measure_that_was_not_printed_is_computed_from_the_counts(
    phase: Phase, sent: list[Submission]
) -> None:
    before = board(BoardQuery(phase, board="labels"))
    expected = [pytest.approx(dict(row.sorted_by.exact)) for row in before.rows]
    headline = before.measure.name
    for evaluation in Evaluation.objects.all():
        del evaluation.results["overall"][headline]
        evaluation.save()
    StoredStatistics.objects.all().delete()
    StoredBoard.objects.all().delete()
    again = board(BoardQuery(phase, board="labels"))
    assert [row.sorted_by.exact for row in again.rows] == expected


def test_boards_are_tabs_and_part_of_the_api(sent: list[Submission]) -> None:
    page = " ".join(Client().get(PAGE).content.decode().split())
    assert 'id="board-wet" href="?board=wet"' in page
    assert re.search(r'id="board-main" href="[^"]*" aria-current="true"', page)
    answer = Client().get(f"{PAGE}?board=wet&measure=uas")
    wet = " ".join(answer.content.decode().split())
    assert "Scored on North, East." in wet
    assert 'id="board-labels" href="?board=labels"' in wet
    told = Client().get(API).json()
    assert told["board"] is None
    assert told["boards"] == [
        {"name": "wet", "title": "Wet"},
        {"name": "labels", "title": "Labels"},
    ]
    assert Client().get("/api/v1/tasks/otters/").json()["boards"][0] == WET


@pytest.mark.parametrize("choice", ["board=dry", "board=wet&test_set=south"])
def test_what_a_board_does_not_have_is_not_found(
    choice: str, sent: list[Submission]
) -> None:
    assert Client().get(f"{PAGE}?{choice}").status_code == 404
    assert Client().get(f"{API}?{choice}").status_code == 404


def test_a_board_without_a_test_set_of_the_phase_is_not_offered(
    phase: Phase, sent: list[Submission]
) -> None:
    phase.test_sets.set(phase.test_sets.filter(name="south"))
    told = Client().get(API).json()
    assert [one["name"] for one in told["boards"]] == ["labels"]


@pytest.mark.parametrize("policy", ["best", "blind"])
def test_a_named_board_obeys_the_policy(
    policy: str, phase: Phase, sent: list[Submission]
) -> None:
    unrevealed(phase, policy)
    told = Client().get(API, {"board": "wet"}).json()
    assert (told["rows"] == []) == (policy == "blind")
    page = Client().get(f"{PAGE}?board=wet&entries=all")
    assert page.status_code == 404
    if policy == "blind":
        assert "93.75" not in Client().get(f"{PAGE}?board=wet").content.decode()


def test_organizers_write_boards(task: Task, ada: User, as_user: Login) -> None:
    client = as_user(ada)
    fields = {
        "title": "Dry",
        "name": "dry",
        "headline": "uas",
        "test_sets": ["south"],
        "measures": "uas\nlas",
    }
    assert client.post(ORGANIZE, fields).status_code == 302
    assert client.post(ORGANIZE, fields).status_code == 422
    client.post(f"{ORGANIZE}dry/change/", {"to": "up"})
    client.post(f"{ORGANIZE}wet/change/", {"to": "remove"})
    changed = fields | {"title": "Dry land", "name": "other"}
    assert client.post(f"{ORGANIZE}dry/", changed).status_code == 302
    dry, labels = task.named_boards.all()
    assert labels.name == "labels"
    assert dry.values() == {
        "name": "dry",
        "title": "Dry land",
        "measures": ["uas", "las"],
        "headline": "uas",
        "test_sets": ["south"],
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"headline": "wetness"}, "There is no measure"),
        ({"measures": "las\nwetness"}, "There is no measure"),
        ({"test_sets": ["west"]}, "Select a valid choice"),
        ({"name": "Dry land"}, "Small letters"),
        ({"headline": ""}, "required"),
    ],
)
def test_a_board_that_cannot_be_says_why(
    changes: dict[str, Any], said: str, task: Task, ada: User, as_user: Login
) -> None:
    fields = {"title": "Dry", "name": "dry", "headline": "uas"}
    answer = as_user(ada).post(ORGANIZE, fields | changes)
    assert answer.status_code == 422
    assert said in answer.content.decode()


def test_a_named_board_asks_as_often_however_many_rows(
    phase: Phase,
    entry: Participation,
    sent: list[Submission],
    django_assert_num_queries: Any,
) -> None:
    client, asking = Client(), {"board": "wet", "entries": "all"}
    files = {"north": perfect(), "east": perfect()}
    scored(phase, entry, files, system="more")
    client.get(API, asking)
    with CaptureQueriesContext(connection) as three:
        client.get(API, asking)
    asked = len(three)  # the next request forgets it
    for number in range(3):
        scored(phase, entry, files, system=f"more-{number}")
    client.get(API, asking)
    with django_assert_num_queries(asked):
        client.get(API, asking)


def test_rows_say_what_came_late(
    phase: Phase, sent: list[Submission], ada: User
) -> None:
    whole = sent[0]
    closes = min(one.received_at for one in sent)
    under(phase, closes=closes)
    Submission.objects.filter(pk=whole.pk).update(admitted_at=closes, admitted_by=ada)
    told = {row["system"]: row for row in rows()}
    assert told["whole"]["late_admitted"] and not told["whole"]["after_end"]
    assert told["part"]["after_end"] and not told["part"]["late_admitted"]
    page = Client().get(PAGE).content.decode()
    assert "Late, admitted" in page and "After the end" in page


def test_disqualified_rows_are_absent_from_every_board(
    sent: list[Submission], ada: User
) -> None:
    disqualify(sent[0], ada, "copied")
    assert [row["system"] for row in rows()] == ["part"]
    assert [row["system"] for row in rows(board="wet")] == ["part"]


def test_baselines_are_marked_and_unranked_on_every_board(
    sent: list[Submission],
) -> None:
    Submission.objects.filter(pk=sent[0].pk).update(baseline=True)
    for choices in ({}, {"board": "wet"}, {"board": "labels"}):
        told = {row["system"]: row for row in rows(**choices)}
        assert (told["whole"]["rank"], told["whole"]["baseline"]) == (None, True)
        assert told["part"]["rank"] == 1
