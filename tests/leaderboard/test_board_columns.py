"""Columns of a board give way to names, the set that may be first is shaded, and what
is brought along is said once."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards.render import rooms_of
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, conllu, one_wrong, scored, with_pages_of
from tests.organize.disclosing import logged_in

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("pages_made_anew"),
    pytest.mark.one_stage,
]
BOARD = "/tasks/otters/test/board/"


@pytest.fixture
def rival(task: Task, cy: User) -> Participation:
    return join(task, Team.found("Cys", cy))


def rows(page: str) -> dict[str, str]:
    """The classes of the rows of a board by the name of the system."""
    found = re.findall(r'<tr id="row-[^"]+" class="([^"]*)">(.*?)</tr>', page, re.S)
    return {
        name[1]: classes
        for classes, row in found
        if (name := re.search(r'system/">([^<]+)</a>', row))
    }


def least(room: str) -> int:
    return int(room.removeprefix("room-"))


def test_attempts_go_first_then_dates_then_measures_from_the_last() -> None:
    *measures, attempts, dates = map(least, rooms_of(["UAS", "Label accuracy"], 46.0))
    assert measures == sorted(measures) and measures[-1] <= dates <= attempts
    assert measures[0] < measures[1] and dates < attempts


def test_longer_names_leave_other_columns_less_room() -> None:
    short, long = (rooms_of(["UAS"], before) for before in (42.0, 50.0))
    assert all(least(a) < least(b) for a, b in zip(short, long, strict=True))


def test_heads_and_cells_of_a_column_give_way_together(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    page = Client().get(BOARD).text
    heads, cells = (
        re.findall(rf"<{kind} [^>]*(room-\d+)[^>]*>", page) for kind in ("th", "td")
    )
    assert len(heads) == 3  # UAS, attempts and dates; what ranks stays
    assert heads == cells
    assert "All columns" in page
    assert "All columns" not in Client().get(f"{BOARD}?rows=wide").text


def test_rows_that_may_be_first_are_shaded(
    phase: Phase, entry: Participation, rival: Participation
) -> None:
    scored(phase, entry, both(), system="otter-1")
    spoilt = conllu((4, 4, 4, 1, 1, 1, 1, 1)).encode()
    scored(phase, rival, both({"north": spoilt}), system="heron-1")
    found = rows(page := Client().get(BOARD).text)
    low = {r["system"]: r["rank_range"][0] for r in api_rows()}
    assert {name: "may-lead" in css for name, css in found.items()} == {
        name: first == 1 for name, first in low.items()
    }
    assert "Shaded: may be first." in page


def api_rows() -> list[dict[str, Any]]:
    answer = Client().get("/api/v1/tasks/otters/test/board/").json()
    found: list[dict[str, Any]] = answer["rows"]
    return found


def test_the_best_row_of_the_reader_is_pinned_and_no_other(
    phase: Phase, entry: Participation, rival: Participation, ben: User
) -> None:
    scored(phase, entry, both({"north": one_wrong()}), system="otter-1")
    scored(phase, entry, both(), system="otter-2")
    scored(phase, rival, both(), system="heron-1")
    mine = rows(logged_in(ben).get(f"{BOARD}?entries=all").text)
    assert {name for name, css in mine.items() if "own" in css} == {
        "otter-1",
        "otter-2",
    }
    assert [name for name, css in mine.items() if "pinned" in css] == ["otter-2"]
    assert "pinned" not in Client().get(BOARD).text


def test_the_best_row_of_the_reader_is_there_on_every_page(
    phase: Phase,
    entry: Participation,
    rival: Participation,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scored(phase, rival, both(), system="heron-1")
    scored(phase, entry, both({"north": one_wrong()}), system="otter-1")
    with_pages_of(1, monkeypatch)
    own, nobody = logged_in(ben), Client()
    assert list(rows(nobody.get(BOARD).text)) == ["heron-1"]
    first = rows(own.get(BOARD).text)
    assert list(first) == ["heron-1", "otter-1"]
    assert "own pinned" in first["otter-1"]
    assert list(rows(own.get(f"{BOARD}?page=2").text)) == ["otter-1"]
    # Before the lines of a page that stands behind its own.
    scored(phase, entry, both(), system="otter-2")
    Submission.objects.filter(system="heron-1").update(received_at=timezone.now())
    assert list(rows(own.get(f"{BOARD}?page=2").text)) == ["otter-2", "heron-1"]


def test_what_was_brought_along_is_explained_once(
    phase: Phase, entry: Participation, rival: Participation
) -> None:
    mark, told = '<abbr class="mark" title="Imported">', "imported from"
    sent = [scored(phase, team, both()) for team in (entry, rival)]
    Submission.objects.filter(pk=sent[0].pk).update(brought_at=sent[0].received_at)
    page = Client().get(BOARD).text
    assert (page.count(mark), page.count(told)) == (1, 1)
    # Where all were, it is not said beside each of them.
    Submission.objects.update(brought_at=sent[0].received_at)
    page = Client().get(BOARD).text
    assert (page.count(mark), page.count(told)) == (0, 1)


def test_a_submission_tells_how_far_it_is_from_the_leader(
    phase: Phase, entry: Participation, rival: Participation, ben: User, cy: User
) -> None:
    # One of sixteen words is wrong: 93.75 against 100.
    sent = scored(phase, entry, both({"north": one_wrong()}), system="otter-1")
    best = scored(phase, rival, both(), system="heron-1")
    told = r'<b class="gain-worse">−6.25</b>\s*against the leader, heron-1'
    assert re.search(told, logged_in(ben).get(f"/submissions/{sent.pk}/").text)
    leading = logged_in(cy).get(f"/submissions/{best.pk}/").text
    assert "against the leader" not in leading


def test_a_link_leads_past_all_choices_to_the_table(
    phase: Phase, entry: Participation
) -> None:
    assert "Skip to the table" not in Client().get(BOARD).text
    scored(phase, entry, both())
    page = Client().get(BOARD).text
    assert '<a class="skip" href="#ranking">' in page and 'id="ranking"' in page


def test_a_row_opens_to_all_that_may_give_way(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both({"north": one_wrong()}), system="otter-1")
    page = Client().get(BOARD).text
    assert "All scores of otter-1" in page.partition("<details")[2]
    opened = page.partition('<tr class="opened-row">')[2].partition("</tr>")[0]
    for told in ("UAS", "93.75", "Attempts", "Submitted", "the only ranked system"):
        assert told in opened


def test_ranges_and_changes_of_ranks_have_columns_where_there_are_some(
    phase: Phase, entry: Participation, rival: Participation
) -> None:
    scored(phase, entry, both({"north": one_wrong()}), system="otter-1")
    alone = Client().get(BOARD).text
    assert 'class="possible"' not in alone and 'class="change"' not in alone
    scored(phase, rival, both({"north": one_wrong()}), system="heron-1")
    for sent in Submission.objects.filter(system="otter-1"):
        Submission.objects.filter(pk=sent.pk).update(
            received_at=timezone.now() - timedelta(days=8)
        )
    page = Client().get(BOARD).text
    assert re.findall('<td class="possible">([^<]*)</td>', page) == ["1–2", "1–2"]
    assert page.count('<td class="change">') == 2
    assert page.count('<td class="change"></td>') == 1
    assert "new since last week" in page


def test_a_row_that_opens_asks_under_the_choices_of_the_board(
    phase: Phase, entry: Participation
) -> None:
    sent = scored(phase, entry, both({"north": one_wrong()}), system="otter-1")
    page = Client().get(f"{BOARD}?test_set=north&page=1").text
    assert f'hx-get="/submissions/{sent.pk}/system/?test_set=north"' in page
