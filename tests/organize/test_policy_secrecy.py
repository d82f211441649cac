"""Blind phases and split units: no number on any channel, for nobody outside."""

import json

import numpy as np
import pytest
from django.test import Client

from leaderboard.results.board_sample import FEWEST_UNITS, slices_of
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring import Counts
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.disclosing import (
    API,
    BOARD,
    logged_in,
    own_pages,
    public_pages,
    reader,
    salted,
    text_of,
    three_sent,
    under,
    unrevealed,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
READERS = ("anonymous", "outsider", "rival", "participant")
# 93.75 overall and 87.5 on one test set, as pages and as JSON print them.
TELLTALE = ("93.75", "0.9375", "87.5", "0.875", "100.0", '"value"')


@pytest.fixture
def people(ada: User, ben: User, cy: User, phase: Phase) -> dict[str, User]:
    rival = User.objects.create_user("rival@example.org", "x", name="rival")
    other = join(phase.task, Team.found("Rivals", rival))
    scored(phase, other, both({"south": one_wrong("south")}), system="rival")
    return {"organizer": ada, "participant": ben, "outsider": cy, "rival": rival}


@pytest.mark.parametrize("who", READERS)
def test_a_blind_phase_tells_no_score_anywhere(
    who: str, phase: Phase, entry: Participation, people: dict[str, User]
) -> None:
    sent = three_sent(phase, entry)
    unrevealed(phase, "blind")
    client = reader(who, people)
    for address in (*public_pages(sent), *own_pages(sent)):
        found = text_of(client, address)
        for number in TELLTALE:
            assert number not in found, (address, number)


def test_a_blind_board_shows_no_team_no_order_and_no_number_of_entries(
    phase: Phase, entry: Participation, people: dict[str, User]
) -> None:
    sent = three_sent(phase, entry)
    unrevealed(phase, "blind")
    page = text_of(Client(), BOARD)
    assert "Scores are not shown yet" in page
    told = json.loads(text_of(Client(), f"{API}/board/"))
    assert told["rows"] == []
    assert "scores are hidden until" in told["withheld"][0]
    for address in public_pages(sent):
        for name in ("Bens", "Rivals", "alder", "birch"):
            assert name not in text_of(Client(), address), address


def test_a_blind_submission_is_received_and_valid_and_nothing_else(
    phase: Phase, entry: Participation, ben: User
) -> None:
    sent = three_sent(phase, entry)
    unrevealed(phase, "blind")
    answers = [
        logged_in(ben).get(f"/api/v1/submissions/{one.pk}/").json() for one in sent
    ]
    ours = ("id", "system", "received_at")
    told = [{k: v for k, v in one.items() if k not in ours} for one in answers]
    assert told[0] == told[1] == told[2]
    assert told[0]["scores"] == told[0]["test_sets"] == {}
    assert told[0]["text"] == "Received and valid."
    assert [
        logged_in(ben).get(f"/submissions/{one.pk}/receipt/north/").status_code
        for one in sent
    ] == [404, 404, 404]


def test_what_scoring_found_wrong_is_not_told_in_a_blind_phase(
    phase: Phase, entry: Participation, ben: User
) -> None:
    sent = scored(phase, entry, both())
    problem = {"code": "x", "message": "gold has a kingfisher here"}
    sent.evaluations.update(state="invalid", problems=[problem])
    unrevealed(phase, "blind")
    for address in own_pages([sent]):
        assert "kingfisher" not in text_of(logged_in(ben), address), address
    under(phase, policy="open")
    assert "kingfisher" in text_of(logged_in(ben), f"/submissions/{sent.pk}/")


def test_slices_of_few_units_are_not_offered_while_a_part_is_private(
    phase: Phase,
) -> None:
    """A grouping goes as a whole: the rest of its other labels would be the small one.

    Which labels there are follows from all units, though one is private altogether.
    """
    names = tuple(f"s{i:02}" for i in range(60))
    groups = {
        "genre": ("letter",) * 40 + ("log",) * 20,
        "document": ("a",) * 41 + ("b",) * 19,
        "length": ("",) * 2 + ("1-10",) * 29 + ("11-20",) * 29,
    }
    counts = Counts(names, ("n",), np.ones((60, 1)), groups)
    small = counts.where(np.arange(60) < 40)
    assert set(slices_of([counts])) == {"genre", "document", "length"}
    assert slices_of([counts], FEWEST_UNITS) == {"genre": ["letter", "log"]}
    assert slices_of([counts, small], FEWEST_UNITS) == {"genre": ["letter", "log"]}


@pytest.mark.thorough
def test_a_split_hides_the_private_part_on_every_channel(
    phase: Phase, entry: Participation, people: dict[str, User]
) -> None:
    sent = three_sent(phase, entry)
    salted(phase)
    unrevealed(phase)
    for who in READERS:
        client = reader(who, people)
        for address in (*public_pages(sent), *own_pages(sent)):
            found = text_of(client, address)
            assert "93.75" not in found, (who, address)
            assert "0.9375" not in found, (who, address)
