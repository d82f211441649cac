"""Which submissions stand on a board, and when: freeze, reveal, best, chosen."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import HEADS, both, conllu, one_wrong, scored
from tests.organize.disclosing import (
    API,
    BOARD,
    HOUR,
    board_values,
    logged_in,
    own_values,
    revealed,
    salted,
    text_of,
    three_sent,
    under,
    unrevealed,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]


def test_a_freeze_keeps_the_board_but_not_ones_own_scores(
    phase: Phase, entry: Participation, ada: User, ben: User
) -> None:
    now = timezone.now()
    early = scored(phase, entry, both({"north": one_wrong()}), arrived_at=now - HOUR)
    late = scored(phase, entry, both(), arrived_at=now)
    unrevealed(phase, freeze_from=now - HOUR / 2)
    assert board_values(Client()) == [0.9375]
    (row,) = Client().get(f"{API}/board/").json()["rows"]
    assert row["entries"] == 1
    assert own_values(logged_in(ben), [early, late]) == [0.9375, 1.0]
    assert board_values(logged_in(ben)) == [0.9375]
    assert board_values(logged_in(ada)) == [1.0]
    assert "This board stands as of" in text_of(Client(), BOARD)
    revealed(phase)
    assert board_values(Client()) == [1.0]


def test_a_board_that_froze_empty_invites_nobody_to_be_the_first(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    unrevealed(phase, freeze_from=timezone.now() - HOUR)
    page = text_of(Client(), BOARD)
    assert "when the board is next updated" in page and "Be the first" not in page


def test_before_the_freeze_nothing_stands_still(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    unrevealed(phase, freeze_from=timezone.now() + HOUR)
    assert board_values(Client()) == [1.0]
    assert Client().get(f"{API}/board/").json()["withheld"] == []


def test_a_phase_without_an_end_never_reveals(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    under(phase, policy="blind", closes=None, reveal_at=None)
    assert board_values(Client()) == []
    assert "scores are not shown" in text_of(Client(), BOARD)


def test_the_end_reveals_where_no_other_moment_is_set(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    under(phase, policy="blind", closes=timezone.now() - HOUR, reveal_at=None)
    assert board_values(Client()) == [1.0]


def test_what_a_team_withdrew_is_still_the_score_to_beat(
    phase: Phase, entry: Participation, ben: User
) -> None:
    """Else withdrawing would be a way to have a worse score published."""
    first, second, third = three_sent(phase, entry)
    under(phase, policy="best")
    second.withdrawn_at = timezone.now()
    second.save()
    assert own_values(logged_in(ben), [first, second, third]) == [0.9375, 1.0, None]
    assert board_values(Client()) == [0.9375]


@pytest.mark.parametrize("policy", ["open", "best"])
def test_disqualified_entries_and_teams_that_left_are_on_no_board(
    policy: str, phase: Phase, entry: Participation
) -> None:
    _first, second, _third = three_sent(phase, entry)
    unrevealed(phase, policy)
    second.disqualified_at = timezone.now()
    second.save()
    Phase.objects.touch_boards()
    assert board_values(Client()) == [0.9375]
    entry.status = Participation.Status.DISQUALIFIED
    entry.save()
    Phase.objects.touch_boards()
    assert board_values(Client()) == []


def test_organizers_read_what_others_are_told(
    phase: Phase, entry: Participation, ada: User
) -> None:
    (sent, *_) = three_sent(phase, entry)
    unrevealed(phase, "best")
    for address in (BOARD, f"/submissions/{sent.pk}/"):
        page = text_of(logged_in(ada), address)
        assert "As an organizer you see everything" in page
        assert "Only the best entry of each team is shown" in page
    as_public = text_of(logged_in(ada), f"{BOARD}?as=public")
    assert "As an organizer you see everything" not in as_public
    assert "Only the best entry of each team is shown" in as_public


def test_anybody_may_look_as_the_public_and_sees_no_more(
    phase: Phase, entry: Participation
) -> None:
    three_sent(phase, entry)
    unrevealed(phase, "blind")
    assert board_values(Client(), **{"as": "public"}) == []


def test_another_measure_or_test_set_shows_no_other_entry(
    phase: Phase, entry: Participation
) -> None:
    """The headline over all test sets decides which entry is shown, whatever ranks."""
    scored(phase, entry, {"south": both()["south"]}, system="south alone")
    scored(phase, entry, both({"south": one_wrong("south")}), system="both")
    unrevealed(phase, "best")
    for choices in ({}, {"test_set": "south"}, {"measure": "uas"}):
        rows = Client().get(f"{API}/board/", choices).json()["rows"]
        assert [row["system"] for row in rows] == ["both"]


@pytest.mark.parametrize(
    ("counts", "system", "said"),
    [
        ("best", "birch", "the best entry of each team"),
        ("last", "cedar", "the last entry of each team"),
        ("chosen", "alder", "the entry that each team chose"),
    ],
)
def test_the_submission_that_counts_ranks_after_the_reveal(
    counts: str, system: str, said: str, phase: Phase, entry: Participation
) -> None:
    first, *_ = three_sent(phase, entry)
    first.picked = True
    first.save()
    under(phase, policy="best", counts=counts)
    revealed(phase)
    told = Client().get(f"{API}/board/").json()
    assert [row["system"] for row in told["rows"]] == [system]
    assert said in told["rule"]


def test_a_team_that_chose_nothing_stands_with_its_last(
    phase: Phase, entry: Participation
) -> None:
    three_sent(phase, entry)
    under(phase, counts="chosen")
    (row,) = Client().get(f"{API}/board/").json()["rows"]
    assert row["system"] == "cedar"


def test_a_score_that_is_the_best_so_far_is_published(
    phase: Phase, entry: Participation, ben: User
) -> None:
    """No label is right, then half of them, then all: 0, 50, 100."""
    none, half = (
        {name: conllu(HEADS[name], ("dep",) * 8).encode() for name in names}
        for names in (("north", "south"), ("north",))
    )
    sent = [scored(phase, entry, both(files)) for files in (none, half, {}, half)]
    unrevealed(phase, policy="best")
    assert own_values(logged_in(ben), sent) == [0.0, 0.5, 1.0, None]
    assert board_values(Client()) == [1.0]


def test_a_baseline_is_published_whatever_else_its_team_sent(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    unlabelled = conllu(HEADS["north"], ("dep",) * 8).encode()
    scored(phase, entry, both({"north": unlabelled}), baseline=True)
    unrevealed(phase, policy="best")
    assert board_values(Client()) == pytest.approx([1.0, 0.5])


@pytest.mark.thorough
def test_the_number_of_queries_stays_the_same_under_every_policy(
    phase: Phase, entry: Participation, ben: User
) -> None:
    salted(phase)
    three_sent(phase, entry)
    client = logged_in(ben)
    kinds = [
        {"policy": "best", "private_share": 0.5},
        {"policy": "best"},
        {"private_share": 0.5},
    ]
    pages = (BOARD, f"{API}/board/", "/tasks/otters/submissions/")
    few = [counted(client, phase, kind, page) for kind in kinds for page in pages]
    for _ in range(4):
        three_sent(phase, entry)
    many = [counted(client, phase, kind, page) for kind in kinds for page in pages]
    assert many == few


def counted(client: Client, phase: Phase, kind: dict[str, Any], page: str) -> int:
    clean = {"policy": "open", "private_share": None}
    unrevealed(phase, **clean | kind)
    client.get(page)
    with CaptureQueriesContext(connection) as seen:
        assert client.get(page).status_code == 200
    return len(seen)


def test_a_draft_is_there_for_its_organizers_only(
    phase: Phase, ada: User, ben: User
) -> None:
    phase.task.draft = True
    phase.task.save()
    addresses = (
        BOARD,
        f"{API}/board/",
        "/tasks/otters/board/",
        "/api/v1/tasks/otters/",
    )
    for address in addresses:
        assert Client().get(address).status_code == 404, address
        assert logged_in(ben).get(address).status_code == 404, address
        assert logged_in(ada).get(address, follow=True).status_code == 200, address
    assert "Otter Parsing" not in text_of(Client(), "/")
    assert "Otter Parsing" in text_of(logged_in(ada), "/")
    assert Client().get("/api/v1/tasks/").json() == []
    assert len(logged_in(ada).get("/api/v1/tasks/").json()) == 1
