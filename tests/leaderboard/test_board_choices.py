"""What a reader chooses of a board: names, columns, levels, sheets."""

import html
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards import submission_rank, systems
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board, newest_board
from leaderboard.submissions.models import ComputedBoards, Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, one_wrong, scored, with_pages_of

URL, API = "/tasks/otters/test/board/", "/api/v1/tasks/otters/test/board/"
TEAM = re.compile(r'<span class="team">(?:<a[^>]*>)?(\w+)</')


def three_sent(phase: Phase, entry: Participation) -> None:
    """Bens 93.75 with "otter-1", Cranes 100 with "weir", Dippers the same as Bens."""
    wrong = both({"north": one_wrong()})
    scored(phase, entry, wrong)
    for name, system, files in (("Cranes", "weir", both()), ("Dippers", "Otto", wrong)):
        user = User.objects.create_user(f"{name.lower()}@example.org")
        scored(phase, join(phase.task, Team.found(name, user)), files, system=system)


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=three_sent)]


@pytest.fixture
def three(phase: Phase) -> Phase:
    return phase


def teams(**choices: Any) -> list[str]:
    return TEAM.findall(Client().get(URL, choices).content.decode())


def test_a_search_finds_teams_and_systems(three: Phase) -> None:
    assert teams(q="ott") == ["Bens", "Dippers"]
    assert teams(q="CRANE") == teams(q="  weir ") == ["Cranes"]
    assert teams(q="nobody") == []
    assert teams(q="") == ["Cranes", "Bens", "Dippers"]


def test_nothing_is_cut_from_a_long_search(three: Phase) -> None:
    long = "ott" + " " * 120 + "er"
    assert teams(q=long) == []
    assert "maxlength" not in Client().get(URL, {"q": long}).text


def test_ranks_of_what_was_found_are_those_of_the_whole_board(three: Phase) -> None:
    told = Client().get(API, {"q": "ott"}).json()
    assert [row["rank"] for row in told["rows"]] == [2, 2]
    assert told["rows_in_all"] == 3


