"""Columns of single tags on a board (SCORING.md, `spans`: "and per tag")."""

import pytest
from django.test import Client

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.errors import ScoringError
from scoring.scorers import all_scorers
from scoring.source import Source
from tests.leaderboard.small import bundle, scored

pytestmark = pytest.mark.django_db
GOLD = b"Ada B-PERSON\nsails O\nto O\nElm B-PLACE\n"
MISSED = b"Ada B-PERSON\nsails O\nto O\nElm O\n"
NAMES = ["f1", "recall[PLACE]", "token_precision[PERSON]", "precision[SHIP]"]


def bundle_of(measures: list[str], headline: str) -> Source:
    changed = {"name": "spans", "measures": measures, "headline": headline}
    made = bundle(scorer=changed)
    files = {**made.files, "gold/north.conllu": GOLD, "gold/south.conllu": GOLD}
    return Source(made.name, files)


@pytest.fixture
def names(ada: User, ben: User) -> tuple[Phase, Participation]:
    task = create_task(bundle_of(NAMES, "recall[PLACE]"), ada)
    return task.phases.get(), join(task, Team.found("Otters", ben))


def test_a_board_has_the_columns_of_tags_that_the_task_names(
    names: tuple[Phase, Participation], client: Client
) -> None:
    phase, entry = names
    scored(phase, entry, {"north": GOLD, "south": MISSED})
    (row,) = board(BoardQuery(phase)).rows
    found = {score.measure.name: score.exact["value"] for score in row.scores}
    # Nobody marks a ship: precision over nothing is 1.
    wanted = {"f1": (1 + 2 / 3) / 2, "recall[PLACE]": 0.5, "precision[SHIP]": 1.0}
    assert found == pytest.approx({**wanted, "token_precision[PERSON]": 1.0})
    assert row.sorted_by.measure.name == "recall[PLACE]"
    assert row.rank == 1
    assert client.get("/tasks/otters/test/board/").status_code == 200


def test_the_columns_of_a_test_set_are_its_own(
    names: tuple[Phase, Participation],
) -> None:
    phase, entry = names
    scored(phase, entry, {"north": GOLD, "south": MISSED})
    (row,) = board(BoardQuery(phase, test_set="south")).rows
    found = {score.measure.name: score.exact["value"] for score in row.scores}
    assert found["recall[PLACE]"] == 0


@pytest.mark.parametrize("name", ["f2[PLACE]", "f1[PLACE", "counts"])
def test_a_column_that_no_tag_has_is_refused(name: str, ada: User) -> None:
    with pytest.raises(ScoringError, match="measures"):
        create_task(bundle_of([name], "f1"), ada)


def test_a_scorer_without_tags_has_no_measures_of_them() -> None:
    with pytest.raises(KeyError):
        all_scorers()["attachment"].measure("uas[NOUN]")
