"""Test sets entered one by one: a board each, and what is left out is not missing."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.boards.board import Board
from leaderboard.boards.query import BoardQuery, UnknownChoice
from leaderboard.boards.stored_board import board
from leaderboard.boards.submission_rank import ranks_of_submission
from leaderboard.organize import gold_preview
from leaderboard.organize.final_results import take_snapshot
from leaderboard.results.score_progress import standings
from leaderboard.results.status import SubmissionStatus, status_of
from leaderboard.submissions.models import Submission
from leaderboard.tasks import policy
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from leaderboard.teams.refusal import Refusal
from plumbline import output
from tests.leaderboard.small import (
    HEADS,
    attempts_left,
    both,
    conllu,
    one_wrong,
    perfect,
    scored,
    set_boards,
)
from tests.organize.disclosing import revealed, under
from tests.participants.test_gains import compared

URL = "/tasks/otters/test/board/"
API = "/api/v1/tasks/otters/test/board/"
NORTH, SOUTH = {"north": perfect("north")}, {"south": perfect("south")}
WORSE_NORTH = {"north": one_wrong("north")}
WORST_NORTH = {"north": conllu((4, 4, *HEADS["north"][2:])).encode()}


def team(phase: Phase, name: str) -> Participation:
    user = User.objects.create_user(f"{name.lower()}@example.org")
    return join(phase.task, Team.found(name, user))


@pytest.fixture
def apart(phase: Phase) -> Phase:
    return under(phase, separate_test_sets=True)


def on(phase: Phase, test_set: str = "", **choices: Any) -> Board:
    return board(BoardQuery(phase, test_set=test_set, **choices))


def ranking(shown: Board) -> list[tuple[int | None, str]]:
    return [(row.rank, row.system) for row in shown.rows]


def three_sent(phase: Phase, entry: Participation) -> None:
    """Ben enters north, then south; Wide enters both at once, Last a poor north."""
    apart = under(phase, separate_test_sets=True)
    scored(apart, entry, WORSE_NORTH, system="ben-north")
    scored(apart, entry, SOUTH, system="ben-south")
    scored(apart, team(apart, "Wide"), both(), system="wide")
    scored(apart, team(apart, "Last"), WORST_NORTH, system="last")


pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(then=three_sent),
]


@pytest.fixture
def three(apart: Phase) -> Phase:
    return apart


def status(name: str, user: User) -> SubmissionStatus:
    return status_of(Submission.objects.get(system=name), user)


def test_each_test_set_ranks_those_who_entered_it(three: Phase) -> None:
    # Of 8 words 8, 7 and 6 are right; nobody is pulled down by what was left out.
    assert ranking(on(three, "north")) == [(1, "wide"), (2, "ben-north"), (3, "last")]
    assert ranking(on(three, "south")) == [(1, "ben-south"), (1, "wide")]
    values = [row.sorted_by.value for row in on(three, "north").rows]
    assert values == [100.0, 87.5, 75.0]


def test_the_first_test_set_is_shown_and_there_is_no_mean(three: Phase) -> None:
    shown = on(three)
    assert shown.test_set is not None
    assert (shown.test_set.name, shown.averages) == ("north", False)
    assert ranking(shown) == ranking(on(three, "north"))
    assert "Only systems entered for North stand here." in shown.rule
    with pytest.raises(UnknownChoice):
        on(three, "east")


def test_the_entries_of_a_team_are_those_for_that_test_set(three: Phase) -> None:
    # Ben has sent two, one for each.
    for test_set in ("north", "south"):
        assert {row.entries for row in on(three, test_set).rows} == {1}


def test_only_pairs_of_that_board_are_tested(three: Phase) -> None:
    north, south = on(three, "north"), on(three, "south")
    assert [len(shown.family) for shown in (north, south)] == [3, 2]
    assert [len(shown.tests.adjusted_p) for shown in (north, south)] == [3, 1]


def test_nothing_is_called_incomplete(three: Phase, ben: User, client: Client) -> None:
    revealed(three)
    client.force_login(ben)
    own = Submission.objects.get(system="ben-north")
    for page in (
        f"{URL}?test_set=north",
        f"{URL}?test_set=south",
        own.get_absolute_url(),
        "/tasks/otters/submissions/",
        f"/submissions/{own.pk}/system/",
    ):
        answer = client.get(page)
        assert answer.status_code == 200, page
        text = answer.content.decode()
        assert "ncomplete" not in text, page
        assert "counts as 0" not in text, page
    assert not status("ben-north", ben).incomplete
    rows = client.get(API).json()["rows"]
    assert [row["complete"] for row in rows] == [True] * 3


def test_the_page_of_the_board_has_a_tab_for_each(three: Phase, client: Client) -> None:
    text = client.get(URL).content.decode()
    assert "All, averaged" not in text
    assert 'id="test-set-north"' in text
    assert "ben-south" not in text
    south = client.get(f"{URL}?test_set=south").content.decode()
    assert "ben-south" in south
    assert "ben-north" not in south


def test_a_named_board_may_rank_those_who_entered_all_of_its_test_sets(
    three: Phase,
) -> None:
    whole = {"name": "all", "title": "All", "headline": "las", "measures": []}
    set_boards(
        three.task,
        [
            {**whole, "test_sets": ["north", "south"]},
            {**whole, "name": "heads", "headline": "uas", "test_sets": []},
        ],
    )
    overall = on(three, board="all")
    assert (overall.averages, ranking(overall)) == (True, [(1, "wide")])
    assert overall.rows[0].complete
    assert ranking(on(three, "south", board="all")) == ranking(on(three, "south"))
    # One that chooses none has a ranking of each, as the main one.
    assert ranking(on(three, board="heads")) == ranking(on(three))


@pytest.mark.parametrize("counts", ["last", "chosen"])
def test_which_entry_counts_is_decided_on_each_board(
    three: Phase, entry: Participation, counts: str
) -> None:
    under(three, counts=counts)
    scored(three, entry, WORST_NORTH, system="ben-later")
    assert "ben-later" in [row.system for row in on(three, "north").rows]
    assert "ben-north" not in [row.system for row in on(three, "north").rows]
    # What was sent for another test set later does not push it off the board.
    assert "ben-south" in [row.system for row in on(three, "south").rows]


@pytest.mark.usefixtures("nothing_sent")
def test_what_is_published_is_decided_on_each_board(
    apart: Phase, entry: Participation, ben: User
) -> None:
    """South comes second and is no better than north, but the first of its own."""
    under(apart, policy="best")
    scored(apart, entry, NORTH, system="first")
    scored(apart, entry, SOUTH, system="second")
    scored(apart, entry, WORST_NORTH, system="third")
    assert [row.system for row in on(apart, "north").rows] == ["first"]
    assert [row.system for row in on(apart, "south").rows] == ["second"]
    assert status("second", ben).headline is not None
    assert status("third", ben).withheld


@pytest.mark.usefixtures("nothing_sent")
def test_an_attempt_is_an_attempt(apart: Phase, entry: Participation) -> None:
    under(apart, daily_limit=2)
    scored(apart, entry, NORTH)
    scored(apart, entry, both())
    assert attempts_left(apart, entry, timezone.now()) == 0
    with pytest.raises(Refusal):
        scored(apart, entry, SOUTH)


def test_a_submission_tells_of_each_test_set_that_it_was_sent_for(
    three: Phase, ben: User
) -> None:
    only = status("ben-south", ben)
    assert (only.scores_of, [one.name for one in only.entered]) == ("South", ["south"])
    assert only.headline is not None
    assert only.headline.value == 100.0
    wide = Submission.objects.get(system="wide")
    of_wide = status_of(wide, wide.participation.team.members.get())
    assert [one.name for one in of_wide.entered] == ["north", "south"]
    assert of_wide.over_all == ()
    shown = policy.disclosure(ben, three)
    ranks = ranks_of_submission(wide, shown)
    assert [(one.test_set, one.rank) for one in ranks] == [
        ("North", "Rank 1 of 3, range 1–3"),
        ("South", "Rank 1 of 2, range 1–2"),
    ]
    (alone,) = ranks_of_submission(Submission.objects.get(system="ben-south"), shown)
    assert alone.anchor.startswith("?test_set=south#row-")


def test_gains_are_told_on_the_same_test_set(
    three: Phase, entry: Participation, ben: User
) -> None:
    better = scored(three, entry, both(), system="ben-both")
    lines = standings(three, entry, policy.disclosure(ben, three))
    change = lines[better.pk].previous
    # North is what it has in common with ben-north, which had 87.5.
    assert change is not None
    assert change.text == "+12.50"
    north = Submission.objects.get(system="ben-north")
    south = Submission.objects.get(system="ben-south")
    assert compared(north, better, ben).measured_on == "North"
    assert compared(south, better, ben).measured_on == "South"
    with pytest.raises(Refusal):
        compared(north, south, ben)


def test_the_api_gives_scores_by_test_set(
    three: Phase, ben: User, client: Client
) -> None:
    wide = Submission.objects.get(system="wide")
    client.force_login(wide.participation.team.members.get())
    told = client.get(f"/api/v1/submissions/{wide.pk}/").json()
    assert (told["complete"], told["scores"]) == (True, {})
    assert sorted(told["test_sets"]) == ["north", "south"]
    lines = output.submission(told, {}).splitlines()
    assert [line.split("  ")[1] for line in lines[1:5]] == [
        "north: las",
        "north: uas",
        "south: las",
        "south: uas",
    ]
    client.force_login(ben)
    one = Submission.objects.get(system="ben-south")
    told = client.get(f"/api/v1/submissions/{one.pk}/").json()
    assert told["scores"]["las"]["value"] == 1.0
    phase = client.get("/api/v1/tasks/otters/phases/test/").json()
    assert phase["separate_test_sets"] is True
    shown = client.get(API).json()
    assert (shown["test_set"], shown["ranking_of"]) == ("north", "North")


def test_snapshots_have_a_board_for_each(three: Phase, client: Client) -> None:
    revealed(three)
    shown = snapshots.public_boards(three, three.reveal_at or three.opens)
    values = snapshots.as_values(shown)
    assert [one["ranking_of"] for one in values] == ["North", "South"]
    assert [len(one["rows"]) for one in values] == [3, 2]


@pytest.mark.usefixtures("nothing_sent")
def test_a_snapshot_needs_no_entry_for_the_first(
    apart: Phase, entry: Participation, ada: User, client: Client
) -> None:
    scored(apart, entry, SOUTH, system="only-south")
    frozen = take_snapshot(apart, "Now", ada)
    assert [len(one["rows"]) for one in frozen.data["boards"]] == [0, 1]
    text = client.get(snapshots.address_of(frozen)).content.decode()
    assert "<h2>North</h2>" in text
    assert "<h2>South</h2>" in text


def test_corrected_gold_is_previewed_on_each_board(three: Phase, ada: User) -> None:
    """Under the same gold nothing moves, of three in north and two in south."""
    revision = three.gold_revision
    sheets = gold_preview.sheets(revision, ada)
    assert [(one.title, len(one.lines)) for one in sheets if one.headline] == [
        ("Test, North", 3),
        ("Test, South", 2),
    ]
    public = gold_preview.in_public(revision)
    assert "Test, South: no rank changes, of 2 on the board." in public


def test_pages_of_systems_and_of_search_know_every_board(
    three: Phase, client: Client
) -> None:
    revealed(three)
    wide = Submission.objects.get(system="wide")
    text = client.get(f"/submissions/{wide.pk}/system/").content.decode()
    assert "?test_set=south" in text
    assert (
        client.get(f"/submissions/{wide.pk}/system/?test_set=south").status_code == 200
    )
    south = Submission.objects.get(system="ben-south")
    assert client.get(f"/submissions/{south.pk}/system/").status_code == 200
    assert (
        client.get(f"/submissions/{south.pk}/system/?test_set=north").status_code == 404
    )
    found = client.get("/?q=ben-south").content.decode()
    assert "Otter Parsing, Test, South" in found


def test_the_same_phase_put_together_again_counts_what_is_missing(
    three: Phase, ben: User
) -> None:
    together = under(three, separate_test_sets=False)
    shown = on(together)
    assert (shown.test_set, shown.averages) == (None, True)
    assert shown.rows[0].system == "wide"
    assert not next(row for row in shown.rows if row.system == "last").complete
    assert status("ben-north", ben).incomplete


def test_every_page_of_a_board_follows_its_test_set(
    three: Phase, ada: User, client: Client
) -> None:
    revealed(three)
    client.force_login(ada)
    pair = list(Submission.objects.filter(system__in=("wide", "ben-south")))
    systems = "&".join(f"system={one.pk}" for one in pair)
    for page, words in {
        f"/tasks/otters/test/compare/?test_set=south&{systems}": "ben-south",
        "/tasks/otters/test/charts/?test_set=south": "ben-south",
        "/tasks/otters/test/board.csv?test_set=south": "ben-south",
        "/": "LAS, North",
    }.items():
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert words in answer.content.decode(), page