def test_a_typed_search_is_only_text(three: Phase) -> None:
    page = Client().get(URL, {"q": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in page


def test_columns_are_chosen_and_the_one_that_ranks_stays(three: Phase) -> None:
    def shown(**choices: Any) -> list[str]:
        page = Client().get(URL, choices).content.decode()
        return re.findall(r'id="sort-(\w+)"', page)

    assert shown() == ["las", "uas"]
    assert shown(show="uas") == ["las", "uas"]
    assert shown(show="las") == ["las"]
    assert shown(show="las", measure="uas") == ["uas", "las"]
    assert shown(show="of another board") == ["las", "uas"]


def test_each_measure_is_explained_below_the_board(three: Phase) -> None:
    page = Client().get(URL).content.decode()
    muted = r'<span\s+class="muted">[^<]*</span>'
    item = rf"<dt>\s*(\S+)\s+{muted}\s*</dt>\s*<dd>\s*<code>(.*?)</code>"
    explained = re.findall(item, page)
    measures = board(BoardQuery(three)).measures
    assert explained == [(one.title, html.escape(one.formula)) for one in measures]
    assert len(measures) == 2


def test_a_higher_level_has_wider_intervals_around_the_same_values(
    three: Phase,
) -> None:
    low, high = (board(BoardQuery(three, level=level)) for level in ("90", "99"))
    for one, other in zip(low.rows, high.rows, strict=True):
        near, far = one.sorted_by.exact, other.sorted_by.exact
        assert near["value"] == far["value"]
        assert far["low"] <= near["low"] <= near["high"] <= far["high"]
    assert "99% confidence" in high.rule


def test_the_tasks_own_level_is_what_was_stored(three: Phase) -> None:
    stored, asked = board(BoardQuery(three)), board(BoardQuery(three, level="95"))
    assert asked.level == three.task.level
    assert [r.sorted_by.exact for r in asked.rows] == [
        r.sorted_by.exact for r in stored.rows
    ]


def test_counting_anew_gives_what_was_stored(three: Phase) -> None:
    """The same level by both ways: a task of 90 % whose numbers were stored so."""
    three.task.level = 0.9
    again = newest_board(BoardQuery(three, level="95"))
    stored = board(BoardQuery(Phase.objects.get()))
    assert again.level != three.task.level
    for one, other in zip(again.rows, stored.rows, strict=True):
        assert one.sorted_by.exact == pytest.approx(dict(other.sorted_by.exact))


def test_boards_without_details_offer_no_other_level(three: Phase) -> None:
    Phase.objects.update(policy="best")
    assert Client().get(URL).status_code == 200
    assert Client().get(URL, {"level": "90"}).status_code == 404


ABSENT = (
    "level=50",
    "level=x",
    "page=0",
    "page=-1",
    "page=x",
    "page=٣",
    "at=yesterday",
    "at=2026-13-01",
    "at=9999-12-31T23:59:59-14:00x",
)


def test_what_there_is_not_is_not_found(three: Phase) -> None:
    answers = {one: Client().get(f"{URL}?{one}").status_code for one in ABSENT}
    assert answers == dict.fromkeys(ABSENT, 404)


def test_sheets_hold_every_row_once_and_ranks_go_on(
    three: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = teams()
    with_pages_of(2, monkeypatch)
    assert [teams(page=1), teams(page=2)] == [whole[:2], whole[2:]]
    assert teams(page="all") == whole
    assert teams(page=3) == teams(page=99999) == whole[2:]  # rows may have gone
    page = Client().get(URL, {"page": 2, "measure": "uas"}).content.decode()
    assert "3 to 3 of 3" in page
    # Another order begins with its first sheet; sheets keep the order.
    assert re.search(r'id="sort-las"\s+href="\?measure=las"', page)
    assert re.search(r'id="page-1"\s+href="\?measure=uas"', page)


def test_a_reader_finds_the_own_row_marked_and_the_own_rank(
    three: Phase, ben: User, as_user: Callable[[User], Client]
) -> None:
    page = as_user(ben).get(URL).content.decode()
    assert page.count("badge-own") == page.count('class="own ') == 1
    own = Submission.objects.get(participation__team__members=ben)
    assert re.search(rf'id="row-{own.pk}"\s+class="own ', page)
    line = rf'<p id="own-rank">\s*<a href="{URL}#row-{own.pk}">You: rank 2 of 3'
    assert re.search(line, page)
    # The same rows for a reader without a team here, and for nobody in particular.
    stranger = User.objects.create_user("stranger@example.org")
    for client in (as_user(stranger), Client()):
        page = client.get(URL).content.decode()
        assert "badge-own" not in page and 'id="own-rank" hidden' in page


def test_the_own_row_is_found_on_its_page(
    three: Phase,
    ben: User,
    as_user: Callable[[User], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_pages_of(1, monkeypatch)
    page = as_user(ben).get(URL, {"q": "", "page": 3}).content.decode()
    assert f'href="{URL}?q=&amp;page=2#row-' in page


def test_a_submission_names_its_rank_and_what_it_changed(
    three: Phase, entry: Participation, ben: User, as_user: Callable[[User], Client]
) -> None:
    """93.75 before, 100 now, beside another team's 100 and an equal 93.75."""
    better = scored(three, entry, both(), system="otter-2")
    page = as_user(ben).get(better.get_absolute_url()).content.decode()
    assert f'{URL}#row-{better.pk}">Rank 1 of 3, range 1–3</a>' in page
    before = "against the team&#x27;s best before"
    gain = rf'<b class="gain-better">\+6.25</b>\s+{before}, otter-1'
    assert re.search(gain, page)
    worse = Submission.objects.get(system="otter-1")
    page = as_user(ben).get(worse.get_absolute_url()).content.decode()
    assert "with otter-2, which stands on the board for your team" in page
    assert before not in page


def test_a_submission_that_its_board_lacks_asks_again_for_its_rank(
    three: Phase,
    entry: Participation,
    ben: User,
    as_user: Callable[[User], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The board of before is shown while a worker computes the next, which it does
    not before the last has rested: many may wait at once for a large one."""
    three.refresh_from_db()
    before = board(BoardQuery(three))
    board_of_before = replace(before, source=replace(before.source, version=1))
    better = scored(three, entry, both(), system="otter-2")
    address = better.get_absolute_url()
    with monkeypatch.context() as patches:
        patches.setattr(systems, "board", lambda *_: board_of_before)
        patches.setattr(submission_rank, "board", lambda *_: board_of_before)
        page = as_user(ben).get(address).content.decode()
        ComputedBoards.objects.create(
            phase=three, version=1, at=timezone.now(), seconds=0.5
        )
        later = as_user(ben).get(address).content.decode()
    assert "Rank 1 of 3" not in page and 'hx-trigger="every 2s"' in page
    assert 'hx-trigger="every 10s"' in later
    assert f'hx-get="{address}?part=status' in page
    page = as_user(ben).get(address).content.decode()
    assert "Rank 1 of 3" in page and "?part=status" not in page
