"""Policy by moment by reader by channel: who reads which number where."""

from typing import Any

import pytest
from django.test import Client

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.disclosing import (
    BOARD,
    board_values,
    logged_in,
    own_values,
    revealed,
    salted,
    three_sent,
    under,
    unrevealed,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=three_sent)]


@pytest.fixture
def sent(task: Task) -> list[Submission]:
    return list(Submission.objects.order_by("received_at"))


# Each: fields of the phase; what a board row of ben's team says to the public; what
# ben reads of his three submissions; whether details and receipts are given.
EXPECTED: dict[str, tuple[dict[str, Any], list[float], list[Any], bool, bool]] = {
    "open": ({}, [1.0], [0.9375, 1.0, 0.9375], True, True),
    "best": ({"policy": "best"}, [1.0], [0.9375, 1.0, None], False, False),
    "blind": ({"policy": "blind"}, [], [None, None, None], False, False),
    "split": ({"private_share": 0.5}, [1.0], [1.0, 1.0, 1.0], True, False),
    "best of a split": (
        {"policy": "best", "private_share": 0.5},
        [1.0],
        [1.0, None, None],
        False,
        False,
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_each_reader_reads_what_the_policy_says(
    name: str, phase: Phase, sent: list[Submission], ada: User, ben: User
) -> None:
    fields, public, own, _details, receipts = EXPECTED[name]
    salted(phase)
    unrevealed(phase, **{"private_share": None, **fields})
    assert board_values(Client()) == pytest.approx(public)
    assert board_values(logged_in(ben)) == pytest.approx(public)
    assert board_values(logged_in(ada)) == [1.0]
    assert board_values(logged_in(ada), **{"as": "public"}) == pytest.approx(public)
    assert own_values(logged_in(ben), sent) == [
        value if value is None else pytest.approx(value) for value in own
    ]
    assert own_values(logged_in(ada), sent) == [0.9375, 1.0, 0.9375]
    everything = Client().get(BOARD, {"entries": "all"}).status_code
    assert everything == (200 if None not in own else 404)
    receipt = logged_in(ben).get(f"/submissions/{sent[0].pk}/receipt/north/")
    assert receipt.status_code == (200 if receipts else 404)


@pytest.mark.parametrize("name", EXPECTED)
def test_after_the_reveal_everything_is_open(
    name: str, phase: Phase, sent: list[Submission], ben: User
) -> None:
    salted(phase)
    under(phase, **{"private_share": None, **EXPECTED[name][0]})
    revealed(phase)
    # The private part decides where there is one: a quarter of it is wrong on north.
    private = phase.private_share is not None
    assert board_values(Client(), entries="all") == (
        [1.0, 0.875, 0.875] if private else [1.0, 0.9375, 0.9375]
    )
    assert own_values(logged_in(ben), sent)[0] == (0.875 if private else 0.9375)
    receipt = logged_in(ben).get(f"/submissions/{sent[0].pk}/receipt/north/")
    assert receipt.status_code == 200


@pytest.mark.usefixtures("nothing_sent")
def test_parts_can_be_chosen_after_the_reveal_and_by_organizers_before(
    phase: Phase, entry: Participation, ada: User
) -> None:
    scored(phase, entry, both({"north": one_wrong()}))
    salted(phase)
    unrevealed(phase)
    by_part = {"public": [1.0], "private": [0.875], "all": [0.9375]}
    for part, values in by_part.items():
        assert board_values(logged_in(ada), part=part) == values
    assert Client().get(BOARD, {"part": "private"}).status_code == 404
    assert Client().get(BOARD, {"part": "all"}).status_code == 404
    revealed(phase)
    for part, values in by_part.items():
        assert board_values(Client(), part=part) == values
